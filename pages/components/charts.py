"""Figures on screen, alone or side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pages.components import export, running_order, say

_PLACED = "lecture_placed"  # key of the number of charts in this run so far, while a question of the lecture is open


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure on screen.

    Parameters
    ----------
    title : its name in files
    build : function that draws it; None if there is no file of it, but only `instead`
    alt : description for screen readers
    key : its key; by default the page's prefix with the title
    share : its share of the width of the row; 0 if it stands in a tab
    below : whether it stands below the chart before it, in the same column
    instead : function that shows something else in its place on screen
    moves : whether it follows the page's sliders
    options : options of Streamlit's chart, such as what a selection does
    caption : text above it; charts with a caption stand two in a row, below those without
    """

    title: str
    build: Callable[[], go.Figure] | None
    alt: str
    key: str = ""
    share: int = 1
    below: bool = False
    instead: Callable[[], object] | None = None
    moves: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)
    caption: str = ""

    @cached_property
    def figure(self) -> go.Figure:
        """The drawn figure."""
        return self.build()

    @property
    def said(self) -> str:
        """What the chart shows, in one line."""
        return self.caption or self.alt


def begin() -> None:
    """Begin a run: no chart is on screen yet."""
    st.session_state[_PLACED] = 0


def row(charts: Sequence[Chart], prefix: str = "") -> list[Any]:
    """Show charts side by side; returns what is selected in each.

    A single chart takes the whole width. Charts with captions stand two in a row, below the others.
    """
    titled = [chart for chart in charts if chart.caption]
    selected = _abreast([chart for chart in charts if not chart.caption], prefix)
    for start in range(0, len(titled), 2):
        selected += _abreast(titled[start : start + 2], prefix, 2)
    return selected


def _abreast(charts: Sequence[Chart], prefix: str, least: int = 1) -> list[Any]:
    if len(charts) < 2 and least == 1:
        return [place(chart, prefix) for chart in charts]
    shares = [chart.share for chart in charts if not chart.below]
    columns, column, selected = st.columns(shares + [1] * (least - len(shares)), gap="small"), 0, []
    for chart in charts:
        with columns[column - chart.below]:
            selected.append(place(chart, prefix))
        column += not chart.below
    return selected


def place(chart: Chart, prefix: str = "") -> Any:
    """Show a chart at the current place; returns what is selected in it.

    While a question of the lecture is open, only the chart that it needs is shown.
    """
    if running_order.covered():
        st.session_state[_PLACED] += 1
        if st.session_state[_PLACED] != running_order.figure():
            return {"selection": {"points": []}}
    if chart.caption:
        say.caption(chart.caption)
    if chart.instead:
        return chart.instead()
    return export.chart(chart.figure, key=chart.key or f"{prefix}_{chart.title}", alt=chart.alt, **chart.options)
