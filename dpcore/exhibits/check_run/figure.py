"""Both certified sides of ε(δ), between the claims that hold and those that are refuted, and what a tool said as a point."""

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dpcore.figures.colors import BLUE, GREEN, INK, VERMILLION
from dpcore.figures.curves import named_dots, traces, upright
from dpcore.figures.parts import faint
from dpcore.figures.theme import decades, figure
from dpcore.profiles.curves import Curve

SIDE_COLORS = {"certified upper side": BLUE, "certified lower side": GREEN}
_ROOM = 1.1  # height of the axis in units of what must be in sight; doubled, all of it is half as high
_LARGE, _SMALL = 16, 11
_WIDE = 0.15  # share of the height from which on words fit between both sides; doubled, fewer brackets have them inside
_SHADE = 0.1  # opacity of both regions; doubled, they are louder than the curves


def bracket_figure(
    curves: Sequence[Curve], mode: str, *, delta: float, here: tuple[tuple[float, float], str], claim: tuple[float, float, str] | None,
    refuted: bool = False, tallest: float = math.inf,
) -> go.Figure:  # fmt: skip
    """ε against δ from both sides, with a bar between them at the δ looked at and the claim as a point: a cross if refuted.

    Parameters
    ----------
    curves : upper side and, if there is one, lower side
    mode : "light" or "dark"
    delta : where one looks
    here : both sides of ε there, and their words
    claim : (δ, ε) of the claim and its words
    refuted : whether the claim is
    tallest : largest ε that must be in sight
    """
    (low, high), words = here
    top = _ROOM * tallest if 0 < tallest < math.inf else None
    drawn: list[dict[str, Any]] = traces(curves, SIDE_COLORS, "ε = %{y:.5g}")
    if top is not None:
        edge = {"type": "scatter", "x": curves[0].x, "y": [top] * len(curves[0].x), "mode": "none", "hoverinfo": "skip"}
        drawn.insert(1, edge | {"fill": "tonexty", "fillcolor": faint(GREEN, _SHADE)})
    if len(curves) > 1:
        drawn[-1] |= {"fill": "tozeroy", "fillcolor": faint(VERMILLION, _SHADE)}
    bar = {"color": faint(BLUE, 0.35), "width": 12}
    drawn.append(
        {"type": "scatter", "x": [delta] * 2, "y": [low, high], "mode": "lines", "line": bar, "hoverinfo": "skip"}
    )
    under = claim is not None and claim[1] > high  # the words of the point stand below it, those of the claim above
    wide = top is not None and high - low > _WIDE * top
    drawn.append(named_dots([(delta, high, words)], [BLUE], "bottom left" if under or wide else "top right"))
    if claim is not None:
        look = (
            {"symbol": "x", "size": _LARGE}
            if refuted
            else {"symbol": "circle-open", "size": _SMALL, "line": {"width": 3}}
        )
        dot = named_dots([claim], [VERMILLION], "middle left" if refuted else "top right" if under else "bottom left")
        drawn.append(dot | {"marker": look | {"color": VERMILLION}})
    regions = [_named(1, "top", "claims up here hold", GREEN)]
    if len(curves) > 1:
        regions.append(_named(0, "bottom", "claims down here are refuted", VERMILLION))
    return figure(
        mode, [one | {"showlegend": False} for one in drawn], height=390, margin={"t": 20}, annotations=regions,
        xaxis={"title": {"text": "δ"}, **decades(3), "range": [-15, -1], "unifiedhovertitle": {"text": "δ = %{x:.1e}"}},
        yaxis={"title": {"text": "ε (nats)"}, "range": [0, top], "rangemode": "tozero"},
        shapes=[upright(mode, delta)],
    )  # fmt: skip


def _named(side: int, edge: str, words: str, color: str) -> dict[str, Any]:
    """The words of a region, in its corner: above at the right end of falling curves, below at their left end."""
    return {
        "x": side, "y": int(edge == "top"), "xref": "paper", "yref": "paper", "xanchor": "right" if side else "left", "yanchor": edge,
        "yshift": 0 if side else 24,
        "text": words, "font": {"size": 15, "color": INK[color]}, "showarrow": False,
    }  # fmt: skip
