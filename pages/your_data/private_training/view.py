"""The base class of the views of private training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from pages.components import say
from pages.components.cards import Metric
from pages.components.charts import Chart, place
from pages.your_data.private_training.asked import Training

CONFIDENTIAL = "These numbers are computed from the training and test rows without noise: they are for exploring, not for publishing."


@dataclass(frozen=True)
class View:
    """The choices, shown in one way; each subclass has its own body, notes, formulas, program and table."""

    asked: Training
    confidential: ClassVar[str] = CONFIDENTIAL

    @classmethod
    def of(cls, asked: Training) -> Self:
        """Make the view for these choices."""
        return cls(asked)

    def headline(self) -> str:
        """The finding as a headline, or the subject of a view that has none."""
        return "What accuracy a privacy budget buys"

    def metrics(self) -> list[Metric]:
        """Cards, if there are any."""
        return []

    def charts(self) -> Sequence[Chart]:
        """The charts that can be drawn now."""
        return ()

    def moving(self) -> Sequence[Chart]:
        """The charts that follow a slider."""
        return ()

    def more(self) -> dict[str, Callable[[], None]]:
        """Further tabs."""
        return {"Excess risk": self.risk}

    def risk(self) -> None:
        """Show the chart of the excess risk, if there is one."""
        found = [chart for chart in self.charts() if chart.title == "Excess risk"]
        if not found:
            say.markdown("The live view and finished studies show measured excess risk beside its bound here.")
        for chart in found:
            place(chart)
