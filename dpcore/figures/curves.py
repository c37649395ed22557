"""Privacy profile, trade-off and Rényi figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import plotly.graph_objects as go

from dpcore.figures.theme import LINE_STYLES, PALETTE, THEMES, decades, figure, plain
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve, Pin

_FEW_DECADES = 500.0


def add_curves(
    fig: go.Figure, curves: Sequence[Curve], *, colors: Mapping[str, str], hover: str, legend: str = "legend"
) -> None:
    """Draw curves: colour by name, line style by what the curve is.

    Parameters
    ----------
    fig : drawn on
    curves : what to draw
    colors : by name of curve
    hover : template of the value
    legend : which legend
    """
    for curve in curves:
        marker = {"symbol": "x", "size": 8} if curve.bound is Bound.CLAIMED else None
        fig.add_scatter(
            x=curve.x,
            y=curve.y,
            name=f"{plain(curve.name)} — {plain(curve.note or curve.bound.value)}",
            mode="lines+markers" if marker else "lines",
            marker={**marker, "maxdisplayed": 16} if marker else None,
            line={"color": colors[curve.name], **LINE_STYLES[curve.bound]},
            hovertemplate=hover,
            legend=legend,
        )


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
    height: int = 390,
) -> go.Figure:
    """δ(ε) of several mechanisms, the target δ as a line and the point looked at as a ring.

    Parameters
    ----------
    curves : one for each mechanism
    mode : "light" or "dark"
    colors : by name of curve
    log_scale : whether the axis of δ is logarithmic
    target : δ of the line
    look_at : (ε, δ) of the ring
    height : pixels
    """
    fig = figure(mode, height=height)
    add_curves(fig, curves, colors=colors, hover="δ = %{y:.3g}")
    right = max((float(curve.x[-1]) for curve in curves), default=1.0)
    fig.update_xaxes(title_text="ε (nats)", range=[0, right], unifiedhovertitle_text="ε = %{x:.3f}")
    lowest = min(1e-10, target / 100) if log_scale else 0.0
    if log_scale:
        log_probability_axis(fig, lowest)
    else:
        fig.update_yaxes(title_text="δ", range=[0, 1])
    reference_line(fig, mode, y=target, text="target δ")
    if look_at[0] <= right and look_at[1] >= lowest:
        _ring(fig, mode, *look_at)
    else:
        fig.add_annotation(
            x=1, y=1, xref="paper", yref="paper", xanchor="right", yanchor="top", showarrow=False,
            text=f"ε = {look_at[0]:.3g} lies " + ("right of the axis" if look_at[0] > right else "below the axis"),
            font={"size": 13, "color": THEMES[mode].text},
        )  # fmt: skip
    return fig


def _ring(fig: go.Figure, mode: str, x: float, y: float) -> None:
    fig.add_scatter(
        x=[x],
        y=[y],
        mode="markers",
        marker={"symbol": "circle-open", "size": 12, "line": {"width": 2.5}, "color": THEMES[mode].text},
        showlegend=False,
        hoverinfo="skip",
    )


def log_probability_axis(fig: go.Figure, floor: float) -> None:
    """A logarithmic δ axis from 1 down to the floor, labelled in powers of ten."""
    lowest = math.floor(math.log10(floor))
    step = max(1, -lowest // 6)
    exponents = list(range(0, lowest - 1, -step))
    fig.update_yaxes(
        title_text="δ",
        type="log",
        range=[lowest, 0.05],
        tickvals=[10.0**e for e in exponents],
        ticktext=["1" if e == 0 else f"10<sup>−{-e:d}</sup>" for e in exponents],
    )


def log_axis(update: Callable[..., object], ratio: float) -> None:
    """Make an axis logarithmic, with ticks at 1-2-5 over few decades and at powers of ten over many."""
    if ratio < _FEW_DECADES:
        update(type="log", dtick="D2", tickformat=".3~g")
    else:
        update(**decades(max(1, math.ceil(math.log10(ratio) / 6))), tickformat=None)


def tradeoff_figure(
    curves: Sequence[Curve], mode: str, *, colors: Mapping[str, str], pinned_by: Pin | None = None, height: int = 195
) -> go.Figure:
    """Least type-II error at each type-I error; the diagonal is perfect privacy.

    `pinned_by` draws the two lines that one (ε, δ) alone implies for that mechanism.

    Parameters
    ----------
    curves : one for each mechanism
    mode : "light" or "dark"
    colors : by name of curve
    pinned_by : the (ε, δ) whose lines are drawn
    height : pixels
    """
    fig = figure(mode, height=height)
    add_curves(fig, curves, colors=colors, hover="%{y:.4f}")
    if pinned_by:
        for x, y in pinned_by.lines:
            fig.add_scatter(
                x=x, y=y, mode="lines", hoverinfo="skip", showlegend=False,
                line={"color": THEMES[mode].text, "width": 1, "dash": "solid"},
            )  # fmt: skip
    fig.add_scatter(
        x=[0, 1], y=[1, 0], mode="lines", name="perfect privacy", hoverinfo="skip",
        line={"color": THEMES[mode].muted, "width": 1, "dash": "dashdot"},
    )  # fmt: skip
    fig.update_xaxes(title_text="type-I error (false alarm)", range=[0, 1], unifiedhovertitle_text="type I = %{x:.4f}")
    fig.update_yaxes(title_text="least type-II error", range=[0, 1.01])
    return fig


def renyi_figure(
    curves: Sequence[Curve], mode: str, *, colors: Mapping[str, str], look_at: float, height: int = 195
) -> go.Figure:
    """Rényi divergence against its order, the order looked at as a vertical line.

    Parameters
    ----------
    curves : one for each mechanism
    mode : "light" or "dark"
    colors : by name of curve
    look_at : order of the line
    height : pixels
    """
    fig = figure(mode, height=height)
    add_curves(fig, curves, colors=colors, hover="%{y:.4g} nats")
    fig.update_xaxes(title_text="Rényi order α", unifiedhovertitle_text="α = %{x:.3g}")
    fig.update_yaxes(title_text="D<sub>α</sub> (nats)")
    values = [value for curve in curves for value in curve.y if 0 < value < math.inf]
    log_axis(fig.update_xaxes, max(curve.x[-1] for curve in curves))
    log_axis(fig.update_yaxes, max(values) / min(values) if values else 1.0)
    fig.add_shape(
        type="line", x0=look_at, x1=look_at, y0=0, y1=1, yref="paper",
        line={"color": THEMES[mode].muted, "width": 1, "dash": "dash"},
    )  # fmt: skip
    return fig


def reference_line(fig: go.Figure, mode: str, *, y: float, text: str) -> None:
    """A labelled horizontal line (annotations on a logarithmic axis are placed by exponent)."""
    muted = THEMES[mode].muted
    fig.add_shape(type="line", x0=0, x1=1, xref="paper", y0=y, y1=y, line={"color": muted, "width": 1, "dash": "dash"})
    height = math.log10(y) if fig.layout.yaxis.type == "log" else y
    fig.add_annotation(
        x=1, xref="paper", y=height, yref="y", text=plain(text), showarrow=False, xanchor="right", yanchor="bottom",
        font={"size": 12, "color": muted},
    )  # fmt: skip
