"""Objective perturbation: bounds and the tight profile, the calibration plane, and the extremal loss."""

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dpcore.exhibits.objective_perturbation.change_of_variables import Change
from dpcore.exhibits.objective_perturbation.study import ExtremalCurves, Region, Spot
from dpcore.figures.colors import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION
from dpcore.figures.curves import (
    add_curves,
    log_axis,
    log_probability_axis,
    named_dots,
    reference,
    steady_ends,
    traces,
    upright,
)
from dpcore.figures.parts import dots, faint, line, panels
from dpcore.figures.theme import THEMES, decades, figure, plain, two_columns
from dpcore.profiles.curves import Curve

_ROW = 19  # height of a row of the legend, in pixels
_HEADROOM = 0.3  # decades above the regions of the plane, with room for the name of the vertical line
# Exponents at the ends of the axis of the gap (or wider), and decades of empty space below a gap of 1.
_GAP_DECADES, _BELOW = (0, 3), 0.12
COLORS = {
    "Tight": BLUE,
    "Thm 3.1": VERMILLION,
    "Thm 3.2": ORANGE,
    "Kifer 2012": PURPLE,
    "Lecture 10": "#9467BD",
    "Thm C.1": SKY,
    "Thm E.1": "#8C6D31",
    "Half-normal": GREY,
    "Sampled, same σ and λ": GREEN,
    "Sampled, qσ and qλ": PURPLE,
    "Gaussian": GREEN,
    "Stopped": SKY,
    "Thm 4.1": VERMILLION,
    "Round loss": PURPLE,
}


