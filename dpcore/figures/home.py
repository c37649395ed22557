"""The opening figure: what an attacker sees, and what that is worth."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dpcore.figures.theme import BLUE, THEMES, VERMILLION, plain, template
from dpcore.profiles.curves import Curve


def hero_figure(densities: Sequence[Curve], tradeoff: Curve, mode: str, *, height: int = 330) -> go.Figure:
    """Output densities with and without the record (left), the attacker's trade-off curve (right)."""
    tokens = THEMES[mode]
    fig = make_subplots(
        cols=2, column_widths=[0.6, 0.4], horizontal_spacing=0.1,
        subplot_titles=("What the attacker sees: the noisy answer", "What that is worth: errors of the best attack"),
    )  # fmt: skip
    for curve, color, dash in zip(densities, (BLUE, VERMILLION), ("solid", "dash"), strict=True):
        fig.add_scatter(
            x=curve.x, y=curve.y, name=plain(curve.name), line={"color": color, "width": 3, "dash": dash},
            fill="tozeroy", fillcolor=f"rgba{(*(int(color[i : i + 2], 16) for i in (1, 3, 5)), 0.12)}",
            hoverinfo="skip", col=1, row=1,
        )  # fmt: skip
    fig.add_scatter(
        x=tradeoff.x, y=tradeoff.y, name="best attack", line={"color": tokens.text, "width": 3},
        hovertemplate="false alarms %{x:.3f}<br>misses %{y:.3f}<extra></extra>", col=2, row=1,
    )  # fmt: skip
    fig.add_scatter(
        x=[0, 1], y=[1, 0], name="guessing (perfect privacy)", mode="lines", hoverinfo="skip",
        line={"color": tokens.muted, "width": 1.5, "dash": "dashdot"}, col=2, row=1,
    )  # fmt: skip
    fig.update_layout(template=template(mode), height=height, legend={"y": -0.22, "yanchor": "top"})
    fig.update_annotations(font_size=14, font_color=tokens.text)
    fig.update_xaxes(title_text="released value (sensitivities)", col=1, row=1)
    fig.update_yaxes(showticklabels=False, title_text="density", col=1, row=1)
    fig.update_xaxes(title_text="false alarms", range=[0, 1], col=2, row=1)
    fig.update_yaxes(title_text="misses", range=[0, 1.01], col=2, row=1)
    return fig
