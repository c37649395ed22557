"""The digits of numbers computed two ways, one above the other."""

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from dpcore.audit.cross_check import DIGITS, Check
from dpcore.figures.colors import BLUE, INK, VERMILLION
from dpcore.figures.parts import faint
from dpcore.figures.theme import THEMES, figure, plain

_PIXELS = 20.6  # height of a line; doubled, eight numbers no longer fit above the slider
_GAP = 0.36  # of that height, what stays empty between two numbers
_MONOSPACED = "ui-monospace, Menlo, Consolas, monospace"


def digits_figure(found: Mapping[str, Check], mode: str, *, chosen: str = "") -> go.Figure:
    """Both ways to each number, digit above digit: blue as long as they are the same, then orange; the least in words.

    Parameters
    ----------
    found : comparisons by their names
    mode : "light" or "dark"
    chosen : the name that is set in bold
    """
    middles = [2 * i + 1 for i in range(len(found))]
    same: list[list[int | None]] = []
    other: list[list[int | None]] = []
    for check in found.values():
        for text in check.lines:
            digits, k = [int(one) for one in text], check.digits
            same.append([*digits[:k], *[None] * (DIGITS - k)])
            other.append([*[None] * k, *digits[k:]])
    places = [place - 0.5 for place in range(1, DIGITS + 2)]
    cells: dict[str, Any] = {
        "type": "heatmap", "x": places, "y": list(range(2 * len(found) + 1)), "texttemplate": "%{z}",
        "textfont": {"size": 14, "family": _MONOSPACED, "color": THEMES[mode].text},
        "showscale": False, "hoverinfo": "skip", "xgap": 1, "ygap": 1, "zmin": 0, "zmax": 9, "hoverongaps": False,
    }  # fmt: skip
    least = min(check.digits for check in found.values())
    weakest = [check.digits == least for check in found.values()]
    counts = {
        "type": "scatter", "x": [DIGITS + 1.2] * len(found), "y": middles, "mode": "text",
        "text": [f"<b>{one.digits}</b>" if weak else f"{one.digits}" for one, weak in zip(found.values(), weakest, strict=True)],
        "textfont": {"size": 16, "color": [INK[VERMILLION] if weak else BLUE for weak in weakest]},
        "showlegend": False,
        "customdata": [[plain(one.what), f"{one.first:.15e}", f"{one.second:.15e}", one.how] for one in found.values()],
        "hovertemplate": "%{customdata[0]}<br>formula %{customdata[1]}<br>%{customdata[3]} %{customdata[2]}<extra></extra>",
    }  # fmt: skip
    names = [f"<b>{plain(name)}</b>" if name == chosen else plain(name) for name in found]
    heading = {
        "x": DIGITS + 1.2, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False, "text": "equal", "font": {"size": 13},
    }  # fmt: skip
    return figure(
        mode,
        [
            cells | {"z": same, "colorscale": _one(faint(BLUE, 0.3))},
            cells | {"z": other, "colorscale": _one(faint(VERMILLION, 0.55))},
            counts,
        ],
        height=round(2 * _PIXELS * len(found)) + 66,
        hovermode="closest",
        margin={"t": 26, "b": 40, "l": 10, "r": 8},
        showlegend=False,
        xaxis={
            "range": [0.5, DIGITS + 1.9], "tickvals": [1, 4, 8, 12, 16], "showgrid": False, "zeroline": False,
            "title": {"text": "significant digit", "standoff": 4},
        },
        yaxis={
            "range": [2 * len(found), 0], "tickmode": "array", "tickvals": middles, "ticktext": names, "showgrid": False, "zeroline": False,
            "automargin": True,
        },
        annotations=[heading],
        shapes=[_gap(place, mode) for place in range(2, 2 * len(found), 2)],
    )  # fmt: skip


def _gap(place: int, mode: str) -> dict[str, Any]:
    """Empty space between two numbers."""
    return {
        "type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": place - _GAP / 2, "y1": place + _GAP / 2,
        "fillcolor": THEMES[mode].background, "line": {"width": 0},
    }  # fmt: skip


def _one(color: str) -> list[tuple[float, str]]:
    """A scale of one colour."""
    return [(0.0, color), (1.0, color)]