def bounds_figure(
    curves: Sequence[Curve], mode: str, *, floor: float, target: float | None = None, named: str = "",
    prices: Sequence[tuple[float, str]] = (),
) -> go.Figure:  # fmt: skip
    """δ(ε) of every bound; where a bound says nothing, nothing is drawn and its legend entry says so.

    Parameters
    ----------
    curves : one for each bound
    mode : "light" or "dark"
    floor : lowest δ in sight
    target, named : δ of a horizontal line, on which ε of each bound is read, and this δ in words
    prices : ε on that line, exactly and as published, each with its words; the piece between them is drawn
    """
    lines = traces(curves, COLORS, "%{y:.3g}")
    for trace, curve in zip(lines, curves, strict=True):
        if curve.empty:
            trace["name"] = f"{plain(curve.name)} — no guarantee"
    right = max((float(curve.x[-1]) for curve in curves), default=1.0)
    ends = [(price, target or 1.0, words) for price, words in prices]
    wasted = named_dots(ends, [COLORS["Tight"], COLORS["Thm 3.1"]], ["bottom left", "top right"], right=right)
    wasted |= {"mode": "lines+markers+text", "line": {"width": 4, "color": COLORS["Thm 3.1"]}}
    levels = [] if target is None else [reference(mode, target, f"δ = {named}", log=True)]
    return figure(
        mode,
        [*lines, *([wasted] if prices else [])],
        height=360 + _ROW * max(0, (len(curves) + 1) // 2 - 3),
        xaxis={"title": {"text": "ε (nats)"}, "range": [0, right], "unifiedhovertitle": {"text": "ε = %{x:.3f}"}},
        yaxis=log_probability_axis(floor),
        legend=two_columns(trace["name"] for trace in lines),
        showlegend=not prices or len(curves) > len(prices),
        shapes=[line for line, _ in levels],
        annotations=[name for _, name in levels],
    )


def ratio_figure(curves: Sequence[Curve], mode: str, **layout: Any) -> go.Figure:
    """Each bound's δ divided by the Gaussian lower bound's."""
    low, high = _gap_ends(curves)
    y = {"title": {"text": "δ ÷ lower bound"}, "range": [low - _BELOW, high]}
    log_axis(y.update, 10.0 ** (high - low))
    x = {"title": {"text": "ε (nats)"}, "rangemode": "tozero", "unifiedhovertitle": {"text": "ε = %{x:.3f}"}}
    return figure(mode, traces(curves, COLORS, "%{y:.4g} ×"), height=360, xaxis=x, yaxis=y, **layout)


def _gap_ends(curves: Sequence[Curve]) -> tuple[int, int]:
    """Ends of the axis of the gap, as exponents. The upper one doubles until the curves fit.

    With much noise the gap can have hundreds of decades.
    """
    low, high = steady_ends(curves, _GAP_DECADES[1], _GAP_DECADES)
    return low, min(_GAP_DECADES[1] * 2 ** math.ceil(math.log2(high / _GAP_DECADES[1])), sys.float_info.max_10_exp)


def output_noise_figure(curves: Sequence[Curve], at: float, mode: str) -> go.Figure:
    """ε at a target δ against the noise on the result, with a vertical line at one noise."""
    fig = figure(mode, height=360)
    add_curves(fig, curves, colors=COLORS, hover="ε = %{y:.3g}")
    fig.add_shape(upright(mode, at))
    fig.update_xaxes(title_text="noise on the result σ<sub>out</sub>", **decades())
    fig.update_xaxes(unifiedhovertitle_text="σ<sub>out</sub> = %{x:.3g}")
    fig.update_yaxes(title_text="ε (nats)", **decades())
    return fig


def renyi_bounds_figure(curves: Sequence[Curve], mode: str) -> go.Figure:
    """Rényi divergence of objective perturbation: the Gaussian lower bound, and the proven upper bounds."""
    fig = figure(mode, height=420)
    add_curves(fig, curves, colors=COLORS, hover="%{y:.4g} nats")
    fig.update_xaxes(title_text="Rényi order α", **decades(), unifiedhovertitle_text="α = %{x:.3g}")
    fig.update_yaxes(title_text="divergence D<sub>α</sub> (nats)", **decades())
    return fig


def calibration_figure(regions: Sequence[Region], spots: Sequence[Spot], gaussian: float, mode: str) -> go.Figure:
    """The (σ, λ) plane: each bound certifies the target above its contour; left of σ_Gauss no bound can.

    Parameters
    ----------
    regions : one for each bound
    spots : points to mark
    gaussian : σ of the Gaussian mechanism
    mode : "light" or "dark"
    """
    fig = figure(mode, height=430)
    top = 3 * max(region.largest for region in regions)
    for region in regions:
        color = COLORS[region.name]
        if not region.sigma.size:
            fig.add_scatter(x=[None], y=[None], name=f"{plain(region.name)} — no guarantee", line={"color": color})
            continue
        fig.add_scatter(
            x=region.sigma[[0, -1]], y=[top, top], mode="lines", line={"width": 0}, showlegend=False, hoverinfo="skip"
        )
        width, filled = 4 if region.name == "Tight" else 2, {"fill": "tonexty", "fillcolor": faint(color)}
        line(fig, region.sigma, region.lam, region.name, color, None, width, "λ ≥ %{y:.4g}", **filled)
    marker = {"size": 13, "color": THEMES[mode].text, "line": {"width": 1.5, "color": THEMES[mode].background}}
    for spot in spots:
        look = {**marker, "symbol": spot.symbol}
        dots(fig, [spot.sigma], [spot.lam], spot.name, look, "σ = %{x:.4g}, λ = %{y:.4g}")
    fig.add_vline(
        x=gaussian, line={"color": GREEN, "dash": "dot", "width": 2.5},
        annotation={
            "text": "σ of the Gaussian mechanism", "font": {"size": 12, "color": THEMES[mode].muted},
            "bgcolor": THEMES[mode].background,
        },
    )  # fmt: skip
    fig.update_layout(legend_traceorder="normal")
    fig.update_xaxes(title_text="noise σ", unifiedhovertitle_text="σ = %{x:.4g}")
    fig.update_yaxes(title_text="regularisation λ", **decades(), range=[None, math.log10(top) + _HEADROOM])
    return fig


def extremal_figure(extremal: ExtremalCurves, mode: str) -> go.Figure:
    """The extremal shift with the noise density, the loss that causes it, and the reward whose area is δ."""
    tokens = THEMES[mode]
    titles = "How far the record moves the noise", "The loss that does it", "Reward along the shift: area δ"
    fig = panels(mode, titles, height=370, widths=[0.4, 0.25, 0.35])
    of_shift, of_loss = "u = %{x:.3f}<br>shift %{y:.4g}<extra></extra>", "m = %{x:.3g}<br>f = %{y:.4g}<extra></extra>"
    of_reward = "e = %{x:.4g}<br>%{y:.4g}<extra></extra>"
    added, removed = extremal.other_direction, extremal.shift
    for curve, name, color, dash, width, hover, col in (
        (extremal.noise, "noise density (scaled)", GREY, None, 1, None, 1),
        (added, f"shift, {added.name}", GREEN, "dot", 2.5, of_shift, 1),
        (removed, f"shift, {removed.name}", BLUE, "solid", 4, of_shift, 1),
        (extremal.loss, "loss f(m)", PURPLE, None, 3, of_loss, 2),
        (extremal.reward, "reward", VERMILLION, None, 2.5, of_reward, 3),
    ):
        filled = {"fill": "tozeroy", "fillcolor": faint(color)} if color in (GREY, VERMILLION) else {}
        line(fig, curve.x, curve.y, name, color, dash, width, hover, col=col, row=1, **filled)
    if extremal.join is not None:
        fig.add_vline(
            x=extremal.join, line={"color": tokens.muted, "dash": "dash", "width": 1}, col=3, row=1,
            annotation={"text": "ramp begins", "xanchor": "left", "yanchor": "top", "font": {"size": 12, "color": tokens.muted}},
        )  # fmt: skip
    fig.update_xaxes(title_text="noise u (in σ)", range=[extremal.noise.x[0], extremal.noise.x[-1]], col=1, row=1)
    fig.update_yaxes(title_text="shift e (in σ)", rangemode="tozero", col=1, row=1)
    fig.update_xaxes(title_text="margin m = xᵀθ", col=2, row=1)
    fig.update_xaxes(title_text="shift e (in σ)", col=3, row=1)
    fig.update_yaxes(rangemode="tozero", exponentformat="power", col=3, row=1)
    return fig


_Lines = list[tuple[np.ndarray, np.ndarray, np.ndarray]]


def lattice_figure(lattice: _Lines, change: Change, mode: str) -> go.Figure:
    """Noises at the left, minimisers at the right; where the lattice is wider, the density is lower.

    Parameters
    ----------
    lattice : lines of noises with the minimisers they lead to
    change : one θ, and the two noises that lead to it
    mode : "light" or "dark"
    """
    fig = panels(mode, ("Noise b", "Minimiser θ that it leads to"), height=430)
    sides = (("with z", 1, BLUE, "solid", change.whole), ("without z", 2, VERMILLION, "dot", change.rest))
    _add(fig, [line[0] for line in lattice], "noises", GREY, "solid", 1)
    for name, place, color, dash, side in sides:
        _add(fig, [line[place] for line in lattice], name, color, dash, 2)
        symbol, edge = "x" if place == 1 else "circle-open", {"width": 2, "color": color}
        marker, told = {"color": color, "size": 11, "symbol": symbol, "line": edge}, "b = (%{x:.4g}, %{y:.4g})"
        dots(fig, side.noise[:1], side.noise[1:], f"b of θ {name}", marker, told, col=1, row=1)
    marker, told = {"color": THEMES[mode].text, "size": 11}, "θ = (%{x:.4g}, %{y:.4g})"
    dots(fig, change.theta[:1], change.theta[1:], "θ", marker, told, col=2, row=1)
    for col, name in ((1, "b"), (2, "θ")):
        fig.update_xaxes(title_text=f"{plain(name)}<sub>1</sub>", showgrid=False, col=col, row=1)
        fig.update_yaxes(title_text=f"{plain(name)}<sub>2</sub>", showgrid=False, col=col, row=1)
    return fig


def _add(fig: go.Figure, lines: list[np.ndarray], name: str, color: str, dash: str, col: int) -> None:
    """Add all lines as one trace with gaps."""
    x, y = ([value for line in lines for value in (*line[:, axis].tolist(), None)] for axis in (0, 1))
    line(fig, x, y, name, color, dash, 2, None, col=col, row=1)
