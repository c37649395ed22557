"""The view of the worst loss: how it moves the noise, by direct search and in closed form."""

import math
from functools import cached_property

import pandas as pd

from dpcore.exhibits.objective_perturbation import figure as figures
from dpcore.exhibits.objective_perturbation import study
from pages.components import cache, cards, say
from pages.components.cards import Metric
from pages.components.charts import Chart
from pages.components.words import number, probability_from_log
from pages.understand.objective_perturbation.state import View

_sentence = say.sentences(__file__)


class Walk(View):
    """The loss that is hardest to hide."""

    @cached_property
    def extremal(self) -> study.ExtremalCurves:
        """The worst loss by direct search."""
        asked = self.asked
        return cache.shared(study.extremal_curves, asked.epsilon, asked.sigma, asked.lam, asked.lipschitz, asked.beta)

    def metrics(self) -> list[Metric]:
        """Cards for δ computed in two ways, and for the two numbers that define the worst loss."""
        epsilon = self.asked.epsilon
        exact = float(self.asked.mechanism("tight").log_delta(epsilon, direction="remove"))
        return [
            Metric(f"δ at ε = {number(epsilon)}, direct search", number(self.extremal.delta), "record removed"),
            Metric("The same in closed form", probability_from_log(exact)),
            Metric("Largest shift Δ = L/σ", number(self.asked.lipschitz / self.asked.sigma)),
            Metric("Steepest fall κ = β/λ", number(self.asked.beta / self.asked.lam)),
        ]

    def charts(self) -> list[Chart]:
        """A chart of the worst loss, of its shift of the noise, and of the reward for that."""
        return [
            Chart("Extremal loss", lambda: figures.extremal_figure(self.extremal, cards.theme_mode()),
                  "Extremal shift of the noise, and the reward it earns", "op_walk")
        ]  # fmt: skip

    def draw(self) -> list[Chart]:
        """Draw the chart, and say where δ is seen in it."""
        shown = super().draw()
        say.markdown(_sentence("area"))
        return shown

    def data(self) -> pd.DataFrame:
        """A table of the reward against the shift."""
        return pd.DataFrame({"shift e": self.extremal.reward.x, "reward": self.extremal.reward.y})

    def notes(self) -> list[str]:
        """Sentences computed from what is on the screen."""
        kappa = self.asked.beta / self.asked.lam
        threshold = math.log1p(kappa)
        curved = "a curved part that follows the unconstrained optimum, joined to a ramp"
        regime = "one ramp of slope κ" if self.asked.epsilon <= threshold else curved
        return [
            _sentence("one_dimension", self.asked.lipschitz / self.asked.sigma, kappa),
            _sentence("worst_loss", self.asked.epsilon, threshold, regime),
            _sentence("right_of_ramp"),
        ]
