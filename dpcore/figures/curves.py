"""Privacy profile, trade-off and Rényi figures."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from dpcore.figures.colors import INK, PALETTE
from dpcore.figures.theme import LINE_STYLES, THEMES, decades, figure, plain
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve, Segment

Point = tuple[float | None, float | None]
# An axis whose last value is fewer times its first has ticks at 1, 2 and 5; a longer one only at powers of ten.
_FEW_DECADES = 500.0
# An axis whose last value is fewer times its first may contain none of the ticks 1, 2 and 5, so Plotly chooses them.
_WITHIN_ONE = 3.0
NAMED = 2  # most curves that are named where they cross the target; names of more would meet
_RIGHT = 0.6  # share of the ε axis beyond which words stand left of their point. Doubled, they leave the figure
_ROUND_OFF = 1e-6  # share of an axis step by which a curve may exceed an end without moving it
# Exponents at the ends of the axis of the divergence. If a curve lies outside, an end moves by steps of three.
_RENYI_DECADES = (-3, 3)


def add_curves(fig: go.Figure, curves: Sequence[Curve], *, colors: Mapping[str, str], hover: str) -> None:
    """Draw curves. The name decides the colour, the kind of bound the line style; `hover` is a template of a value."""
    fig.add_traces(traces(curves, colors, hover))


def traces(curves: Sequence[Curve], colors: Mapping[str, str], hover: str) -> list[dict[str, Any]]:
    """Curves as traces, for a figure that is built from all its traces at once."""
    return [
        {"type": "scatter", "x": one.x, "y": one.y, **_style(one, colors), "hovertemplate": hover} for one in curves
    ]


def _style(curve: Curve, colors: Mapping[str, str]) -> dict[str, Any]:
    marker = {"symbol": "x", "size": 8, "maxdisplayed": 16} if curve.bound is Bound.CLAIMED else None
    return {
        "name": f"{plain(curve.name)} — {plain(curve.note or curve.bound.value)}",
        "mode": "lines+markers" if marker else "lines",
        "marker": marker,
        "line": {"color": colors[curve.name], **LINE_STYLES[curve.bound]},
    }


def palette(names: Sequence[str]) -> dict[str, str]:
    """A colour for each name, in the order of the colour-blind-safe palette."""
    return {name: PALETTE[i % len(PALETTE)] for i, name in enumerate(names)}


def delta_figure(
    curves: Sequence[Curve],
    mode: str,
    *,
    colors: Mapping[str, str],
    log_scale: bool,
    target: float,
    look_at: tuple[float, float],
    prices: Sequence[tuple[float, str]] = (),
) -> go.Figure:
    """δ(ε) of several mechanisms, the target δ as a line with ε of each on it, and the point looked at as a ring.

    Parameters
    ----------
    curves : one for each mechanism
    mode : "light" or "dark"
    colors : by name of curve
    log_scale : whether the axis of δ is logarithmic
    target : δ of the line
    look_at : (ε, δ) of the ring
    prices : ε of each curve at the target, in words, which are the names of few curves too
    """
    right = max((float(curve.x[-1]) for curve in curves), default=1.0)
    lowest = min(1e-10, target / 100) if log_scale else 0.0
    ring, words = looked_at(look_at, right, lowest)
    return figure(
        mode,
        [
            *traces(curves, colors, "δ = %{y:.3g}"),
            ring_trace(mode, ring) | _ring_words(mode, ring),
            named_dots(
                [(price, target, words) for price, words in prices],
                [*colors.values()],
                ["bottom left" if price > _RIGHT * right else "top right" for price, _ in prices],
                right=right,
            ),
        ],
        height=390,
        showlegend=len(curves) > NAMED,
        xaxis={"title": {"text": "ε (nats)"}, "range": [0, right], "unifiedhovertitle": {"text": "ε = %{x:.3f}"}},
        yaxis=log_probability_axis(lowest) if log_scale else {"title": {"text": "δ"}, "range": [0, 1]},
        shapes=[across(mode, target)],
        annotations=[in_the_corner(mode, words)],
    )


def _ring_words(mode: str, ring: Point) -> dict[str, Any]:
    """δ at the ring, in words beside it."""
    words = "" if ring[0] is None else f"δ({ring[0]:.3g}) = {ring[1]:.3g}"
    look = {"size": 12, "color": THEMES[mode].muted}
    return {"mode": "markers+text", "text": [words], "textposition": "top right", "textfont": look}


def looked_at(point: tuple[float, float], right: float, lowest: float) -> tuple[tuple[Any, Any], str]:
    """The place of the ring and "", or no place and words that say where the point lies outside of the axes."""
    if point[0] <= right and point[1] >= lowest:
        return point, ""
    if point[0] > right:
        return (None, None), f"ε = {point[0]:.3g} lies right of the axis"
    return (None, None), f"at ε = {point[0]:.3g} δ lies below the axis"


def in_the_corner(mode: str, words: str) -> dict[str, Any]:
    """An annotation in the upper right corner, for a point outside of the axes."""
    return {
        "x": 1, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "top", "showarrow": False,
        "text": plain(words), "font": {"size": 13, "color": THEMES[mode].text}, "bgcolor": THEMES[mode].background,
    }  # fmt: skip


def ring_trace(mode: str, *points: Point) -> dict[str, Any]:
    """The points looked at as rings; a point at (None, None) is not seen."""
    return {
        "type": "scatter",
        "x": [x for x, _ in points],
        "y": [y for _, y in points],
        "mode": "markers",
        "marker": {"symbol": "circle-open", "size": 12, "line": {"width": 2.5}, "color": THEMES[mode].text},
        "showlegend": False,
        "hoverinfo": "skip",
    }


def named_dots(
    points: Sequence[tuple[float, float, str]], colors: Sequence[str], place: Any = "top right", *, right: float = math.inf
) -> dict[str, Any]:  # fmt: skip
    """Points that the headline speaks of, each with its words.

    Parameters
    ----------
    points : (x, y, words) of each
    colors, place : of each, and where the words stand beside it
    right : end of the axis, beyond which nothing is seen
    """
    return {
        "type": "scatter",
        "x": [x if x <= right else None for x, _, _ in points],
        "y": [y for _, y, _ in points],
        "mode": "markers+text",
        "marker": {"size": 9, "color": list(colors)},
        "text": [f"<b>{plain(words)}</b>" for _, _, words in points],
        "textposition": place,
        "textfont": {"size": 14, "color": [INK.get(color, color) for color in colors]},
        "showlegend": False,
        "hoverinfo": "skip",
    }


def upright(mode: str, x: float) -> dict[str, Any]:
    """A vertical line through the whole figure at the value looked at."""
    line = {"color": THEMES[mode].muted, "width": 1, "dash": "dash"}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line}


def across(mode: str, y: float) -> dict[str, Any]:
    """A horizontal line through the whole figure at a value of y."""
    line = {"color": THEMES[mode].muted, "width": 1, "dash": "dash"}
    return {"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": y, "y1": y, "line": line}


def log_probability_axis(floor: float) -> dict[str, Any]:
    """A logarithmic δ axis from 1 down to the floor, labelled in powers of ten."""
    lowest = math.floor(math.log10(floor))
    exponents = list(range(0, lowest - 1, -max(1, -lowest // 5)))
    named = ["1" if e == 0 else f"10<sup>−{-e:d}</sup>" for e in exponents]
    ticks = {"tickvals": [10.0**e for e in exponents], "ticktext": named}
    return dict(type="log", title={"text": "δ"}, range=[lowest, 0.05], **ticks)


def largest_ratio(values: Iterable[float]) -> float:
    """The largest over the smallest of the values that a logarithmic axis can show; 1 if there are none."""
    shown = [float(value) for value in values if 0 < value < math.inf]
    return max(shown) / min(shown) if shown else 1.0


def log_axis(update: Callable[..., object], ratio: float) -> None:
    """Make an axis logarithmic. Its ticks are 1, 2 and 5 over few decades, and powers of ten over many.

    `ratio` is the last value of the axis over its first.
    """
    if ratio < _FEW_DECADES:
        update(type="log", dtick=None if ratio < _WITHIN_ONE else "D2", tickformat=".6~g")
    else:
        update(**decades(max(1, math.ceil(math.log10(ratio) / 6))), tickformat=None)


def tradeoff_figure(
    curves: Sequence[Curve],
    mode: str,
    *,
    colors: Mapping[str, str],
    pinned_by: Sequence[Segment] = (),
    touch: Point | None = None,
    **layout: Any,
) -> go.Figure:
    """Least type-II error at each type-I error; the diagonal is perfect privacy.

    `pinned_by` draws the two lines that one (ε, δ) alone implies for that mechanism.

    Parameters
    ----------
    curves : one for each mechanism
    mode : "light" or "dark"
    colors : by name of curve
    pinned_by : the (ε, δ) whose lines are drawn
    touch : (type I, type II) of the ring, where such a line touches
    layout : height, and further parts of the layout
    """
    thin = {"type": "scatter", "mode": "lines", "hoverinfo": "skip"}
    pinned = [
        {**thin, "x": x, "y": y, "showlegend": False, "line": {"color": THEMES[mode].text, "width": 1, "dash": "solid"}}
        for x, y in pinned_by
    ]
    perfect = {
        **thin, "x": [0, 1], "y": [1, 0], "name": "perfect privacy",
        "line": {"color": THEMES[mode].muted, "width": 1, "dash": "dashdot"},
    }  # fmt: skip
    return figure(
        mode,
        [*traces(curves, colors, "%{y:.4f}"), *pinned, perfect, *([ring_trace(mode, touch)] if touch else [])],
        xaxis={
            "title": {"text": "type-I error (false alarm)"}, "range": [0, 1],
            "unifiedhovertitle": {"text": "type I = %{x:.4f}"},
        },
        yaxis={"title": {"text": "least type-II error"}, "range": [0, 1.01]},
        **layout,
    )  # fmt: skip


def renyi_figure(
    curves: Sequence[Curve],
    mode: str,
    *,
    colors: Mapping[str, str],
    look_at: float,
    touch: Point | None = None,
    **layout: Any,
) -> go.Figure:
    """Rényi divergence against its order, the order looked at as a vertical line.

    Parameters
    ----------
    curves : one for each mechanism
    mode : "light" or "dark"
    colors : by name of curve
    look_at : order of the line
    touch : (order, divergence) of the ring
    layout : height, and further parts of the layout
    """
    low, high = steady_ends(curves, 3, _RENYI_DECADES)
    first, last = min(curve.x[0] for curve in curves), max(curve.x[-1] for curve in curves)
    x = {
        "title": {"text": "Rényi order α"}, "range": [math.log10(first), math.log10(last)],
        "unifiedhovertitle": {"text": "α = %{x:.3g}"},
    }  # fmt: skip
    y = {"title": {"text": "D<sub>α</sub> (nats)"}, "range": [low, high]}
    log_axis(x.update, last)
    log_axis(y.update, 10.0 ** (high - low))
    return figure(
        mode,
        [*traces(curves, colors, "%{y:.4g} nats"), *([ring_trace(mode, touch)] if touch else [])],
        xaxis=x,
        yaxis=y,
        shapes=[upright(mode, look_at)],
        **layout,
    )


def steady_ends(curves: Sequence[Curve], step: int, home: tuple[int, int] | None = None) -> tuple[int, int]:
    """Ends of a logarithmic axis, as exponents. They move in whole steps, so small changes of a curve do not move them.

    Parameters
    ----------
    curves : curves that must be in sight
    step : decades by which an end moves
    home : ends (first, last) that the axis has at least
    """
    values = [value for curve in curves for value in curve.y.tolist() if 0 < value < math.inf]
    low, high = (math.log10(min(values)), math.log10(max(values))) if values else home or (0, step)
    start = step * math.floor(low / step)
    first, last = home or (start, start + step)
    below, above = (math.ceil(gap / step - _ROUND_OFF) for gap in (first - low, high - last))
    return first - step * max(0, below), last + step * max(0, above)


def reference_line(fig: go.Figure, mode: str, *, y: float, text: str) -> None:
    """A labelled horizontal line."""
    line, name = reference(mode, y, text, log=fig.layout.yaxis.type == "log")
    fig.add_shape(line)
    fig.add_annotation(name)


def reference(mode: str, y: float, text: str, *, log: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """A horizontal line and its name; annotations on a logarithmic axis are placed by exponent."""
    name = {
        "x": 1, "xref": "paper", "y": math.log10(y) if log else y, "yref": "y", "text": plain(text), "showarrow": False,
        "xanchor": "right", "yanchor": "bottom", "font": {"size": 12, "color": THEMES[mode].muted},
    }  # fmt: skip
    return across(mode, y), name
