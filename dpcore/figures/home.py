"""The opening figure's second half: what a threshold is worth, on the curve of what any attack is worth."""

from __future__ import annotations

import plotly.graph_objects as go

from dpcore.figures.theme import BLUE, ORANGE, THEMES, VERMILLION, figure
from dpcore.profiles.curves import Curve
from dpcore.studies.home import Threshold

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
    for ends, color in ((([x, x], [0, y]), WITH), (([0, x], [y, y]), WITHOUT)):
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
