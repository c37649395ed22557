"""Predicted score of every learner with its interval, between a constant prediction and the fit without privacy."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dpcore.exhibits.decide.study import Bar
from dpcore.figures.colors import BLUE, GREEN, GREY, INK, VERMILLION
from dpcore.figures.parts import faint
from dpcore.figures.theme import THEMES, figure, plain

_WIDE, _DOT, _RING = 9, 13, 15  # pixels: width of an interval, size of what is predicted and of what was simulated
# Pixels of a learner, of all that is not between the axes, and of a legend; the room for words at the left of an interval.
_ROW, _AROUND, _LEGEND, _ROOM = 46, 104, 36, 0.08

_GAP = "\u00a0\u00a0\u00a0"  # between words and a dot


def ranking_figure(
    bars: Sequence[Bar], mode: str, *, lines: Sequence[tuple[float, str, str]], ends: tuple[float, float], title: str, share: bool
) -> go.Figure:  # fmt: skip
    """A row for each learner: its predicted score, the interval of 90 % of the releases, and what was simulated.

    Parameters
    ----------
    bars : learners from top to bottom
    mode : "light" or "dark"
    lines : (place, words, kind) of each vertical line; kind is "free", "constant" or "target"
    ends : of the axis
    title : of the axis
    share : whether scores are written in per cent
    """
    names = [plain(one.title) for one in bars]
    colors = [BLUE if one.first else GREY for one in bars]
    written = ".1%" if share else ".3f"
    low, high = ends
    spans: list[dict[str, Any]] = [
        {
            "type": "scatter", "x": [max(one.low, low), max(one.high, low)], "y": [name, name], "mode": "lines", "hoverinfo": "skip",
            "line": {"color": faint(color, 0.45), "width": _WIDE}, "showlegend": False,
        }
        for one, name, color in zip(bars, names, colors, strict=True)
    ]  # fmt: skip
    dots = {
        "type": "scatter", "mode": "markers", "y": names, "showlegend": False,
        "x": [one.predicted if one.predicted >= low else None for one in bars], "marker": {"color": colors, "size": _DOT},
        "hovertemplate": "%{y}: %{x:" + written + "}<extra></extra>",
    }  # fmt: skip
    left = [one.low - low > _ROOM * (high - low) for one in bars]
    words = {
        "type": "scatter", "mode": "text", "y": names, "showlegend": False, "hoverinfo": "skip", "cliponaxis": False,
        "x": [one.low if beside else max(one.high, low) for one, beside in zip(bars, left, strict=True)],
        "textposition": ["middle left" if beside else "middle right" for beside in left],
        "text": [f"<b>{_GAP}{plain(one.said)}{_GAP}</b>" if one.first else _GAP + plain(one.said) + _GAP for one in bars],
        "textfont": {"size": 14, "color": [INK.get(BLUE, BLUE) if one.first else THEMES[mode].text for one in bars]},
    }  # fmt: skip
    seen = any(one.simulated is not None for one in bars)
    rings = {
        "type": "scatter", "name": "simulated, ± 2 standard errors", "mode": "markers", "y": names, "x": [one.simulated for one in bars],
        "error_x": {"type": "data", "array": [one.error for one in bars], "color": VERMILLION, "thickness": 2},
        "marker": {"symbol": "circle-open", "color": VERMILLION, "size": _RING, "line": {"width": 2.5}},
        "showlegend": seen,
        "hovertemplate": "%{y}, simulated: %{x:" + written + "}<extra></extra>",
    }  # fmt: skip
    return figure(
        mode, [*spans, dots, rings, words], height=_AROUND + _LEGEND * seen + _ROW * max(len(bars), 4), hovermode="closest",
        xaxis={"title": {"text": plain(title)}, "range": [low, high], "tickformat": ".0%" if share else ".2f"},
        yaxis={"type": "category", "autorange": "reversed", "showgrid": False, "title": {"text": ""}},
        shapes=[_line(x, kind, mode) for x, _, kind in lines if x >= low],
        annotations=[_words(x, words, kind, mode, ends) for x, words, kind in lines if x >= low],
        margin={"t": 44, "l": 230}, legend={"y": -0.2, "yanchor": "top"},
    )  # fmt: skip


_LOOK = {"free": (GREEN, "dot"), "constant": (GREY, "dash"), "target": (VERMILLION, "solid")}


def _line(x: float, kind: str, mode: str) -> dict[str, Any]:
    color, dash = _LOOK[kind]
    return {
        "type": "line",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": {"color": color, "width": 2, "dash": dash},
    }


def _words(x: float, words: str, kind: str, mode: str, ends: tuple[float, float]) -> dict[str, Any]:
    color = _LOOK[kind][0]
    near_end = x > ends[0] + 0.5 * (ends[1] - ends[0])
    return {
        "x": x, "y": 1.0, "yref": "paper", "yanchor": "bottom", "text": plain(words), "showarrow": False,
        "yshift": 18 if kind == "target" else 2,
        "xanchor": "right" if near_end else "left", "font": {"size": 14, "color": INK.get(color, color)},
    }  # fmt: skip
