"""Both certified sides of ε(δ), and what a tool said as a point: a ring where it can hold, a cross where it is refuted."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from dpcore.figures.colors import BLUE, GREEN, VERMILLION
from dpcore.figures.curves import named_dots, traces, upright
from dpcore.figures.parts import faint
from dpcore.figures.theme import decades, figure
from dpcore.profiles.curves import Curve

SIDE_COLORS = {"certified upper side": BLUE, "certified lower side": GREEN}
_ROOM = 1.1  # height of the axis in units of what must be in sight; doubled, all of it is half as high
_LARGE, _SMALL = 16, 11


def bracket_figure(
    curves: Sequence[Curve], mode: str, *, delta: float, here: tuple[float, str], claim: tuple[float, float, str] | None,
    refuted: bool = False, tallest: float = math.inf,
) -> go.Figure:  # fmt: skip
    """ε against δ from both sides, with a line at the δ looked at and the claim as a point.

    Parameters
    ----------
    curves : upper side and, if there is one, lower side
    mode : "light" or "dark"
    delta : where one looks
    here : ε there, and its words
    claim : (δ, ε) of the claim and its words
    refuted : whether the claim is
    tallest : largest ε that must be in sight
    """
    drawn = traces([*curves[1:], *curves[:1]], SIDE_COLORS, "ε = %{y:.5g}")
    if len(drawn) > 1:
        drawn[1] |= {"fill": "tonexty", "fillcolor": faint(BLUE, 0.12)}
    under = claim is not None and claim[1] > here[0]  # the words of the point stand below it, those of the claim above
    drawn.append(named_dots([(delta, *here)], [BLUE], "bottom left" if under else "top right"))
    if claim is not None:
        look = (
            {"symbol": "x", "size": _LARGE}
            if refuted
            else {"symbol": "circle-open", "size": _SMALL, "line": {"width": 3}}
        )
        dot = named_dots([claim], [VERMILLION], "middle right" if refuted else "top right" if under else "bottom left")
        drawn.append(dot | {"marker": look | {"color": VERMILLION}})
    top = _ROOM * tallest if 0 < tallest < math.inf else None
    return figure(
        mode, drawn, height=390,
        xaxis={"title": {"text": "δ"}, **decades(3), "range": [-15, -1], "unifiedhovertitle": {"text": "δ = %{x:.1e}"}},
        yaxis={"title": {"text": "ε (nats)"}, "range": [0, top], "rangemode": "tozero"},
        shapes=[upright(mode, delta)],
    )  # fmt: skip
