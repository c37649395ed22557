"""Parts that many figures are made of: a named line, points, panels side by side, colours that let others through."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dpcore.figures.colors import BLUE
from dpcore.figures.theme import THEMES, plain, template


def line(
    fig: go.Figure, x: Iterable[Any], y: Iterable[Any], name: str, color: str, dash: str | None, width: float,
    hover: str | None, **more: Any,
) -> None:  # fmt: skip
    """A named line.

    Parameters
    ----------
    fig : to which it is added
    x, y, name : its points, and what the legend says
    color, dash, width : its look; None for a solid line
    hover : what is said over it; None says nothing
    more : further parts of the trace
    """
    look = {"color": color, "width": width} | ({"dash": dash} if dash else {})
    told = {"hovertemplate": hover} if hover else {"hoverinfo": "skip"}
    fig.add_scatter(x=x, y=y, name=plain(name), line=look, **{"mode": "lines"} | told | more)


def dots(
    fig: go.Figure, x: Iterable[Any], y: Iterable[Any], name: str, marker: dict[str, Any], hover: str | None, **more: Any
) -> None:  # fmt: skip
    """Named marks.

    Parameters
    ----------
    fig : to which they are added
    x, y, name : where they are, and what the legend says
    marker : their look
    hover : what is said over one; None says nothing
    more : further parts of the trace
    """
    told = {"hovertemplate": hover} if hover else {"hoverinfo": "skip"}
    fig.add_scatter(x=x, y=y, name=plain(name), marker=marker, **{"mode": "markers"} | told | more)


def bars(fig: go.Figure, edges: Sequence[float], counts: Iterable[Any], name: str, mode: str, **more: Any) -> None:
    """Bars that fill their bins, a hair apart.

    Parameters
    ----------
    fig : to which they are added
    edges, counts : of the bins, and what is in each
    name : what the legend says
    mode : "light" or "dark"
    more : further parts of the trace
    """
    bins = list(pairwise(edges))
    hair = {"color": BLUE, "line": {"width": 0.5, "color": THEMES[mode].background}}
    fig.add_bar(
        x=[(a + b) / 2 for a, b in bins], y=counts, width=[b - a for a, b in bins], name=plain(name), marker=hair, **more,
    )  # fmt: skip


def panels(mode: str, titles: Sequence[str], *, height: int, widths: Sequence[float] | None = None) -> go.Figure:
    """Panels side by side under their titles, with one legend below all of them."""
    fig = make_subplots(cols=len(titles), horizontal_spacing=0.1, subplot_titles=list(titles), column_widths=widths)
    legend = {"y": -0.2, "yanchor": "top"}
    fig.update_layout(template=template(mode), height=height, hovermode="closest", legend=legend, margin={"t": 36})
    fig.update_annotations(font_color=THEMES[mode].text, font_size=14)
    return fig


def faint(color: str, share: float = 0.13) -> str:
    """A colour that lets what is behind it through."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share:g})"
