"""The view of a loss that is no generalised linear model (GLM): where the step of the proof fails, with numbers."""

import math
from dataclasses import replace
from functools import cached_property

from dpcore.exhibits.objective_perturbation import figure as figures
from dpcore.exhibits.objective_perturbation.beyond_glm import RoundLoss
from dpcore.mechanisms import ObjectivePerturbation
from dpcore.profiles import Bound, curves
from dpcore.references import FormulaCard
from pages.components import cache, cards, say
from pages.components.cards import Metric
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import number, probability_from_log, times_from_log
from pages.understand.objective_perturbation.state import View

_sentence = say.sentences(__file__)


class Beyond(View):
    """A loss that the analysis of generalised linear models does not cover."""

    code = "beyond"

    @cached_property
    def loss(self) -> RoundLoss:
        """The loss with the L, β and dimension d chosen in the sidebar."""
        asked = self.asked
        return RoundLoss(asked.sigma, asked.lam, asked.lipschitz, asked.beta, asked.dimension)

    @cached_property
    def for_models(self) -> ObjectivePerturbation:
        """The tight profile of generalised linear models with the same L and β."""
        return replace(self.asked, monotone=False).mechanism("tight")

    @cached_property
    def sampled(self) -> list[curves.Curve]:
        end = self.asked.epsilon_max
        claimed = cache.shared(curves.guarantee_curve, "Tight", self.for_models, end, points=61)
        return [
            cache.shared(curves.delta_curve, "Round loss", self.loss, end, points=61),
            curves.Curve(claimed.name, claimed.x, claimed.y, Bound.CLAIMED, "holds for GLMs only"),
            self.asked.profile("non_glm"),
        ]

    def metrics(self) -> list[Metric]:
        """Cards for δ of the loss, δ by the analysis of GLMs, Theorem E.1, and the size of the term that differs."""
        epsilon, general = self.asked.epsilon, self.asked.mechanism("non_glm")
        exact, allowed, proven = (float(one.log_delta(epsilon)) for one in (self.loss, self.for_models, general))
        beyond = exact > allowed
        return [
            Metric(
                f"δ at ε = {number(epsilon)}, round loss", probability_from_log(exact),
                f"{times_from_log(exact - allowed)} the GLM curve", worse=beyond or None,
            ),
            Metric(
                "Tight, if it were a GLM", probability_from_log(allowed), "exceeded" if beyond else "not exceeded here",
                help="GLM: generalised linear model, whose losses have the form f(xᵀθ).",
            ),
            Metric(
                md("Thm E.1, any convex loss"),
                probability_from_log(proven) if general.says_something(epsilon) else "no guarantee",
            ),
            Metric(
                "E|bᵀ∇ℓ| ÷ Lσ, at most", number(self.loss.pull), f"{number(math.sqrt(2 / math.pi))} for a GLM",
                help="How far the record's gradient can point against the noise b, on average.",
            ),
        ]  # fmt: skip

    def charts(self) -> list[Chart]:
        """A chart of δ(ε): of the loss, the tight one of all GLMs with its constants, and that of Theorem E.1."""
        return [
            Chart("Beyond GLMs", lambda: figures.bounds_figure(self.sampled, cards.theme_mode(), floor=self.asked.floor),
                  "Delta against epsilon of a loss that is no GLM", "op_beyond")
        ]  # fmt: skip

    def notes(self) -> list[str]:
        """Sentences on where the step of the proof fails."""
        return [_sentence("the_step", self.loss.pull, self.loss.dimension), _sentence("what_follows")]

    def formulas(self) -> list[FormulaCard]:
        return [self.asked.mechanism("tight").card, self.asked.mechanism("non_glm").card]
