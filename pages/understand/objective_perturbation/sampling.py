"""The view of objective perturbation on a sample of the records."""

import math
from functools import cached_property

from dpcore.exhibits.objective_perturbation import figure as figures
from dpcore.exhibits.objective_perturbation import sampled_records as study
from dpcore.profiles import curves
from dpcore.references import FormulaCard
from pages.components import cache, cards
from pages.components.cards import Metric
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import number, script, times
from pages.understand.objective_perturbation.state import View


class Sampled(View):
    """All records, a sample, and a sample with noise and penalty scaled to it."""

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
        """ε on all records, on a sample both ways, and the most that an absent record can show."""
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
        """δ(ε) of all three."""
        return [
            Chart("Sampled records", lambda: figures.bounds_figure(self.sampled, cards.theme_mode(), floor=self.asked.floor),
                  "Delta against epsilon with and without sampling", "op_sampled")
        ]  # fmt: skip

    def notes(self) -> list[str]:
        """Why the bound holds, what it is worth, and what cannot be compared."""
        return [
            md(
                "**The bound is valid, and tight.** Whatever others are in the sample, the tight profile bounds what the record adds, and "
                "mixing over samples can only hide more. With no others the sample is the record or nothing, and the bound is reached."
            ),
            md(
                "**Where it holds**: Poisson sampling, σ and λ fixed beforehand, neither the sample nor its size released. A sample of "
                "fixed size needs another analysis; a λ set by the size of the sample is not covered."
            ),
            md(
                "**The saving is not free**: {} of the records under the same σ and λ is a fit with more noise for its data. With qσ and "
                "qλ the balance is as before, and the privacy loss is mostly larger than without sampling.",
                number(self.asked.rate),
            ),
            md(
                "**No number is given for DP-FTRL.** Appendix I.2 of the source compares in words: noise that is the same in every step "
                "here, correlated by a tree there, independent in DP-SGD. It names no tree, no number of passes and no learning rate, "
                "without which neither its privacy nor its error is determined."
            ),
        ]

    def formulas(self) -> list[FormulaCard]:
        return [study.SAMPLED_CARD, self.asked.mechanism("tight").card]

    def program(self) -> str:
        """The lines of dpcore that make these numbers."""
        return script(
            f"tight = dp.{self.asked.mechanism('tight')!r}",
            f"sample = dp.exhibits.objective_perturbation.sampled_records.of_sample(tight, {self.asked.rate!r})",
            f"scaled = dp.exhibits.objective_perturbation.sampled_records.same_balance(tight, {self.asked.rate!r})",
            f"tight.epsilon({self.asked.delta!r}), sample.epsilon({self.asked.delta!r}), scaled.epsilon({self.asked.delta!r})",
        )
