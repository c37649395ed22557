"""The view of calibration: in the plane of σ and λ, each bound meets the target above its contour."""

from functools import cached_property
from typing import Any

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
        asked = self.asked
        try:
            return cache.shared(objective.paper_rule, asked.target, asked.delta, bound=bound, **asked.losses)
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
    def contours(self) -> tuple[float, dict[str, tuple[Any, Any]]]:
        """σ of the Gaussian mechanism, and for each bound its contour: the smallest λ for each σ."""
        asked = self.asked
        gaussian, found = cache.shared(objective.contours, asked.target, asked.delta, CALIBRATED, **asked.losses)
        return gaussian, {BOUNDS[bound]: study.guaranteed(*contour) for bound, contour in found.items()}

    @property
    def spots(self) -> list[tuple[str, float, float, str]]:
        """Points in the plane: the source's rules, and the choice with the smallest predicted risk."""
        rules = [(name, self.rule(bound), symbol) for name, bound, symbol in _RULES]
        best = self.best
        sigma = best.sigma * self.asked.lipschitz / best.mechanism.lipschitz
        return [
            *((name, rule.sigma, rule.lam, symbol) for name, rule, symbol in rules if rule),
            ("least predicted risk", sigma, best.lam, "star"),
        ]

    def metrics(self) -> list[Metric]:
        """Cards for λ by the source's rule with both bounds, and for the choice with the smallest predicted risk."""
        published, tight = (self.rule(bound) for bound in ("hockey_stick", "tight"))
        best, risk = self.best, self.best.predicted_risk
        lams = [number(found.lam) if found else "none" for found in (published, tight)]
        sigma = f"σ = {number(published.sigma)}" if published else None
        saved = f"{times(published.lam / tight.lam)} less λ" if published and tight else None
        chosen = f"σ = {number(best.sigma)}, C = {number(best.clip)}"
        bias = f"Plus at most {number(best.clipping_bias)} of clipping bias." if best.clipping_bias else None
        return [
            Metric(md("λ of the paper's rule, Thm 3.1"), lams[0], sigma),
            Metric("The same rule, tight", lams[1], saved),
            Metric("Least predicted risk: λ", number(best.lam), chosen, help=_sentence("only_public")),
            Metric("Its risk per record", number(risk / self.asked.n), f"{number(risk)} in sum form", help=bias),
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
        regions = self.contours[1].items()
        parts = [{"bound": name, "sigma": sigma, "smallest lambda": lam} for name, (sigma, lam) in regions]
        return pd.concat(map(pd.DataFrame, parts), ignore_index=True)

    def notes(self) -> list[str]:
        """Sentences on how to read the plane."""
        return [
            _sentence("above_contour_bound_certifies"),
            md("**Where a contour is missing, that bound gives no guarantee at any λ** for this noise."),
            _sentence("more_noise_buys_less"),
        ]
