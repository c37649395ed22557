"""The view of a solver that stops before it has reached the exact minimiser."""

import math
from functools import cached_property

from dpcore.exhibits.objective_perturbation import figure as figures
from dpcore.exhibits.objective_perturbation import stopped_solver as study
from dpcore.mechanisms import ApproximateMinimaPerturbation
from dpcore.profiles import curves
from dpcore.references import FormulaCard
from pages.components import cache, cards, say
from pages.components.cards import Metric
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import number, times
from pages.understand.objective_perturbation.state import View

_sentence = say.sentences(__file__)


class Stopping(View):
    """The exact minimiser compared with the release of a solver that stops early."""

    code = "stopping"

    def stopped(self, bound: str) -> ApproximateMinimaPerturbation:
        """The mechanism of a bound when the solver stops early."""
        return study.stopped(self.asked.mechanism(bound), self.asked.tau, self.asked.sigma_out)

    @cached_property
    def sampled(self) -> list[curves.Curve]:
        found, end = [], self.asked.epsilon_max
        for bound, name in (("tight", "Stopped"), ("renyi", "Thm 4.1")):
            stopped = cache.shared(curves.guarantee_curve, name, self.stopped(bound), end, points=61)
            found += [self.asked.profile(bound), stopped]
        return found

    @cached_property
    def budgets(self) -> list[curves.Curve]:
        """Curves of ε against the noise σₒᵤₜ that is added to the result."""
        asked = self.asked
        return [
            cache.shared(study.budget_by_output_noise, name, asked.mechanism(bound), asked.tau, asked.delta, points)
            for bound, name, points in (("tight", "Stopped", 17), ("renyi", "Thm 4.1", 41))
        ]

    def metrics(self) -> list[Metric]:
        """Cards for ε of the exact minimiser, for ε of the stopped solver by both bounds, and for the second shift."""
        whole, delta = self.stopped("tight"), self.asked.delta
        mechanisms = self.asked.mechanism("tight"), whole, self.stopped("renyi")
        exact, tight, published = (float(one.epsilon(delta)) for one in mechanisms)
        proven = "no guarantee", None
        if math.isfinite(published):
            proven = number(published), f"{times(published / tight)} tight" if tight > 0 else None
        return [
            Metric(f"ε at δ = {number(delta)}, exact minimiser", number(exact), "tight"),
            Metric("Stopped solver, tight", number(tight), f"{number(tight - exact)} more"),
            Metric(md("Stopped solver, Thm 4.1"), *proven),
            Metric("Shift 2τ/(λσₒᵤₜ)", number(whole.second_shift), "of a Gaussian"),
        ]

    def charts(self) -> list[Chart]:
        """Charts of δ(ε) with and without an early stop, and of ε against σₒᵤₜ."""
        mode, asked = cards.theme_mode(), self.asked
        return [
            Chart("Stopped solver", lambda: figures.bounds_figure(self.sampled, mode, floor=asked.floor),
                  "Delta against epsilon with and without a stopping solver", "op_stopped"),
            Chart("Noise on the result", lambda: figures.output_noise_figure(self.budgets, asked.sigma_out, mode),
                  "Epsilon against the noise on the result", "op_output_noise"),
        ]  # fmt: skip

    def notes(self) -> list[str]:
        """Sentences computed from what is on the screen."""
        return [
            _sentence("stopping_early_second_release", self.stopped("tight").second_shift),
            _sentence("only_the_ratio_counts"),
            _sentence("gradient_bound_verified"),
        ]

    def formulas(self) -> list[FormulaCard]:
        return [ApproximateMinimaPerturbation.card]
