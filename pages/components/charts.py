"""Figures on screen, alone or side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from dpcore.figures.theme import restyle
from pages.components import cards, export, running_order, say

_PLACED = "lecture_placed"  # key of the number of charts in this run so far, while a question of the lecture is open
_ASIDE = "charts_aside"  # key of the place of all charts but the first, in this run


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
    instead : function that shows something else in its place on screen
    moves : whether it follows the page's sliders
    options : options of Streamlit's chart, such as what a selection does
    caption : text above it
    """

    title: str
    build: Callable[[], go.Figure] | None
    alt: str
    key: str = ""
    share: int = 1
    instead: Callable[[], object] | None = None
    moves: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)
    caption: str = ""

    @cached_property
    def figure(self) -> go.Figure:
        """The drawn figure in the reader's theme."""
        drawn, mode = self.build(), cards.theme_mode()
        return drawn if mode == "light" else restyle(drawn, mode)

    @property
    def said(self) -> str:
        """What the chart shows, in one line."""
        return self.caption or self.alt


def begin(aside: Any) -> None:
    """Begin a run: no chart is on screen yet, and all but the first will stand at the place `aside`."""
    st.session_state[_PLACED], st.session_state[_ASIDE] = 0, aside


def aside() -> Any:
    """The place of all charts but the first, below the cards."""
    return st.session_state[_ASIDE]


def row(charts: Sequence[Chart], prefix: str = "") -> list[Any]:
    """Show the first chart over the whole width, and the others below the cards; returns what is selected in each."""
    selected = [place(chart, prefix) for chart in charts[:1]]
    with aside():
        for start in range(1, len(charts), 2):
            selected += abreast(charts[start : start + 2], prefix)
    return selected


def abreast(charts: Sequence[Chart], prefix: str = "") -> list[Any]:
    """Show charts side by side, by their shares of the width; returns what is selected in each."""
    if len(charts) == 1:
        return [place(charts[0], prefix)]
    selected = []
    for column, chart in zip(st.columns([chart.share for chart in charts], gap="small"), charts, strict=True):
        with column:
            selected.append(place(chart, prefix))
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
