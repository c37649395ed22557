"""What each view of private training has."""

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
    """What is asked, to be shown in one way; each way says its body, notes, formulas, program and table."""

    asked: Training
    confidential: ClassVar[str] = CONFIDENTIAL

    @classmethod
    def of(cls, asked: Training) -> Self:
        """What is computed of what is asked."""
        return cls(asked)

    def headline(self) -> str:
        """The finding; of a view without one, what it is about."""
        return "What accuracy a privacy budget buys"

    def metrics(self) -> list[Metric]:
        """Cards, if there are any."""
        return []

    def charts(self) -> Sequence[Chart]:
        """Those that can be drawn now."""
        return ()

    def moving(self) -> Sequence[Chart]:
        """Those that follow a slider."""
        return ()

    def more(self) -> dict[str, Callable[[], None]]:
        """Further tabs."""
        return {"Excess risk": self.risk}

    def risk(self) -> None:
        """The chart of the excess risk, where there is one."""
        found = [chart for chart in self.charts() if chart.title == "Excess risk"]
        if not found:
            say.markdown("The live view and finished studies show measured excess risk beside its bound here.")
        for chart in found:
            place(chart)
