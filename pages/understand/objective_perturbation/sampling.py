"""The view of objective perturbation on a sample of the records."""

import math
from functools import cached_property

from dpcore.exhibits.objective_perturbation import figure as figures
from dpcore.exhibits.objective_perturbation import sampled_records as study
from dpcore.profiles import PrivacyProfile, curves
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

    @property
    def cases(self) -> tuple[PrivacyProfile, ...]:
        """The mechanism in each case."""
        whole, rate = self.asked.mechanism("tight"), self.asked.rate
        return whole, study.of_sample(whole, rate), study.same_balance(whole, rate)

    @cached_property
    def sampled(self) -> list[curves.Curve]:
        named = ("Tight", "all records"), ("Sampled, same σ and λ", ""), ("Sampled, qσ and qλ", "")
        return [
            cache.shared(curves.guarantee_curve, name, one, self.asked.epsilon_max, points=61, note=note)
            for (name, note), one in zip(named, self.cases, strict=True)
        ]

    def metrics(self) -> list[Metric]:
        """Cards for ε on all records, for ε on a sample in both cases, and for the largest loss when one is added."""
        rate, delta = self.asked.rate, self.asked.delta
        before, after, scaled = (float(one.epsilon(delta)) for one in self.cases)
        shares = [f"{times(one / before)} the ε" if before > 0 else None for one in (after, scaled)]
        end = number(-math.log1p(-rate)) if rate < 1 else "none"
        return [
            Metric(f"ε at δ = {number(delta)}, all records", number(before), "tight"),
            Metric(f"A sample, q = {number(rate)}", number(after), shares[0]),
            Metric("A sample, qσ and qλ", number(scaled), shares[1], worse=scaled > before or None),
            Metric("ε where the added record's curve ends", end, "−log(1 − q)"),
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
