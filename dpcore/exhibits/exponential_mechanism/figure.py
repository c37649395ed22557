"""The exponential mechanism: densities of the output with draws from them, and risks with their bounds."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dpcore.exhibits.exponential_mechanism.study import SELECTION_MECHANISMS, FiniteLandscape
from dpcore.figures.colors import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION
from dpcore.figures.curves import add_curves, log_axis, named_dots, upright
from dpcore.figures.parts import dots, faint, line
from dpcore.figures.theme import SEQUENTIAL, THEMES, decades, figure, plain, template
from dpcore.profiles.curves import Curve

COLORS = {
    "Regularised, measured": BLUE,
    "Regularised, bound": VERMILLION,
    "Pure, measured": PURPLE,
    "Pure, bound": ORANGE,
    "Rate, pure": SKY,
    "Rate, (ε, δ)": GREY,
}
SHORT = dict(zip(COLORS, (
    "Regularised, exact", "Regularised, bound", "Pure, exact", "Pure, bound", "rate for pure ε-DP", "rate for (ε, δ)-DP",
), strict=True))  # fmt: skip
METHOD_LOOKS = dict(zip(SELECTION_MECHANISMS, ((BLUE, "solid"), (GREEN, "dash"), (ORANGE, "dot")), strict=True))
_RIGHT = 2.5  # ε beyond which the words beside a point stand on its left, since the axis ends on its right
# An end of the axis of losses, the factor by which it moves, its least multiple of the bound, and the share below 0.
_END, _STEP, _ABOVE, _BELOW = 1.0, 1.5, 1.25, 0.1
_MULTIPLES = 2.0  # upper end of the axis of multiples


def bowl_figure(worse: Curve, draws: Curve, best: float, here: Sequence[tuple[float, str]], mode: str) -> go.Figure:
    """How much worse than the best each answer on the line is, the draws on that curve, and lines at mean and bound.

    Parameters
    ----------
    worse : f above its minimum
    draws : the same at the draws
    best : the answer at the minimum
    here : mean over the draws' law and bound of the theorem, each with its words
    mode : "light" or "dark"
    """
    (mean, _), (bound, _) = here
    end = _END
    while end > _STEP * _ABOVE * bound:
        end /= _STEP
    while end < _ABOVE * bound:
        end *= _STEP
    unlisted = {"type": "scatter", "showlegend": False}
    level = {**unlisted, "mode": "lines", "x": [-1, 1], "hoverinfo": "skip"}
    drop = {"size": 9, "color": BLUE, "opacity": 0.35}
    traces = [
        {**unlisted, "mode": "lines", "x": worse.x, "y": worse.y, "line": {"color": GREY, "width": 3},
         "name": "mean loss above the best", "hovertemplate": "%{y:.3g}"},
        {**unlisted, "mode": "markers", "x": draws.x, "y": draws.y, "marker": drop, "name": "draws", "hoverinfo": "skip"},
        {**level, "y": [mean, mean], "line": {"color": BLUE, "width": 2, "dash": "dash"}},
        {**level, "y": [bound, bound], "line": {"color": VERMILLION, "width": 2}},
        {**unlisted, "mode": "markers+text", "x": [best], "y": [0], "text": ["best answer"], "hoverinfo": "skip",
         "textposition": "bottom center", "marker": {"symbol": "star", "size": 13, "color": THEMES[mode].text},
         "textfont": {"size": 14, "color": THEMES[mode].text}},
        {**named_dots([(-1.0, risk, words) for risk, words in here], [BLUE, VERMILLION]), "mode": "text"},
    ]  # fmt: skip
    return figure(
        mode, traces, height=380, margin={"t": 16},
        xaxis={"range": [-1, 1], "title": {"text": "answer x"}, "showgrid": False},
        yaxis={"range": [-_BELOW * end, end], "title": {"text": "worse than the best by"}, "showgrid": False},
    )  # fmt: skip


def line_figure(
    densities: Sequence[Curve], draws: np.ndarray, heights: np.ndarray, records: np.ndarray, mode: str, *, top: float
) -> go.Figure:
    """Density of the output before and after one record is replaced, with the draws above and the records below.

    Parameters
    ----------
    densities : densities before and after the replacement
    draws, heights : outputs (n_draws, 1) and the heights at which they are drawn
    records : values of the records
    mode : "light" or "dark"
    top : largest density in sight, the same at every ε
    """
    fig = figure(mode, height=380)
    drop = {"size": 6, "color": SKY if mode == "dark" else BLUE, "opacity": 0.55, "symbol": "line-ns-open"}
    dots(fig, draws[:, 0], heights, "draws", drop, None, yaxis="y2")
    for curve, color, dash in zip(densities, (BLUE, VERMILLION, PURPLE), ("solid", "dash", "dot"), strict=False):
        filled = {"fill": "tozeroy" if dash == "solid" else None, "fillcolor": faint(BLUE)}
        line(fig, curve.x, curve.y, curve.name, color, dash, 3, "%{y:.3g}", **filled)
    dots(fig, records, [0.0] * len(records), "records", {"symbol": "line-ns-open", "size": 9, "color": GREY}, None)
    fig.update_layout(
        margin={"t": 60},
        xaxis={"range": [-1, 1], "title": {"text": "released value x"}},
        yaxis={"domain": [0, 0.68], "title": {"text": "density of the output"}, "range": [0, 1.05 * top]},
        yaxis2={"domain": [0.71, 1], "visible": False, "range": [0, 1], "anchor": "x"},
    )
    return fig


def plane_figure(axis: np.ndarray, density: np.ndarray, draws: np.ndarray, mode: str) -> go.Figure:
    """Density over the disc of parameters, draws on top."""
    fig = figure(mode, height=380)
    fig.add_heatmap(
        x=axis, y=axis, z=density, name="density", colorscale=SEQUENTIAL[mode],
        hovertemplate="density %{z:.3g}<extra></extra>",
        colorbar={"title": {"text": "density", "font": {"size": 14}}, "thickness": 12, "len": 0.9},
    )  # fmt: skip
    drop = {"size": 5, "color": VERMILLION, "line": {"width": 0.5, "color": THEMES[mode].background}}
    dots(fig, draws[:, 0], draws[:, 1], "draws", drop, None)
    fig.update_layout(hovermode="closest", showlegend=False, margin={"t": 20})
    fig.update_xaxes(title_text="parameter θ₁", range=[-1, 1], constrain="domain", showgrid=False)
    fig.update_yaxes(title_text="parameter θ₂", range=[-1, 1], scaleanchor="x", constrain="domain", showgrid=False)
    return fig


def landscape_risk_figure(
    curves: Sequence[Curve], at: float, mode: str, *, here: Sequence[tuple[float, str]] = ()
) -> go.Figure:
    """Excess risk against ε of mechanisms, their bounds and rates. Where points are named, they take the legend's place.

    Parameters
    ----------
    curves : what to draw
    at : ε of the line
    mode : "light" or "dark"
    here : risk and bound of the regularised mechanism there, each with its words; empty for none
    """
    fig = figure(mode, height=380)
    add_curves(fig, curves, colors=COLORS, hover="%{y:.3g}")
    for trace, curve in zip(fig.data, curves, strict=True):
        trace.update(name=plain(SHORT[curve.name]), showlegend=not here)
    beside = "top right" if at < _RIGHT else "bottom left"
    fig.add_trace(named_dots([(at, risk, words) for risk, words in here], [BLUE, VERMILLION], beside))
    fig.add_shape(upright(mode, at))
    fig.update_xaxes(title_text="privacy loss ε (nats)", type="log", dtick="D2", tickformat=".3~g")
    fig.update_xaxes(unifiedhovertitle_text="ε = %{x:.3g}")
    fig.update_yaxes(title_text="excess loss over the best answer, mean")
    log_axis(fig.update_yaxes, 1000.0)
    return fig


def dimension_figure(curves: Sequence[Curve], mode: str) -> go.Figure:
    """Both bounds against the dimension."""
    fig = figure(mode, height=260)
    add_curves(fig, curves, colors=COLORS, hover="%{y:.3g}")
    fig.update_xaxes(title_text="dimension d", **decades(), unifiedhovertitle_text="d = %{x:.0f}")
    fig.update_yaxes(title_text="bound on the excess")
    log_axis(fig.update_yaxes, 1000.0)
    return fig


def sampler_figure(exact: Curve, found: Sequence[Curve], mode: str) -> go.Figure:
    """Histograms of the first coordinate from both samplers, over the exact one."""
    fig = figure(mode, height=260)
    fig.add_bar(
        x=exact.x, y=exact.y, name=plain(exact.name), marker={"color": GREY, "opacity": 0.4}, hovertemplate="%{y:.3g}"
    )
    for curve, color, dash in zip(found, (BLUE, VERMILLION), ("solid", "dash"), strict=True):
        line(fig, curve.x, curve.y, curve.name, color, dash, 2.5, "%{y:.3g}", line_shape="hvh")
    fig.update_layout(bargap=0)
    fig.update_xaxes(title_text="first coordinate", range=[-1, 1])
    fig.update_yaxes(title_text="density")
    return fig


def finite_figure(found: FiniteLandscape, mode: str, *, top: float) -> go.Figure:
    """Errors of every classifier, its probability of selection, and this as a multiple of the exponential mechanism's.

    Parameters
    ----------
    found : errors and probabilities
    mode : "light" or "dark"
    top : largest probability at any ε; the axis ends at this value, or at half of it, a quarter and so on if that is
        enough
    """
    fig = make_subplots(
        rows=3, shared_xaxes=True, row_heights=[0.24, 0.38, 0.38], vertical_spacing=0.09,
        subplot_titles=("Errors of each classifier", "Probability of being released", "The same, × that of the exponential mechanism"),
    )  # fmt: skip
    line(fig, found.thresholds, found.errors, "errors", GREY, None, 2, "%{y:.0f}", line_shape="hv", row=1, col=1)
    for method, law in found.laws.items():
        name, look = SELECTION_MECHANISMS[method], (*METHOD_LOOKS[method], 2.5)
        multiples = found.times_exponential(method)
        line(fig, found.thresholds, law, name, *look, "%{y:.3g}", row=2, col=1)
        line(fig, found.thresholds, multiples, name, *look, "%{y:.3g} ×", showlegend=False, row=3, col=1)
    while max(float(law.max()) for law in found.laws.values()) < 0.45 * top:
        top /= 2
    fig.update_layout(template=template(mode), height=450, hovermode="x unified", legend={"y": 1.1}, margin={"t": 70})
    fig.update_annotations(font_size=14, font_color=THEMES[mode].text)
    fig.update_xaxes(title_text="threshold", row=3, col=1)
    fig.update_yaxes(rangemode="tozero", row=1, col=1)
    fig.update_yaxes(range=[0, 1.05 * top], row=2, col=1)
    fig.update_yaxes(range=[0, _MULTIPLES], row=3, col=1)
    return fig
