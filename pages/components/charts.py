"""A figure on screen, alone or beside others."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pages.components import export, running_order, say

_PLACED = "lecture_placed"  # charts of this run, while a question of the lecture is open


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure on screen.

    Parameters
    ----------
    title : its name in files
    build : draws it; none for what there is no file of, only something instead
    alt : what a screen reader says of it
    key : its own, where that is not the page's prefix with the title
    share : of the width of the row; 0 where it stands in a tab
    below : whether it stands below the chart before it, in the same column
    instead : shows something else in its place on screen
    moves : whether it follows the page's sliders
    options : of Streamlit's chart, such as what a selection does
    caption : said above it; charts with one stand two abreast, below those without
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
        """As it is drawn."""
        return self.build()

    @property
    def said(self) -> str:
        """What it shows, in one line."""
        return self.caption or self.alt


def begin() -> None:
    """No chart of this run is on screen yet."""
    st.session_state[_PLACED] = 0


def row(charts: Sequence[Chart], prefix: str = "") -> list[Any]:
    """The charts side by side, and what is selected in each; one alone takes the whole width, captions two abreast below."""
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
    """A chart where the screen is written to now, and what is selected in it; of a lecture's open question the one it needs."""
    if running_order.covered():
        st.session_state[_PLACED] += 1
        if st.session_state[_PLACED] != running_order.figure():
            return {"selection": {"points": []}}
    if chart.caption:
        say.caption(chart.caption)
    if chart.instead:
        return chart.instead()
    return export.chart(chart.figure, key=chart.key or f"{prefix}_{chart.title}", alt=chart.alt, **chart.options)
