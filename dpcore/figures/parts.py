"""Parts that many figures are made of: named lines, points and bars, panels side by side, transparent colours."""

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
    """Add a named line to a figure.

    Parameters
    ----------
    fig : the figure to which it is added
    x, y, name : its points, and its name in the legend
    color, dash, width : its look; `dash` is None for a solid line
    hover : text shown under the pointer; None shows none
    more : further parts of the trace
    """
    look = {"color": color, "width": width} | ({"dash": dash} if dash else {})
    told = {"hovertemplate": hover} if hover else {"hoverinfo": "skip"}
    fig.add_scatter(x=x, y=y, name=plain(name), line=look, **{"mode": "lines"} | told | more)


def dots(
    fig: go.Figure, x: Iterable[Any], y: Iterable[Any], name: str, marker: dict[str, Any], hover: str | None, **more: Any
) -> None:  # fmt: skip
    """Add named marks to a figure.

    Parameters
    ----------
    fig : the figure to which they are added
    x, y, name : their places, and their name in the legend
    marker : their look
    hover : text shown under the pointer; None shows none
    more : further parts of the trace
    """
    told = {"hovertemplate": hover} if hover else {"hoverinfo": "skip"}
    fig.add_scatter(x=x, y=y, name=plain(name), marker=marker, **{"mode": "markers"} | told | more)


def bars(fig: go.Figure, edges: Sequence[float], counts: Iterable[Any], name: str, mode: str, **more: Any) -> None:
    """Add bars that fill their bins, with a hairline between them.

    Parameters
    ----------
    fig : the figure to which they are added
    edges, counts : edges of the bins, and the count of each bin
    name : name in the legend
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
    """A transparent colour; `share` is its opacity."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share:g})"
