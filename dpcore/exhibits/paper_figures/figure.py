"""Figures 1 and 2 of the per-instance paper, from their computed values."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dpcore.exhibits.paper_figures.efficiency import Efficiency
from dpcore.exhibits.paper_figures.study import PaperFigures
from dpcore.exhibits.per_instance.rows_figure import Marker, epsilon_histogram
from dpcore.exhibits.per_instance.story_figure import boxes
from dpcore.figures.colors import BLUE, GREEN, GREY, ORANGE, VERMILLION
from dpcore.figures.curves import largest_ratio, log_axis, ring_trace
from dpcore.figures.theme import figure, plain
from dpcore.individual.all_rows.pictured import Histogram


def first(found: PaperFigures, binned: Histogram, mode: str) -> go.Figure:
    """Figure 1: rows by ε, pDP for all and the DP worst case as lines."""
    markers = [Marker("pDP for all", found.for_all, "for_all")]
    if found.worst_case is not None:
        markers.append(Marker("DP worst case", found.worst_case, "worst_case"))
    return epsilon_histogram(binned, markers, mode)


def second_left(found: PaperFigures, mode: str) -> go.Figure:
    """Figure 2, left: boxes of per-instance ε with the worst case, against the noise."""
    return boxes(found.left.groups, "Gaussian noise", mode, worst=found.left.worst)


def second_right(found: PaperFigures, mode: str) -> go.Figure:
    """Figure 2, right: ε against excess risk of a posterior sample, by four accounts of the same draw; rings at the γ chosen."""
    fig, pane = figure(mode, height=330), found.right
    mean = [group.mean for group in pane.groups]
    lines = (
        ("exponential mechanism, pure DP", found.exponential, {"color": ORANGE, "width": 2, "dash": "solid"}),
        ("DP worst case, exact", pane.worst, {"color": VERMILLION, "width": 4}),
        ("most exposed row", [group.largest for group in pane.groups], {"color": BLUE, "width": 2, "dash": "dot"}),
        ("mean over the rows", mean, {"color": BLUE, "width": 4}),
    )
    for name, values, line in lines:
        fig.add_scatter(x=found.excess, y=values, mode="lines+markers", name=plain(name), line=line)
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
    for name, values, line in (
        ("private, predicted", [one.predicted for one in found], {"color": BLUE, "width": 2}),
        ("without privacy, measured", [one.not_private for one in found], {"color": GREY, "width": 2, "dash": "dot"}),
        ("Cramér–Rao bound", [one.cramer_rao for one in found], {"color": GREEN, "width": 4}),
    ):
        fig.add_scatter(x=n, y=values, mode="lines", name=plain(name), line=line)
    log_axis(fig.update_xaxes, largest_ratio(n))
    values = [v for one in found for v in (one.measured, one.predicted, one.cramer_rao)]
    log_axis(fig.update_yaxes, largest_ratio(values))
    fig.update_xaxes(title_text="rows n")
    fig.update_yaxes(title_text="E‖θ − θ₀‖²")
    return fig
