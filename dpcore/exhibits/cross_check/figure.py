"""How many digits of a number two ways of computing it share, for each comparison."""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from dpcore.audit.cross_check import DIGITS, Check
from dpcore.figures.colors import BLUE, GREEN
from dpcore.figures.curves import upright
from dpcore.figures.theme import THEMES, figure, plain

_ROW, _REST = 19, 120  # height in pixels of one comparison, and of axis and legend together
_COLORS = (BLUE, GREEN)


def _all_there_are(mode: str) -> dict[str, Any]:
    """What the upright line is."""
    return {
        "x": DIGITS, "y": 1, "yref": "paper", "xanchor": "right", "yanchor": "bottom", "showarrow": False,
        "text": "double precision: 16", "font": {"size": 12, "color": THEMES[mode].muted},
    }  # fmt: skip


def agreement_figure(groups: Mapping[str, Sequence[Check]], mode: str) -> go.Figure:
    """A bar for each comparison: the number of digits on which both ways agree. A line marks all digits of a float.

    Parameters
    ----------
    groups : comparisons by the name of their group
    mode : "light" or "dark"
    """
    bars = [
        go.Bar(
            name=plain(group), orientation="h", marker={"color": color}, x=[one.digits for one in found],
            y=[plain(one.what) for one in found], text=[f"{one.digits:.3g}" for one in found], textposition="outside",
            textfont={"size": 12}, customdata=[[one.first, one.second] for one in found], cliponaxis=False,
            hovertemplate="%{y}: %{x:.1f} digits<br>%{customdata[0]:.15e}<br>%{customdata[1]:.15e}<extra></extra>",
        )
        for color, (group, found) in zip(_COLORS, groups.items(), strict=True)
    ]  # fmt: skip
    return figure(
        mode,
        bars,
        height=_REST + _ROW * sum(map(len, groups.values())),
        hovermode="closest",
        bargap=0.3,
        xaxis={
            "title": {"text": "decimal digits shared with a quadrature or a refit"},
            "range": [0, DIGITS + 1],
            "dtick": 2,
        },
        yaxis={"autorange": "reversed", "type": "category", "tickfont": {"size": 12}},
        shapes=[upright(mode, DIGITS)],
        annotations=[_all_there_are(mode)],
    )
