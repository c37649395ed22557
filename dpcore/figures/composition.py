"""Composition: accountants side by side, the widening privacy loss, growth with repetition, the cost of tuning."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from dpcore.figures.curves import add_curves, log_axis, log_probability_axis, reference_line
from dpcore.figures.theme import (
    BLUE,
    GREEN,
    GREY,
    LINE_STYLES,
    ORANGE,
    PALETTE,
    PURPLE,
    SKY,
    THEMES,
    VERMILLION,
    decades,
    figure,
    plain,
)
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve
from dpcore.studies.composition import LossDistribution

COLORS = {
    "PLD": BLUE,
    "PLD, lower side": BLUE,
    "Saddle point": SKY,
    "Rényi": VERMILLION,
    "Advanced": PURPLE,
    "Optimal (pure)": GREEN,
    "Basic": ORANGE,
    "Source, D.11": GREY,
}
TUNING_COLORS = {
    "Poisson": BLUE,
    "Geometric": PURPLE,
    "Logarithmic": ORANGE,
    "All runs published": VERMILLION,
}


def accountants_figure(
    curves: Sequence[Curve], mode: str, *, target: float, look_at: tuple[float, float], height: int = 390
) -> go.Figure:
    """δ(ε) of one pipeline by every accountant; one that is ≥ 1 in this range says so in the legend.

    Parameters
    ----------
    curves : one for each accountant
    mode : "light" or "dark"
    target : δ of the line
    look_at : (ε, δ) of the ring
    height : pixels
    """
    fig = figure(mode, height=height)
    add_curves(fig, curves, colors=COLORS, hover="δ = %{y:.4g}")
    for trace, curve in zip(fig.data, curves, strict=True):
        if curve.name == "PLD":
            trace.line.width = LINE_STYLES[Bound.EXACT]["width"]  # the one to look at
        if curve.empty:
            trace.name = f"{plain(curve.name)} — out of range"
    fig.update_layout(legend={"entrywidth": 0.49, "entrywidthmode": "fraction"})
    fig.update_xaxes(title_text="ε (nats)", rangemode="tozero", unifiedhovertitle_text="ε = %{x:.3f}")
    log_probability_axis(fig, min(1e-10, target / 100))
    reference_line(fig, mode, y=target, text="target δ")
    if 0 < look_at[1] < 1:
        fig.add_scatter(
            x=[look_at[0]], y=[look_at[1]], mode="markers", showlegend=False, hoverinfo="skip",
            marker={"symbol": "circle-open", "size": 12, "line": {"width": 2.5}, "color": THEMES[mode].text},
        )  # fmt: skip
    return fig


def looseness_figure(curves: Sequence[Curve], mode: str, *, target: float, height: int = 390) -> go.Figure:
    """ε of each accountant divided by the certified upper side, against δ."""
    fig = figure(mode, height=height)
    add_curves(fig, curves, colors=COLORS, hover="%{y:.4g} ×")
    fig.update_xaxes(title_text="δ", **decades(5), unifiedhovertitle_text="δ = %{x:.1e}")
    fig.update_yaxes(title_text="ε ÷ ε of PLD")
    values = [value for curve in curves for value in curve.y if 0 < value < math.inf]
    log_axis(fig.update_yaxes, max(values) / min(values) if values else 1.0)
    fig.add_shape(
        type="line", x0=target, x1=target, y0=0, y1=1, yref="paper",
        line={"color": THEMES[mode].muted, "width": 1, "dash": "dash"},
    )  # fmt: skip
    return fig


def growth_figure(curves: Sequence[Curve], mode: str, *, height: int = 430) -> go.Figure:
    """ε at one δ against the number of times the pipeline runs; √k and k as thin guides."""
    fig = figure(mode, height=height)
    first = curves[0]
    start = next((value for value in first.y if value > 0), 1.0)
    for power, name in ((0.5, "slope √k"), (1.0, "slope k")):
        fig.add_scatter(
            x=first.x, y=[start * x**power for x in first.x], name=plain(name), mode="lines", hoverinfo="skip",
            line={"color": THEMES[mode].muted, "width": 1, "dash": "dash" if power == 1 else "dashdot"},
        )  # fmt: skip
    add_curves(fig, curves, colors=COLORS, hover="ε = %{y:.4g}")
    for trace in fig.data[2:]:
        trace.update(mode="lines+markers", marker={"size": 6})
    fig.update_xaxes(
        title_text="repetitions of the pipeline k", **decades(),
        unifiedhovertitle_text="k = %{x:,}",
    )  # fmt: skip
    fig.update_yaxes(title_text="ε at the target δ (nats)", **decades())
    return fig


def loss_figure(
    distributions: Sequence[LossDistribution], mode: str, *, epsilon: float, height: int = 400
) -> go.Figure:
    """Densities of the privacy loss, the last one in full colour, and the threshold ε."""
    fig = figure(mode, height=height)
    shades = ("#9FC5DE", "#5FA3CB", BLUE) if mode == "light" else ("#2F5A75", "#3F86B3", "#56B4E9")
    for shade, distribution in zip(shades[-len(distributions) :], distributions, strict=True):
        last = distribution is distributions[-1]
        fig.add_scatter(
            x=distribution.density.x, y=distribution.density.y, name=plain(distribution.density.name), mode="lines",
            line={"color": shade, "width": 3 if last else 2, "dash": "solid" if last else "dot", "shape": "hvh"},
            fill="tozeroy" if last else None, fillcolor="rgba(0, 114, 178, 0.13)", hovertemplate="%{y:.4g} per nat",
        )  # fmt: skip
    final = distributions[-1]
    fig.add_vline(
        x=epsilon, line={"color": VERMILLION, "width": 2, "dash": "dash"},
        annotation={"text": f"ε = {epsilon:.3g}", "font": {"size": 13, "color": THEMES[mode].text}, "xanchor": "left"},
    )  # fmt: skip
    if math.isfinite(final.mean):
        fig.add_vline(
            x=final.mean, line={"color": GREEN, "width": 2, "dash": "dot"},
            annotation={"text": f"mean {final.mean:.3g}", "font": {"size": 13, "color": THEMES[mode].text}, "y": 1.07, "xanchor": "center"},
        )  # fmt: skip
    top = max(final.density.y)
    fig.update_xaxes(title_text="privacy loss ω (nats)", unifiedhovertitle_text="ω = %{x:.3f}")
    fig.update_yaxes(title_text="density under P (per nat)", range=[0, 1.12 * top])
    return fig


def renyi_parts_figure(curves: Sequence[Curve], mode: str, *, height: int = 430) -> go.Figure:
    """Rényi curves of the steps and of their sum, on logarithmic axes."""
    fig = figure(mode, height=height)
    colors = {curve.name: PALETTE[(i + 1) % len(PALETTE)] for i, curve in enumerate(curves)} | {
        "Gaussian": GREY,
        "Whole pipeline": BLUE,
    }
    add_curves(fig, curves, colors=colors, hover="%{y:.4g} nats")
    fig.update_layout(legend={"entrywidth": 0.49, "entrywidthmode": "fraction"})
    fig.update_xaxes(title_text="Rényi order α", **decades(), unifiedhovertitle_text="α = %{x:.4g}")
    fig.update_yaxes(title_text="divergence D<sub>α</sub> (nats)", **decades())
    return fig


def tuning_figure(curves: Sequence[Curve], mode: str, *, one_run: float, chosen: float, height: int = 430) -> go.Figure:
    """ε of keeping the best of K runs against E[K], beside publishing all of them and the cost of one run.

    Parameters
    ----------
    curves : one for each law of K, and one for publishing all runs
    mode : "light" or "dark"
    one_run : ε of one run
    chosen : E[K] of the line
    height : pixels
    """
    fig = figure(mode, height=height)
    add_curves(fig, curves, colors=TUNING_COLORS, hover="ε = %{y:.4g}")
    for trace in fig.data:
        trace.line.update(LINE_STYLES[curves[0].bound])
        if trace.name.startswith("All runs"):
            trace.update(mode="lines+markers", marker={"size": 6})
    fig.update_xaxes(title_text="mean number of runs E[K]", unifiedhovertitle_text="E[K] = %{x:.3g}")
    log_axis(fig.update_xaxes, 100.0)
    fig.update_yaxes(title_text="ε at the target δ (nats)", rangemode="tozero")
    reference_line(fig, mode, y=one_run, text="one run, no tuning")
    fig.add_shape(
        type="line", x0=chosen, x1=chosen, y0=0, y1=1, yref="paper",
        line={"color": THEMES[mode].muted, "width": 1, "dash": "dash"},
    )  # fmt: skip
    return fig
