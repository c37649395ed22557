"""Output perturbation as λ moves: sensitivity and noise, and the two errors that pull against each other."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dpcore.figures.curves import add_curves, moving_curves, steady_ends
from dpcore.figures.deck import Track, changing, moving_line
from dpcore.figures.theme import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    THEMES,
    VERMILLION,
    decades,
    figure,
    in_two_columns,
    plain,
)
from dpcore.profiles.curves import Curve

COLORS = {
    "Sensitivity L/λ": VERMILLION,
    "Adversarial data": PURPLE,
    "Measured change": GREEN,
    "Analytic noise": BLUE,
    "Classical noise": ORANGE,
    "Bias": PURPLE,
    "Spread": SKY,
    "Total, measured": BLUE,
    "Bound on the mean": GREEN,
    "Bound by χ²": ORANGE,
    "Without smoothness": "#8C6D31",
    "Bound of the lecture": VERMILLION,
    "Noise in objective": "#9467BD",
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
        trace.name = plain(_label(curve))
        if curve.name == "Total, measured":
            trace.line.update(width=4, dash="solid")
    fig.add_vline(x=at, line={"color": THEMES[mode].muted, "width": 1, "dash": "dash"})
    in_two_columns(fig)
    fig.update_xaxes(title_text="regularisation λ", **decades(), unifiedhovertitle_text="λ = %{x:.3g}")
    fig.update_yaxes(title_text=plain(title), **decades(2), range=list(_ends(curves)))
    return fig


def budget_tracks(frames: Sequence[Sequence[Curve]]) -> tuple[Track, ...]:
    """What moves in `lambda_figure` with the budget: its curves at each position, and the axis where they leave it."""
    names = (
        track
        for place, curves in enumerate(zip(*frames, strict=True))
        for track in changing(f"data[{place}].name", [plain(_label(curve)) for curve in curves])
    )
    styled = (track for track in moving_curves(frames, COLORS) if not track.path.endswith(".name"))
    return (*styled, *names, *changing("layout.yaxis.range", [list(_ends(curves)) for curves in frames]))


def place_tracks(places: Sequence[float]) -> tuple[Track, ...]:
    """What moves in `lambda_figure` with the λ looked at: its line."""
    return moving_line(0, places)


def _ends(curves: Sequence[Curve]) -> tuple[float, float]:
    """Of the vertical axis: noise in the objective may cost any amount where λ is too small for the budget."""
    return steady_ends([curve for curve in curves if curve.name != "Noise in objective"], 3)


def _label(curve: Curve) -> str:
    return "Classical, refuted" if curve.bound.value.startswith("claimed") else curve.name
