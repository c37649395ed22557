"""The view of objective perturbation on a sample of the records."""

import math
from functools import cached_property

from dpcore.exhibits.objective_perturbation import figure as figures
from dpcore.exhibits.objective_perturbation import sampled_records as study
from dpcore.profiles import curves
from dpcore.references import FormulaCard
from pages.components import cache, cards, say
from pages.components.cards import Metric
from pages.components.charts import Chart
from pages.components.words import number, times
from pages.understand.objective_perturbation.state import View

_sentence = say.sentences(__file__)


class Sampled(View):
    """Three cases: all records, a sample of them, and a sample with noise and penalty scaled to its size."""

    code = "sampled"

    @cached_property
    def sampled(self) -> list[curves.Curve]:
        whole, rate = self.asked.mechanism("tight"), self.asked.rate
        shown = (
            ("Tight", whole, "all records"),
            ("Sampled, same σ and λ", study.of_sample(whole, rate), ""),
            ("Sampled, qσ and qλ", study.same_balance(whole, rate), ""),
        )
        return [
            cache.shared(curves.guarantee_curve, name, one, self.asked.epsilon_max, points=61, note=note)
            for name, one, note in shown
        ]

    def metrics(self) -> list[Metric]:
        """Cards for ε on all records, for ε on a sample in both cases, and for the largest loss when one is added."""
        whole, delta = self.asked.mechanism("tight"), self.asked.delta
        before, after, scaled = (
            float(one.epsilon(delta))
            for one in (whole, study.of_sample(whole, self.asked.rate), study.same_balance(whole, self.asked.rate))
        )
        return [
            Metric(f"ε at δ = {number(delta)}, all records", number(before), "tight"),
            Metric(
                f"A sample, q = {number(self.asked.rate)}",
                number(after),
                f"{times(after / before)} the ε" if before > 0 else None,
            ),
            Metric(
                "A sample, qσ and qλ",
                number(scaled),
                f"{times(scaled / before)} the ε" if before > 0 else None,
                worse=scaled > before or None,
            ),
            Metric(
                "ε where the added record's curve ends",
                number(-math.log1p(-self.asked.rate)) if self.asked.rate < 1 else "none",
                "−log(1 − q)",
            ),
        ]

    def charts(self) -> list[Chart]:
        """A chart of δ(ε) in all three cases."""
        return [
            Chart("Sampled records", lambda: figures.bounds_figure(self.sampled, cards.theme_mode(), floor=self.asked.floor),
                  "Delta against epsilon with and without sampling", "op_sampled")
        ]  # fmt: skip

    def notes(self) -> list[str]:
        """Sentences on why the bound holds, how much it saves, and what cannot be compared."""
        return [
            _sentence("bound_valid_tight"),
            _sentence("where_holds"),
            _sentence("saving_not_free", self.asked.rate),
            _sentence("no_number_given_for"),
        ]

    def formulas(self) -> list[FormulaCard]:
        return [study.SAMPLED_CARD, self.asked.mechanism("tight").card]
