"""How many digits of a number two ways of computing it share, for each comparison."""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from dpcore.audit.cross_check import DIGITS, Check
from dpcore.figures.colors import BLUE, GREEN
from dpcore.figures.curves import upright
from dpcore.figures.parts import faint
from dpcore.figures.theme import THEMES, figure, plain

_FEW = 4  # comparisons of a group that have a lane each; doubled, eight bars of nearly one length are drawn
_COLORS = (BLUE, GREEN)


def agreement_figure(groups: Mapping[str, Sequence[Check]], mode: str) -> go.Figure:
    """The number of digits on which both ways agree: a dot for each comparison, and a bar up to the least of its lane.

    A group of few comparisons has a lane for each, a larger group has one lane. A line marks all digits of a float.

    Parameters
    ----------
    groups : comparisons by the name of their group
    mode : "light" or "dark"
    """
    drawn: list[dict[str, Any]] = []
    for color, (group, found) in zip(_COLORS, groups.items(), strict=True):
        few = len(found) <= _FEW
        lanes = [plain(one.what) if few else f"δ of a row ({len(found)} tried)" for one in found]
        least = min(found, key=lambda one: one.digits)
        named = [f"{one.digits:.3g}" if few else "" for one in found]
        named[found.index(least)] = f"{least.digits:.3g}" if few else plain(f"{least.what}: {least.digits:.3g}")
        bars = [one.digits for one in found] if few else [least.digits]
        drawn += [
            {
                "type": "bar", "orientation": "h", "name": plain(group), "x": bars, "y": lanes[: len(bars)], "hoverinfo": "skip",
                "marker": {"color": faint(color, 0.35), "line": {"width": 0}}, "width": 0.5,
            },
            {
                "type": "scatter", "x": [one.digits for one in found], "y": lanes, "mode": "markers+text", "showlegend": False,
                "marker": {"size": 11, "color": color}, "cliponaxis": False, "text": named,
                "textposition": "middle right" if few else "middle left", "textfont": {"size": 14},
                "customdata": [[plain(one.what), f"{one.first:.15e}", f"{one.second:.15e}"] for one in found],
                "hovertemplate": "%{customdata[0]}: %{x:.1f} digits<br>%{customdata[1]}<br>%{customdata[2]}<extra></extra>",
            },
        ]  # fmt: skip
    all_there_are = {
        "x": DIGITS, "y": 1, "yref": "paper", "xanchor": "right", "yanchor": "bottom", "showarrow": False,
        "text": "double precision: 16", "font": {"size": 12, "color": THEMES[mode].muted},
    }  # fmt: skip
    return figure(
        mode,
        drawn,
        height=330,
        hovermode="closest",
        xaxis={
            "title": {"text": "digits on which two independent computations agree"},
            "range": [0, DIGITS + 1],
            "dtick": 2,
        },
        yaxis={"autorange": "reversed", "type": "category"},
        shapes=[upright(mode, DIGITS)],
        annotations=[all_there_are],
    )
