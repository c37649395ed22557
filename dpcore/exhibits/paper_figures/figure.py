"""Figures 1 and 2 of the per-instance paper, from their computed values."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from dpcore.exhibits.paper_figures.conversion import Conversion
from dpcore.exhibits.paper_figures.efficiency import Efficiency
from dpcore.exhibits.paper_figures.proposition16 import ExcessTail
from dpcore.exhibits.paper_figures.study import PaperFigures
from dpcore.exhibits.paper_figures.township import Township
from dpcore.exhibits.per_instance.rows_figure import Marker, epsilon_histogram
from dpcore.exhibits.per_instance.story_figure import boxes
from dpcore.figures.colors import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, SKY, VERMILLION
from dpcore.figures.curves import add_curves, largest_ratio, log_axis, ring_trace
from dpcore.figures.parts import dots, line
from dpcore.figures.theme import THEMES, figure, plain
from dpcore.individual.all_rows.pictured import Histogram
from dpcore.profiles.curves import Curve

# Digits of each ε: with one fewer, their ratio in words could not be found from them. Then the height of the arrow between
# two lines, in units of the highest bar: with more, it meets the words of the lines. On a narrow screen it is lower.
_DIGITS, _ARROW, _LOW = 4, 1.18, 0.62


def first(found: PaperFigures, binned: Histogram, mode: str, *, multiple: str, narrow: bool = False) -> go.Figure:
    """Figure 1: the histogram of ε over the rows, with lines for the average row, pDP for all and the worst case.

    An arrow from the average row to the worst case says how many times it is; it is not drawn if `multiple` is empty.
    """
    average, worst = float(found.result.epsilon.mean()), found.worst_case
    named = [("average row", average, "median"), ("worst record, these data", found.for_all, "for_all")]
    named += [("worst record, any data", worst, "worst_case")] if worst is not None else []
    fig = epsilon_histogram(binned, [Marker(*one, digits=_DIGITS) for one in named], mode)
    ends = [average, math.sqrt(average * worst), worst] if multiple and worst is not None else [None] * 3
    height = (_LOW if narrow else _ARROW) * max(1, *binned.counts)
    fig.add_scatter(
        x=ends, y=[height] * 3, mode="lines+markers+text", line={"color": VERMILLION, "width": 3},
        marker={"symbol": ["triangle-left", "line-ew", "triangle-right"], "size": [13, 0, 13], "color": VERMILLION},
        text=["", f"<b>{plain(multiple)}</b>", ""], textposition="top center",
        textfont={"size": 24, "color": INK[VERMILLION]}, hoverinfo="skip", showlegend=False, cliponaxis=False,
    )  # fmt: skip
    return fig


def second_left(found: PaperFigures, mode: str) -> go.Figure:
    """Figure 2, left: boxes of per-instance ε and the worst case, against the noise."""
    return boxes(found.left.groups, "Gaussian noise", mode, worst=found.left.worst)


def second_right(found: PaperFigures, mode: str) -> go.Figure:
    """Figure 2, right: ε against excess risk of a posterior sample, by four definitions; rings at the chosen γ."""
    fig, pane = figure(mode, height=330), found.right
    mean = [group.mean for group in pane.groups]
    lines = (
        ("exponential mechanism, pure DP", found.exponential, {"color": ORANGE, "width": 2, "dash": "solid"}),
        ("DP worst case, exact", pane.worst, {"color": VERMILLION, "width": 4}),
        ("most exposed row", [group.largest for group in pane.groups], {"color": BLUE, "width": 2, "dash": "dot"}),
        ("mean over the rows", mean, {"color": BLUE, "width": 4}),
    )
    for name, values, pen in lines:
        fig.add_scatter(x=found.excess, y=values, mode="lines+markers", name=plain(name), line=pen)
    at = pane.values.index(found.gamma)
    fig.add_trace(ring_trace(mode, (found.excess[at], mean[at]), (found.excess[at], pane.worst[at])))
    log_axis(fig.update_xaxes, largest_ratio(found.excess))
    shown = [value for _, values, _ in lines for value in values if value is not None]
    log_axis(fig.update_yaxes, largest_ratio(shown))
    fig.update_xaxes(title_text="excess risk per row")
    fig.update_yaxes(title_text="ε (nats)")
    return fig


def efficiency(found: Sequence[Efficiency], mode: str) -> go.Figure:
    """Mean squared error against n: measured with two standard errors, predicted, not private, Cramér–Rao bound."""
    fig = figure(mode, height=360)
    n = [one.n for one in found]
    bars = {"type": "data", "array": [2 * one.standard_error for one in found]}
    fig.add_scatter(
        x=n, y=[one.measured for one in found], mode="markers", name="private, measured (two standard errors)",
        marker={"color": BLUE, "size": 9}, error_y=bars,
    )  # fmt: skip
    for name, values, pen in (
        ("private, predicted", [one.predicted for one in found], {"color": BLUE, "width": 2}),
        ("without privacy, measured", [one.not_private for one in found], {"color": GREY, "width": 2, "dash": "dot"}),
        ("Cramér–Rao bound", [one.cramer_rao for one in found], {"color": GREEN, "width": 4}),
    ):
        fig.add_scatter(x=n, y=values, mode="lines", name=plain(name), line=pen)
    log_axis(fig.update_xaxes, largest_ratio(n))
    values = [v for one in found for v in (one.measured, one.predicted, one.cramer_rao)]
    log_axis(fig.update_yaxes, largest_ratio(values))
    fig.update_xaxes(title_text="rows n")
    fig.update_yaxes(title_text="E‖θ − θ₀‖²")
    return fig


COLORS: Mapping[str, str] = {
    "Any record": VERMILLION, "Targets from elsewhere": ORANGE, "Rows of the data": BLUE, "Leading term of 16.2": SKY,
    "Proposition 16.4": VERMILLION, "χ² law": BLUE, "Mean": GREY,
    "(10) as printed": PURPLE, "(10) corrected": VERMILLION, "Worst case of DP": ORANGE, "(9) corrected": SKY,
    "Any record, these data": BLUE, "Remark 15, corrected": VERMILLION, "Theorem 14, corrected": ORANGE, "Short form": GREEN,
    "Worst record at this eigenvalue": BLUE, "This record": BLUE,
    "Anybody by income": VERMILLION, "Fact 5": VERMILLION, "From ε and δ alone": ORANGE, "Rows counted": BLUE,
    "Order 1": VERMILLION, "Order 2": ORANGE, "Order 4": PURPLE, "Order 8": GREEN,
}  # fmt: skip


def lines(curves: Sequence[Curve], mode: str, *, across: str, up: str, height: int = 360) -> go.Figure:
    """Curves over two logarithmic axes: the name decides the colour, the kind of bound the line style.

    Parameters
    ----------
    curves : each with a name in `COLORS`
    mode : "light" or "dark"
    across, up : titles of the axes
    height : pixels
    """
    fig = figure(mode, height=height)
    add_curves(fig, curves, colors=COLORS, hover="%{y:.4g}<extra>%{fullData.name}</extra>")
    x, y = (np.concatenate(parts) for parts in ([c.x for c in curves], [c.y for c in curves]))
    y = y[np.isfinite(y) & (y > 0)]
    log_axis(fig.update_xaxes, largest_ratio(x))
    log_axis(fig.update_yaxes, largest_ratio(y))
    fig.update_xaxes(title_text=plain(across))
    fig.update_yaxes(title_text=plain(up))
    return fig


def excess(found: ExcessTail, mode: str) -> go.Figure:
    """The excess that one draw exceeds with probability δ: exact law, bound, and counted draws."""
    fig = lines(found.curves, mode, across="probability δ that a draw is worse", up="F(θ̃) − F(θ̂)")
    ring = {"color": THEMES[mode].text, "size": 8, "symbol": "circle-open", "line": {"width": 2}}
    dots(fig, found.seen_delta, found.seen, "draws counted", ring, "%{y:.4g}<extra>draws counted</extra>")
    fig.update_xaxes(autorange="reversed")
    return fig


def conversion_figure(found: Conversion, mode: str, *, released: bool) -> go.Figure:
    """ε of the worst record against the smallest eigenvalue, with that of the data and what was released about it."""
    fig = lines([found.curve], mode, across="smallest eigenvalue of H", up="ε at δ/3 (nats)")
    marks = [("λₘᵢₙ of the data, confidential", found.eigenvalue, GREY, "dash")]
    if released:
        marks += [
            ("released with noise", found.released, GREEN, "solid"),
            ("exceeded with probability 1 − δ/3", found.secured, GREEN, "dot"),
            ("enough for ε/2", found.target, VERMILLION, "dashdot"),
        ]
    low, high = float(found.curve.y.min()), float(found.curve.y.max())
    for name, x, color, dash in marks:
        if x > 0:
            line(fig, [x, x], [low, high], name, color, dash, 2, "%{x:.4g}<extra>%{fullData.name}</extra>")
    fig.update_layout(hovermode="closest")
    return fig


def township_figure(found: Township, mode: str) -> go.Figure:
    """ε against income: the households of the township, and anyone who might live there."""
    fig = lines([found.curve], mode, across="income", up="ε (nats, δ = 0)")
    told, marker = "income %{x:,.0f}: ε %{y:.3g}<extra></extra>", {"color": GREEN, "size": 7, "opacity": 0.7}
    dots(fig, found.incomes, found.residents, "households of the township", marker, told)
    fig.update_layout(hovermode="closest")
    return fig
