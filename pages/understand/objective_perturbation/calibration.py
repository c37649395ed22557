"""The view of calibration: in the plane of σ and λ, each bound meets the target above its contour."""

from functools import cached_property

import pandas as pd

from dpcore.calibration import objective
from dpcore.errors import CalibrationError
from dpcore.exhibits.objective_perturbation import figure as figures
from dpcore.exhibits.objective_perturbation import study
from dpcore.mechanisms import ObjectivePerturbation
from pages.components import cache, cards, say
from pages.components.cards import Metric
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import number, times
from pages.understand.objective_perturbation.state import BOUNDS, View

_sentence = say.sentences(__file__)

CALIBRATED = ("tight", "hockey_stick", "renyi", "kifer")
_RULES = (("paper's rule, Thm 3.1", "hockey_stick", "square"), ("paper's rule, tight", "tight", "diamond"))


class Calibration(View):
    """Which σ and λ meet a target, from public numbers alone."""

    code = "calibration"

    def rule(self, bound: str) -> ObjectivePerturbation | None:
        """The mechanism with σ and λ by the source's rule, if the rule finds any."""
        try:
            return cache.shared(
                objective.paper_rule, self.asked.target, self.asked.delta, bound=bound, **self.asked.losses
            )
        except CalibrationError:
            return None

    @cached_property
    def best(self) -> objective.ObjectiveCalibration:
        """The clipping C, σ and λ with the smallest predicted risk."""
        asked = self.asked
        return cache.shared(
            objective.best_calibration, asked.target, asked.delta, n=asked.n, dimension=asked.d,
            theta_norm=asked.norm, clip=asked.clip * asked.lipschitz, **asked.losses,
        )  # fmt: skip

    @cached_property
    def contours(self) -> tuple[float, list[study.Region]]:
        """σ of the Gaussian mechanism, and for each bound its contour: the smallest λ for each σ."""
        asked = self.asked
        gaussian, found = cache.shared(objective.contours, asked.target, asked.delta, CALIBRATED, **asked.losses)
        return gaussian, [study.region(BOUNDS[bound], sigma, lam) for bound, (sigma, lam) in found.items()]

    @property
    def spots(self) -> list[study.Spot]:
        """Points in the plane: the source's rules, and the choice with the smallest predicted risk."""
        rules = [(name, self.rule(bound), symbol) for name, bound, symbol in _RULES]
        best = self.best
        sigma = best.sigma * self.asked.lipschitz / best.mechanism.lipschitz
        return [
            *(study.Spot(name, rule.sigma, rule.lam, symbol) for name, rule, symbol in rules if rule),
            study.Spot("least predicted risk", sigma, best.lam, "star"),
        ]

    def metrics(self) -> list[Metric]:
        """Cards for λ by the source's rule with both bounds, and for the choice with the smallest predicted risk."""
        published, tight = (self.rule(bound) for bound in ("hockey_stick", "tight"))
        best = self.best
        both = published and tight
        return [
            Metric(
                md("λ of the paper's rule, Thm 3.1"),
                number(published.lam) if published else "none",
                f"σ = {number(published.sigma)}" if published else None,
            ),
            Metric(
                "The same rule, tight",
                number(tight.lam) if tight else "none",
                f"{times(published.lam / tight.lam)} less λ" if both else None,
            ),
            Metric(
                "Least predicted risk: λ",
                number(best.lam),
                f"σ = {number(best.sigma)}, C = {number(best.clip)}",
                help="Nothing here looks at data: n, d, B and the class of losses are public. The plane is drawn for unclipped L.",
            ),
            Metric(
                "Its risk per record",
                number(best.predicted_risk / self.asked.n),
                f"{number(best.predicted_risk)} in sum form",
                help=f"Plus at most {number(best.clipping_bias)} of clipping bias." if best.clipping_bias else None,
            ),
        ]

    def charts(self) -> list[Chart]:
        """The chart of the plane."""
        gaussian, regions = self.contours
        return [
            Chart("Calibration plane", lambda: figures.calibration_figure(regions, self.spots, gaussian, cards.theme_mode()),
                  "Smallest regularisation at each noise level, for every bound", "op_plane")
        ]  # fmt: skip

    def data(self) -> pd.DataFrame:
        """A table of the contours."""
        parts = [
            pd.DataFrame({"bound": one.name, "sigma": one.sigma, "smallest lambda": one.lam})
            for one in self.contours[1]
        ]
        return pd.concat(parts, ignore_index=True)

    def notes(self) -> list[str]:
        """Sentences on how to read the plane."""
        return [
            _sentence("above_contour_bound_certifies"),
            md("**Where a contour is missing, that bound gives no guarantee at any λ** for this noise."),
            _sentence("more_noise_buys_less"),
        ]
