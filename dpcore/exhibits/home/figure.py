"""The opening figure's second half: what a threshold is worth, on the curve of what any attack is worth."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dpcore.exhibits.home.study import Threshold
from dpcore.figures.deck import Track, changing, moving
from dpcore.figures.theme import BLUE, ORANGE, THEMES, VERMILLION, figure
from dpcore.profiles.curves import Curve

WITHOUT, WITH, THRESHOLD = BLUE, VERMILLION, ORANGE


def attack_figure(tradeoff: Curve, at: Threshold, mode: str, *, height: int = 330) -> go.Figure:
    """Misses against false alarms of the best attacks, and the threshold's place among them."""
    fig, tokens = figure(mode, height=height), THEMES[mode]
    fig.add_scatter(
        x=tradeoff.x, y=tradeoff.y, name="best attacks", line={"color": tokens.text, "width": 3}, mode="lines",
        hovertemplate="false alarms %{x:.3f}<br>misses %{y:.3f}<extra></extra>",
    )  # fmt: skip
    fig.add_scatter(
        x=[0, 1], y=[1, 0], name="guessing", mode="lines", hoverinfo="skip",
        line={"color": tokens.muted, "width": 1.5, "dash": "dashdot"},
    )  # fmt: skip
    x, y = at.false_alarms, at.misses
    for ends, color in ((([x, x], [0, y]), WITHOUT), (([0, x], [y, y]), WITH)):
        fig.add_scatter(
            x=ends[0], y=ends[1], mode="lines", showlegend=False, hoverinfo="skip",
            line={"color": color, "width": 2, "dash": "dot"},
        )  # fmt: skip
    fig.add_scatter(
        x=[x], y=[y], name="your threshold", mode="markers", hoverinfo="skip",
        marker={"color": THRESHOLD, "size": 14, "line": {"color": tokens.background, "width": 2}},
    )  # fmt: skip
    fig.update_layout(hovermode="closest", margin={"t": 40, "b": 44})
    fig.update_xaxes(title_text="false alarms", range=[0, 1])
    fig.update_yaxes(title_text="misses", range=[0, 1.02])
    return fig


def attack_tracks(tradeoffs: Sequence[Curve], at: Sequence[Threshold]) -> tuple[Track, ...]:
    """What moves in `attack_figure`: the curve and the threshold's point, at each position."""
    alarms, misses = [one.false_alarms for one in at], [one.misses for one in at]
    return (
        *moving(0, tradeoffs),
        *changing("data[2].x", [[x, x] for x in alarms]),
        *changing("data[2].y", [[0.0, y] for y in misses]),
        *changing("data[3].x", [[0.0, x] for x in alarms]),
        *changing("data[3].y", [[y, y] for y in misses]),
        *changing("data[4].x", [[x] for x in alarms]),
        *changing("data[4].y", [[y] for y in misses]),
    )
