"""Output perturbation as λ moves: sensitivity and noise, and the two errors that pull against each other."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dpcore.figures.curves import add_curves
from dpcore.figures.theme import BLUE, GREEN, ORANGE, PURPLE, SKY, THEMES, VERMILLION, decades, figure, plain
from dpcore.profiles.curves import Curve

COLORS = {
    "Sensitivity L/λ": VERMILLION,
    "Measured change": GREEN,
    "Analytic noise": BLUE,
    "Classical noise": ORANGE,
    "Bias": PURPLE,
    "Spread": SKY,
    "Total, measured": BLUE,
    "Bound on the mean": GREEN,
    "Bound w.p. 1 − ρ, χ²": ORANGE,
    "Bound of the lecture": VERMILLION,
}


def lambda_figure(curves: Sequence[Curve], at: float, title: str, mode: str, *, height: int = 400) -> go.Figure:
    """Curves against λ on logarithmic axes, the λ looked at as a line.

    Parameters
    ----------
    curves : what to draw
    at : λ of the line
    title : of the vertical axis
    mode : "light" or "dark"
    height : pixels
    """
    fig = figure(mode, height=height)
    add_curves(fig, curves, colors=COLORS, hover="%{y:.3g}")
    for trace, curve in zip(fig.data, curves, strict=True):
        trace.name = "Classical, refuted" if curve.bound.value.startswith("claimed") else plain(curve.name)
        if curve.name == "Total, measured":
            trace.line.update(width=4, dash="solid")
    fig.add_vline(x=at, line={"color": THEMES[mode].muted, "width": 1, "dash": "dash"})
    fig.update_layout(legend={"entrywidth": 0.49, "entrywidthmode": "fraction"})
    fig.update_xaxes(title_text="regularisation λ", **decades(), unifiedhovertitle_text="λ = %{x:.3g}")
    fig.update_yaxes(title_text=plain(title), **decades(2))
    return fig
