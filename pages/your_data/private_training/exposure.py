"""Private training: what one run of noisy gradient descent gives away about each row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pandas as pd

import dpcore as dp
from dpcore.exhibits.training.charged_figure import charged_figure
from dpcore.exhibits.training.exposure import by_target
from dpcore.learners.gradient_norms import DescentExposure
from dpcore.references import FormulaCard
from pages.components import cache, cards, say
from pages.components.charts import Chart, row
from pages.components.words import number, programs, times
from pages.your_data.private_training.asked import Training
from pages.your_data.private_training.learners import usable
from pages.your_data.private_training.view import CONFIDENTIAL, View

_sentence, _program = say.sentences(__file__), programs(__file__)


@dataclass(frozen=True)
class Exposure(View):
    """ε of every row from the norms of its gradients along one run."""

    found: DescentExposure

    @classmethod
    def of(cls, asked: Training) -> Exposure:
        """Run the descent once, and bound each row's ε."""
        learner = replace(usable(asked.loss, asked.epochs)["sgd"], epsilon=asked.epsilon, delta=asked.delta)
        with say.spinner("One run of noisy gradient descent", show_time=True):
            return cls(asked, cache.in_session(_run, asked.dataset, learner))

    @property
    def median(self) -> float:
        """ε of the median row."""
        return float(pd.Series(self.found.epsilon).median())

    def headline(self) -> str:
        """ε of the median row, and the ε that is charged for every row."""
        return f"Each row is charged ε = {number(self.found.worst_case)}; half cost at most {number(self.median)}"

    def metrics(self) -> list[cards.Metric]:
        """Cards for the median and the most exposed row, for what is charged, and for the norms of the gradients."""
        found = self.found
        return [
            cards.Metric(
                "Median row", f"ε ≤ {number(self.median)}", f"charged {times(found.worst_case / self.median)}"
            ),
            cards.Metric("Most exposed row", f"ε ≤ {number(float(found.epsilon.max()))}"),
            cards.Metric(
                "Charged for any row", f"ε = {number(found.worst_case)}", f"at δ = {number(self.asked.delta)}"
            ),
            cards.Metric("Gradient over C, mean", number(float(found.norm.mean())), "1 is clipped at every step"),
        ]

    def charts(self) -> list[Chart]:
        """The histogram of ε over the rows."""
        return [
            Chart("Exposure of rows", lambda: charged_figure(self.found, self.median, cards.theme_mode()),
                  "Rows by the epsilon that one run gave away, and the epsilon charged", "tr_chart_exposure",
                  caption=_sentence("short_gradients_hide_better")),
        ]  # fmt: skip

    def body(self) -> list[Chart]:
        """Draw the histogram."""
        row(self.charts())
        return self.charts()

    def more(self) -> dict[str, Callable[[], None]]:
        """A tab with the groups of rows."""
        return {"Groups": lambda: say.table(by_target(self.asked.dataset, self.found), hide_index=True)}

    def data(self) -> pd.DataFrame:
        """ε of each row, and its mean gradient norm over C."""
        rows = range(1, len(self.found.epsilon) + 1)
        return pd.DataFrame({"row": rows, "epsilon": self.found.epsilon, "gradient_over_C": self.found.norm})

    def notes(self) -> list[str]:
        """What the numbers bound, and why they stay private."""
        return [_sentence("bound_of_this_run"), _sentence("rounded_up"), CONFIDENTIAL]

    def formulas(self) -> list[FormulaCard]:
        """The formula card of DP-SGD."""
        return [dp.DPSGD.card]

    def program(self) -> str:
        """The lines of dpcore behind the numbers."""
        asked = self.asked
        return _program("exposure", loss=asked.loss, epsilon=asked.epsilon, delta=asked.delta, epochs=asked.epochs)


def _run(dataset: dp.Dataset, learner: dp.DPSGD) -> DescentExposure:
    return dp.learners.descent_exposure(dataset, learner, 0)
