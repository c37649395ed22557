"""The view of the Rényi divergences."""

import math
from functools import cached_property

import pandas as pd

from dpcore.exhibits.objective_perturbation import figure as figures
from dpcore.profiles import curves
from pages.components import cards, say
from pages.components.cards import Metric
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import number, times
from pages.understand.objective_perturbation.state import View

_sentence = say.sentences(__file__)


class Renyi(View):
    """Rényi divergences against their order: the Gaussian's as the lower one, and every proven bound."""

    @cached_property
    def sampled(self) -> list[curves.Curve]:
        wanted = ("tight", "renyi", "linearised", "non_glm", "half_normal", "lower")
        always = ("half_normal", "renyi", "lower")
        return [self.asked.renyi(bound) for bound in wanted if bound in self.asked.shown or bound in always]

    @cached_property
    def apart(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """(Order, ratio) at the largest ratio of tight to Gaussian divergence, and of published to tight divergence."""
        tight, lower, published = (self.asked.renyi(bound) for bound in ("tight", "lower", "renyi"))
        return curves.peak(curves.ratio(tight, lower)), curves.peak(curves.ratio(published, tight))

    def metrics(self) -> list[Metric]:
        """Cards for the largest ratios of the curves, and for the ε that the published bound gives."""
        gap, loss = self.apart
        delta, none = self.asked.delta, ("no guarantee", None)
        charged, exact = (float(self.asked.mechanism(bound).epsilon(delta)) for bound in ("renyi", "tight"))
        over, published = none, none
        if not math.isnan(loss[1]):
            over = times(loss[1]), f"at α = {number(loss[0])}"
        if math.isfinite(charged):
            published = number(charged), f"{times(charged / exact)} tight" if exact > 0 else None
        return [
            Metric("Tight over Gaussian, at most", times(gap[1]), f"at α = {number(gap[0])}"),
            Metric(md("Thm 3.2 over tight, at most"), *over),
            Metric(md("ε at δ = {!n}, Thm 3.2", delta), *published),
            Metric(f"ε at δ = {number(delta)}, tight", number(exact)),
        ]

    def charts(self) -> list[Chart]:
        """The chart of all divergences."""
        return [
            Chart("Rényi divergence", lambda: figures.renyi_bounds_figure(self.sampled, cards.theme_mode()),
                  "Rényi divergence against its order", "op_renyi")
        ]  # fmt: skip

    def data(self) -> pd.DataFrame:
        """The data behind the chart."""
        return curves.table(self.sampled, "alpha", "divergence")

    def notes(self) -> list[str]:
        """Sentences computed from what is on the screen."""
        (order, gap), (at, loss) = self.apart
        gaps = _sentence("tight_curve_most_gaussian", gap, order)
        gaps += (
            "Theorem 3.2 says nothing for λ ≤ β." if math.isnan(loss) else _sentence("published_above_tight", loss, at)
        )
        return [_sentence("half_normal", "log(1 + β/λ)" if self.asked.sharper else "−log(1 − β/λ)"), gaps]
