"""The view of the change of variables: from one θ to the noise, the determinants, the densities and their ratio."""

import math
from collections.abc import Iterable
from functools import cached_property

import pandas as pd

from dpcore.exhibits.objective_perturbation.change_of_variables import CHANGE_CARD, Change, SmallModel
from dpcore.exhibits.objective_perturbation.figure import lattice_figure
from dpcore.references import FormulaCard
from pages.components import cache, cards, say
from pages.components.cards import Metric
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import number
from pages.understand.objective_perturbation.state import View

_sentence = say.sentences(__file__)

STEPS = ("1 · Noise", "2 · Determinants", "3 · Densities", "4 · Ratio", "5 · Check")


class Variables(View):
    """Lemma 10.1 at one θ, in five steps."""

    code = "variables"

    @cached_property
    def model(self) -> SmallModel:
        """Six records, with a loss that has the constants chosen in the sidebar."""
        return SmallModel(self.asked.sigma, self.asked.lam, self.asked.lipschitz, self.asked.beta)

    @property
    def theta(self) -> tuple[float, float]:
        """θ from the sliders, which count in units of σ/λ."""
        unit = self.asked.sigma / self.asked.lam
        return self.asked.first * unit, self.asked.second * unit

    @cached_property
    def change(self) -> Change:
        """The results of all steps at this θ."""
        return cache.shared(SmallModel.at, self.model, self.theta)

    def metrics(self) -> list[Metric]:
        """Cards for both terms of the log ratio, for their sum, and for the same sum computed by refits."""
        found, most = self.change, math.log1p(self.asked.beta / self.asked.lam)
        return [
            Metric("Determinants", number(found.volume), f"at most {number(most)}"),
            Metric("Noise", number(found.noise)),
            Metric("log p(θ|D)/p(θ|D∖z)", number(found.log_ratio), "nats, sum of both"),
            Metric("The same by refits", number(found.refit_log_ratio), "finite differences"),
        ]

    def charts(self) -> list[Chart]:
        """A chart of a lattice of noises and of the minimisers to which they lead."""
        lattice = cache.shared(SmallModel.lattice, self.model)
        return [
            Chart("Change of variables", lambda: lattice_figure(lattice, self.change, cards.theme_mode()),
                  "A lattice of noises and the minimisers it leads to", "op_variables")
        ]  # fmt: skip

    def draw(self) -> list[Chart]:
        """Show one step in words and numbers, and the chart."""
        step = say.segmented_control("Step", list(STEPS), default=STEPS[0], required=True, key="op_step")
        say.markdown(self._explained()[STEPS.index(step)])
        return super().draw()

    def data(self) -> pd.DataFrame:
        """A table of the noise, determinant and density with the record and without it."""
        sides = {"with z": self.change.whole, "without z": self.change.rest}
        rows = [(name, *side.noise, side.log_volume, side.log_density) for name, side in sides.items()]
        return pd.DataFrame(rows, columns=["data", "b1", "b2", "log |det|", "log density"])

    def _explained(self) -> list[str]:
        """The sentences that explain each step at this θ."""
        found = self.change
        whole, rest = found.whole, found.rest
        places = map(_vector, (found.theta, whole.noise, rest.noise))
        volumes = map(math.exp, (whole.log_volume, rest.log_volume, found.volume))
        apart = number(abs(found.refit_log_ratio - found.log_ratio), 1)
        return [
            _sentence("minimiser_for_one_noise", *places, math.hypot(*found.gradient), self.asked.lipschitz),
            _sentence("determinants", *volumes, 1 / (1 - found.leverage)),
            _sentence("densities", whole, rest),
            _sentence("two_terms", found, math.log1p(self.asked.beta / self.asked.lam)),
            _sentence("same_without_second_derivative", found, apart),
        ]

    def notes(self) -> list[str]:
        """Sentences on what the steps show."""
        found = self.change
        side = "for" if found.log_ratio > 0 else "against"
        return [
            _sentence("release_speaks_record_being", side, math.exp(min(found.log_ratio, 700.0))),
            _sentence("where_lattice_right_pulled"),
            md("**It holds** for convex losses with two derivatives and λ > 0: then θ and b determine each other."),
            md("**The six records are made up**: of real data these numbers are confidential."),
        ]

    def formulas(self) -> list[FormulaCard]:
        return [CHANGE_CARD]


def _vector(values: Iterable[float]) -> str:
    return md("({!n}, {!n})", *values)
