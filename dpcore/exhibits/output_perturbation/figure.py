"""Output perturbation against λ: sensitivity and noise, and its two errors, of which one grows and one falls."""

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dpcore.figures.colors import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION
from dpcore.figures.curves import named_dots, steady_ends, traces, upright
from dpcore.figures.theme import THEMES, decades, figure, plain, two_columns
from dpcore.profiles.curves import Curve

COLORS = {
    "Sensitivity L/λ": VERMILLION,
    "Adversarial data": PURPLE,
    "Measured change": GREEN,
    "Analytic noise": BLUE,
    "Classical noise": ORANGE,
    "Bias": PURPLE,
    "Spread": VERMILLION,
    "Total, measured": BLUE,
    "Bound on the mean": GREEN,
    "Bound by χ²": ORANGE,
    "Without smoothness": "#8C6D31",
    "Bound of the lecture": SKY,
    "Noise in objective": "#9467BD",
}

# Ratio of two λs within which the words of both would meet. Doubled, the words of some points stand on their curve.
_NEAR = 4.0
# Where each curve is named: the step through the λs at which it is in sight, the number of steps, and the side.
_NAMED = {"Bias": (1, 1, "top left"), "Spread": (-1, 0, "top right"), "Total, measured": (1, 2, "top right")}
_ROOM = 0.2  # decades above the point looked at, for its words
# Decades in sight below the smallest total. Doubled, bias and noise are in sight where they do not matter.
_BELOW = 1
_IN_WORDS = {"Bias": "bias", "Spread": "noise", "Total, measured": "total"}
_ABOVE = 3  # decades in sight above the smallest total, unless the λ looked at costs more


def lambda_figure(
    curves: Sequence[Curve], at: float, title: str, mode: str, *, across: str = "regularisation λ",
    marked: Sequence[tuple[float, float, str]] = (),
) -> go.Figure:  # fmt: skip
    """Curves against λ on logarithmic axes, the λ looked at as a line.

    Parameters
    ----------
    curves : what to draw
    at : λ of the line
    title : of the vertical axis
    mode : "light" or "dark"
    across : title of the axis of λ
    marked : the best point of the total and the one looked at, each with its words; empty for none
    """
    lines = traces(curves, COLORS, "%{y:.3g}")
    for trace, curve in zip(lines, curves, strict=True):
        trace["name"] = plain(_label(curve))
        if curve.name == "Total, measured":
            trace["line"] |= {"width": 4, "dash": "solid"}
    alone = {curve.name for curve in curves} == set(_NAMED)
    # noise in the objective may cost any amount if λ is too small for the budget: it does not decide the axis
    ends = steady_ends([curve for curve in curves if curve.name != "Noise in objective"], 1)
    if alone:
        total = next(curve for curve in curves if curve.name == "Total, measured")
        low = math.floor(math.log10(min(total.y)))
        high = max([low + _ABOVE, *(math.ceil(math.log10(lost) + _ROOM) for _, lost, _ in marked)])
        ends = (low - _BELOW, min(ends[1], high))
    return figure(
        mode,
        [
            *lines,
            *([_names(curves, 10.0 ** ends[0], 10.0 ** ends[1])] if alone else []),
            *([_marks(marked)] if marked else []),
        ],
        showlegend=not alone,
        margin={"t": 30 if alone else 64},
        height=400,
        xaxis={
            "title": {"text": plain(across)}, **decades(), "unifiedhovertitle": {"text": "λ = %{x:.3g}"},
            "range": [math.log10(curves[0].x[0]), math.log10(curves[0].x[-1])],
        },
        yaxis={"title": {"text": plain(title)}, **decades(2), "range": list(ends)},
        shapes=[upright(mode, at)],
        annotations=_sides(mode) if alone else [],
        legend=two_columns(trace["name"] for trace in lines),
    )  # fmt: skip


def _sides(mode: str) -> list[dict[str, Any]]:
    """What is wrong on either side of the best λ, in words where no curve is."""
    look = {"xref": "paper", "yref": "paper", "showarrow": False, "font": {"size": 16, "color": THEMES[mode].muted}}
    return [
        {
            **look,
            "x": 0.02,
            "y": 0.04,
            "xanchor": "left",
            "yanchor": "bottom",
            "align": "left",
            "text": "too little λ:<br>noise decides",
        },
        {
            **look,
            "x": 0.98,
            "y": 0.96,
            "xanchor": "right",
            "yanchor": "top",
            "align": "right",
            "text": "too much λ:<br>bias decides",
        },
    ]


def _marks(marked: Sequence[tuple[float, float, str]]) -> dict[str, Any]:
    """The best λ and the one looked at, whose words stand where neither a curve nor those of the best are."""
    (best, *_), (here, *_) = marked
    near = max(here / best, best / here) < _NEAR
    beside = {(True, False): "top right", (False, True): "bottom right"}.get((here < best, near), "bottom left")
    names = named_dots(marked, [COLORS["Total, measured"]] * len(marked), ["top right", beside])
    names["text"][0] += "<br>\u00a0"  # an empty line, since the total rises on the right of the best point
    names["text"][1] = ("\u00a0<br>" if beside == "bottom left" else "") + names["text"][1]
    return names | {"cliponaxis": False}


def _names(curves: Sequence[Curve], lowest: float, highest: float) -> dict[str, Any]:
    """The names of bias, noise and total, each at its curve between the ends of the axis, in place of a legend."""
    found = []
    for curve in curves:
        step, inside, _ = _NAMED[curve.name]
        seen = [(x, y) for x, y in zip(curve.x.tolist(), curve.y.tolist(), strict=True) if 2 * lowest < y < highest]
        place = seen[::step]
        if place:
            found.append((*place[min(inside, len(place) - 1)], curve))
    names = named_dots(
        [(x, y, _label(curve)) for x, y, curve in found],
        [COLORS[curve.name] for *_, curve in found],
        [_NAMED[curve.name][2] for *_, curve in found],
    )
    return names | {"mode": "text", "textfont": names["textfont"] | {"size": 16}}


def _label(curve: Curve) -> str:
    return "Classical, refuted" if curve.bound.value.startswith("claimed") else _IN_WORDS.get(curve.name, curve.name)
