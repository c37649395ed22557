"""Composition: accountants side by side, the widening privacy loss, growth with repetition, the cost of tuning."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from dpcore.exhibits.composition.runs import LEAST_SEEN, DrawnLoss
from dpcore.figures.colors import BLUE, GREEN, GREY, ORANGE, PALETTE, PURPLE, SKY, VERMILLION
from dpcore.figures.curves import (
    add_curves,
    largest_ratio,
    log_axis,
    log_probability_axis,
    named_dots,
    reference_line,
    ring_trace,
    upright,
)
from dpcore.figures.parts import dots, faint, line
from dpcore.figures.theme import LINE_STYLES, THEMES, decades, figure, in_two_columns, plain
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve

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
_TALLEST = 2.1  # height of the picture, relative to the peak of the last law
# _ROOM_ABOVE is the height of the picture relative to the last ε. _GUIDE is the number of pieces of a guide line.
_ROOM_ABOVE, _GUIDE = 1.9, 60
TUNING_COLORS = {"Poisson": BLUE, "Geometric": PURPLE, "Logarithmic": ORANGE, "All runs published": VERMILLION}


def accountants_figure(curves: Sequence[Curve], mode: str, *, target: float, look_at: tuple[float, float]) -> go.Figure:
    """δ(ε) of one pipeline by every accountant; the legend says if a curve has no point in this range.

    Parameters
    ----------
    curves : one for each accountant
    mode : "light" or "dark"
    target : δ of the line
    look_at : (ε, δ) of the ring
    """
    fig = figure(mode, height=390)
    add_curves(fig, curves, colors=COLORS, hover="δ = %{y:.4g}")
    for trace, curve in zip(fig.data, curves, strict=True):
        if curve.name == "PLD":
            trace.line.width = LINE_STYLES[Bound.EXACT]["width"]  # the main curve is drawn thick
        if curve.empty:
            trace.name = f"{plain(curve.name)} — nothing in this range"
    in_two_columns(fig)
    fig.update_xaxes(title_text="ε (nats)", rangemode="tozero", unifiedhovertitle_text="ε = %{x:.3f}")
    fig.update_yaxes(log_probability_axis(min(1e-10, target / 100)))
    reference_line(fig, mode, y=target, text="target δ")
    if 0 < look_at[1] < 1:
        fig.add_trace(ring_trace(mode, look_at))
    return fig


def looseness_figure(curves: Sequence[Curve], mode: str, *, target: float) -> go.Figure:
    """ε of each accountant divided by the certified upper side, against δ."""
    fig = figure(mode, height=390)
    add_curves(fig, curves, colors=COLORS, hover="%{y:.4g} ×")
    fig.update_xaxes(title_text="δ", **decades(5), unifiedhovertitle_text="δ = %{x:.1e}")
    fig.update_yaxes(title_text="ε ÷ ε of PLD")
    values = [value for curve in curves for value in curve.y if 0 < value < math.inf]
    log_axis(fig.update_yaxes, largest_ratio(values))
    fig.add_shape(upright(mode, target))
    return fig


def growth_figure(curves: Sequence[Curve], mode: str) -> go.Figure:
    """ε at one δ against the number of times the pipeline runs; √k and k as thin guides."""
    fig = figure(mode, height=430)
    first = curves[0]
    start = next((value for value in first.y if value > 0), 1.0)
    for power, name, dash in ((0.5, "slope √k", "dashdot"), (1.0, "slope k", "dash")):
        line(fig, first.x, [start * x**power for x in first.x], name, THEMES[mode].muted, dash, 1, None)
    add_curves(fig, curves, colors=COLORS, hover="ε = %{y:.4g}")
    for trace in fig.data[2:]:
        trace.update(mode="lines+markers", marker={"size": 6})
    fig.update_xaxes(title_text="repetitions of the pipeline k", **decades(), unifiedhovertitle_text="k = %{x:,}")
    fig.update_yaxes(title_text="ε at the target δ (nats)", **decades())
    return fig


def drift_figure(laws: Sequence[DrawnLoss], times: int, mode: str, *, epsilon: float) -> go.Figure:
    """The law of the privacy loss after k runs, on axes with room for all k; the weighted area beyond ε is δ.

    Parameters
    ----------
    laws : one law for each k, increasing
    times : the k that is drawn
    mode : "light" or "dark"
    epsilon : where the tail begins
    """
    fig = figure(mode, height=430)
    text, final = THEMES[mode].text, laws[-1]
    law = next(one for one in laws if one.times == times)
    top = _top(law, final)
    low = min(final.losses[0], laws[0].losses[0])
    high = max(one.losses[-1] for one in laws)
    high = max(min(high, final.losses[-1]), 1.1 * epsilon) if epsilon < 2 * final.losses[-1] else high
    digits, exponent = f"{law.delta:.1e}".split("e")
    filled = {"fill": "tozeroy", "fillcolor": faint(BLUE, 0.18)}
    line(fig, law.losses, law.density, "privacy loss", BLUE, None, 3, "%{y:.4g} per nat", **filled)
    fig.add_scatter(
        x=law.losses, y=law.tail, name="counted with 1 − e<sup>ε−ω</sup>: its area is δ", mode="lines", fill="tozeroy",
        fillcolor="rgba(213, 94, 0, 0.75)", line={"color": VERMILLION, "width": 1}, hovertemplate="%{y:.4g} per nat",
    )  # fmt: skip
    marker = {"symbol": "triangle-up", "size": 13, "color": GREEN}
    dots(fig, [law.mean], [0.0], "mean", marker, "mean %{x:.4g}<extra></extra>", cliponaxis=False)
    fig.add_annotation(
        x=1, y=1, xref="paper", yref="paper", xanchor="right", yanchor="top", align="right", showarrow=False,
        text=f"k = {law.times:d}<br>δ &lt; 10<sup>−9</sup>" if law.delta < LEAST_SEEN
        else f"k = {law.times:d}<br>δ = {law.delta:.2g}" if law.delta >= 1e-3
        else f"k = {law.times:d}<br>δ = {digits:s} × 10<sup>−{-int(exponent):d}</sup>",
        font={"size": 17, "color": text},
    )  # fmt: skip
    fig.add_vline(
        x=epsilon, line={"color": VERMILLION, "width": 2, "dash": "dash"},
        annotation={"text": f"ε = {epsilon:.3g}", "font": {"size": 13, "color": text}, "xanchor": "left", "y": 0.8},
    )  # fmt: skip
    fig.update_xaxes(title_text="privacy loss ω (nats)", range=[low, high], unifiedhovertitle_text="ω = %{x:.3f}")
    fig.update_yaxes(title_text="probability per nat", range=[0, top])
    return fig


def _top(law: DrawnLoss, final: DrawnLoss) -> float:
    """Height of the picture: from the peak of the last law, doubled until the higher peak of this law is in sight."""
    top, peak = _TALLEST * max(final.density), max(law.density)
    return top * 2 ** max(0, math.ceil(math.log2(1.05 * peak / top))) if 0 < top < math.inf and peak > 0 else top


def roots_figure(growth: Curve, at: tuple[int, float], mode: str, target: str) -> go.Figure:
    """ε of k runs at one δ, with two guides: ε of one run times √k and times k (which leaves the picture).

    Dots name one k, and the last one, with their ε.
    """
    fig = figure(mode, height=400, margin={"t": 24})
    known = [(k, value) for k, value in zip(growth.x, growth.y, strict=True) if value > 0]
    runs, one = known[0] if known else (1.0, 1.0)
    last = known[-1][1] if known else 1.0
    top, muted = _ROOM_ABOVE * last, THEMES[mode].muted
    end = float(growth.x[-1])
    for power, label, dash in ((1.0, "one run × k", "dash"), (0.5, "one run × √k", "dashdot")):
        until = min(end, runs * (0.96 * top / one) ** (1 / power))
        x = [until * (i / _GUIDE) ** 2 for i in range(_GUIDE + 1)]
        y = [one * (value / runs) ** power for value in x]
        line(fig, x, y, label, muted, dash, 2, None, showlegend=False)
        leaves = until < 0.8 * end
        fig.add_annotation(
            x=until, y=y[-1], text=plain(label), showarrow=False, font={"size": 14, "color": muted},
            xanchor="left" if leaves else "right", yanchor="middle" if leaves else "top", xshift=6 if leaves else 0,
            yshift=0 if leaves else -26,
        )  # fmt: skip
    marked = {"mode": "lines+markers", "marker": {"size": 7}}  # what is computed, and straight lines
    line(fig, growth.x, growth.y, "ε of k runs", BLUE, None, 4, "ε = %{y:.4g}", showlegend=False, **marked)
    ends = [(*at, True), (end, last, at[0] == 1)]  # of one run the headline also names the last k
    named = [(k, value, f"k = {k:.0f}: ε = {value:.3g}" if said else "") for k, value, said in ends]
    beside = "middle right" if at[0] == 1 else "bottom right" if at[0] < 0.7 * end else "top left"  # off the guides
    fig.add_trace(named_dots(named, [BLUE, BLUE], [beside, "top left"]) | {"cliponaxis": False})
    fig.update_xaxes(title_text="runs k", range=[0, 1.02 * end], unifiedhovertitle_text="k = %{x}")
    fig.update_yaxes(title_text=f"ε at δ = {plain(target)} (nats)", range=[0, top])
    return fig


def renyi_parts_figure(curves: Sequence[Curve], mode: str) -> go.Figure:
    """Rényi curves of the steps and of their sum, on logarithmic axes."""
    fig = figure(mode, height=430)
    colors = {curve.name: PALETTE[(i + 1) % len(PALETTE)] for i, curve in enumerate(curves)} | {
        "Gaussian": GREY,
        "Whole pipeline": BLUE,
    }
    add_curves(fig, curves, colors=colors, hover="%{y:.4g} nats")
    in_two_columns(fig)
    fig.update_xaxes(title_text="Rényi order α", **decades(), unifiedhovertitle_text="α = %{x:.4g}")
    fig.update_yaxes(title_text="divergence D<sub>α</sub> (nats)", **decades())
    return fig


def tuning_figure(curves: Sequence[Curve], mode: str, *, one_run: float, chosen: float) -> go.Figure:
    """ε of publishing only the best of K runs against E[K], with ε of publishing all of them and ε of one run.

    Parameters
    ----------
    curves : one for each law of K, and one for publishing all runs
    mode : "light" or "dark"
    one_run : ε of one run
    chosen : E[K] of the vertical line
    """
    fig = figure(mode, height=430)
    add_curves(fig, curves, colors=TUNING_COLORS, hover="ε = %{y:.4g}")
    for trace in fig.data:
        trace.line.update(LINE_STYLES[curves[0].bound])
        if trace.name.startswith("All runs"):
            trace.update(mode="lines+markers", marker={"size": 6})
    fig.update_xaxes(title_text="mean number of runs E[K]", unifiedhovertitle_text="E[K] = %{x:.3g}")
    log_axis(fig.update_xaxes, 100.0)
    fig.update_yaxes(title_text="ε at the target δ (nats)", rangemode="tozero")
    reference_line(fig, mode, y=one_run, text="one run, no tuning")
    fig.add_shape(upright(mode, chosen))
    return fig
