"""Noise augmentation beside its limits: distance, Fig. 2's scheme in numbers, the noise above its cut, recycling."""

from __future__ import annotations

import math

import plotly.graph_objects as go

from dpcore.data.names import grouped
from dpcore.exhibits.noise_augmentation.pictures import PathPicture
from dpcore.exhibits.noise_augmentation.rounds import RoundPicture
from dpcore.figures.curves import log_axis
from dpcore.figures.theme import BLUE, GREEN, ORANGE, PURPLE, THEMES, VERMILLION, figure, plain

_CUT_OFF = 50  # times what is needed: beyond, a bar says no more


def apart_figure(picture: PathPicture, rows: int | None, mode: str, *, height: int = 330) -> go.Figure:
    """Distance to the limit n_e → ∞, T → ∞ over the iterations, with finitely many rows and without."""
    fig = figure(mode, height=height)
    lines = [("nₑ → ∞, this T", picture.apart_without, BLUE, "solid")]
    if rows is not None:
        lines.insert(0, (f"nₑ = {grouped(rows)}", picture.apart, VERMILLION, "dash"))
    for name, values, color, dash in lines:
        fig.add_scatter(
            x=list(range(1, len(values) + 1)), y=[value if value > 0 else None for value in values], mode="lines+markers", name=plain(name),
            line={"color": color, "dash": dash, "width": 2.5}, marker={"size": 4}, hovertemplate="%{y:.3g}",
        )  # fmt: skip
    fig.update_xaxes(title_text="iteration t", unifiedhovertitle_text="t = %{x}")
    shown = [value for _, values, _, _ in lines for value in values if value > 0] or [1.0]
    log_axis(fig.update_yaxes, max(shown) / min(shown))
    fig.update_yaxes(title_text="‖θ − limit‖")
    return fig


def scheme_figure(picture: PathPicture, mode: str, *, height: int = 330) -> go.Figure:
    """Fig. 2 from data: the convexity the target gives each coefficient, what is needed, and what the two forms make of it."""
    fig = figure(mode, height=height)
    needed = 2 * picture.floor
    top = _CUT_OFF * needed
    alone = [min(float(value), top) for value in picture.alone]
    names = list(range(1, len(alone) + 1))
    fig.add_bar(
        x=names, y=alone, name=plain(f"target alone (cut off at {_CUT_OFF} × 2Λ₀)"), marker={"color": GREEN, "opacity": 0.5},
        customdata=[f"{float(value):.3g}" for value in picture.alone], hovertemplate="%{customdata}",
    )  # fmt: skip
    for name, values, symbol, color in (
        ("MOOR: the larger", [max(value, needed) for value in alone], "circle", BLUE),
        ("existing DP-ERM: the sum", [value + needed for value in alone], "triangle-up-open", ORANGE),
    ):
        fig.add_scatter(
            x=names, y=values, mode="markers", name=plain(name), hovertemplate="%{y:.3g}",
            marker={"symbol": symbol, "size": 9, "color": color, "line": {"width": 2.5 if "open" in symbol else 0}},
        )  # fmt: skip
    fig.add_scatter(
        x=[0.5, len(names) + 0.5], y=[needed, needed], mode="lines", name="needed: 2Λ₀", hoverinfo="skip",
        line={"color": THEMES[mode].text, "dash": "dot", "width": 1.5},
    )  # fmt: skip
    fig.update_yaxes(title_text="convexity 2m")
    log_axis(fig.update_yaxes, top / min([needed, *alone]))
    _by_number(fig, len(names))
    return fig


def noise_figure(picture: PathPicture, mode: str, *, height: int = 330) -> go.Figure:
    """The noise of each coefficient, and the cut above which it was drawn."""
    fig = figure(mode, height=height)
    fig.add_bar(
        x=list(range(1, len(picture.noise) + 1)), y=picture.noise, name="noise b", marker={"color": PURPLE},
        hovertemplate="%{y:.3g}",
    )  # fmt: skip
    if picture.cut > -float("inf"):
        fig.add_hline(y=picture.cut, line={"color": VERMILLION, "dash": "dash", "width": 2}, annotation_text="cut c")
    fig.update_yaxes(title_text="b")
    _by_number(fig, len(picture.noise))
    return fig


def _by_number(fig: go.Figure, count: int) -> None:
    """Coefficients on the horizontal axis, by number."""
    fig.update_xaxes(
        title_text="coefficient", range=[0.4, count + 0.6], tick0=1, dtick=max(1, math.ceil((count - 1) / 8)),
        unifiedhovertitle_text="θ%{x}",
    )  # fmt: skip


def rounds_figure(picture: RoundPicture, epsilon: float, mode: str, *, height: int = 330) -> go.Figure:
    """Distance to the lasso against rounds of recycling; the budget of the noise at each point."""
    fig = figure(mode, height=height)
    fig.add_scatter(
        x=list(range(len(picture.distance))), y=picture.distance, mode="lines+markers", name="‖θ − lasso‖", customdata=picture.budget,
        line={"color": PURPLE, "width": 2.5}, hovertemplate="%{y:.4g}<br>noise scaled for %{customdata:.3g} nats",
    )  # fmt: skip
    fig.add_scatter(
        x=list(range(len(picture.budget))), y=picture.budget, mode="lines+markers", name="budget of the noise (nats)",
        line={"color": ORANGE, "width": 2.5, "dash": "dash"}, hovertemplate="%{y:.4g}",
    )  # fmt: skip
    fig.add_hline(y=epsilon, line={"color": THEMES[mode].muted, "dash": "dot", "width": 1}, annotation_text="ε")
    fig.update_xaxes(title_text="rounds of recycling", dtick=1, unifiedhovertitle_text="%{x} rounds")
    fig.update_yaxes(rangemode="tozero")
    return fig
