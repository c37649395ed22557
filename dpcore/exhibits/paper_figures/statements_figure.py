"""Statements of the per-instance paper as curves: bounds beside the exact value they bound."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from dpcore.exhibits.paper_figures.conversion import Conversion
from dpcore.exhibits.paper_figures.proposition16 import ExcessTail
from dpcore.exhibits.paper_figures.township import Township
from dpcore.figures.colors import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION
from dpcore.figures.curves import add_curves, largest_ratio, log_axis
from dpcore.figures.parts import dots, line
from dpcore.figures.theme import THEMES, figure, plain
from dpcore.profiles.curves import Curve

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
    """Curves over two logarithmic axes, coloured by name, their style by what they are.

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
    """The excess that one draw exceeds with probability δ: law, bound, and draws counted."""
    fig = lines(found.curves, mode, across="probability δ that a draw is worse", up="F(θ̃) − F(θ̂)")
    ring = {"color": THEMES[mode].text, "size": 8, "symbol": "circle-open", "line": {"width": 2}}
    dots(fig, found.seen_delta, found.seen, "draws counted", ring, "%{y:.4g}<extra>draws counted</extra>")
    fig.update_xaxes(autorange="reversed")
    return fig


def conversion_figure(found: Conversion, mode: str, *, released: bool) -> go.Figure:
    """ε of the worst record against the smallest eigenvalue, with that of the data, and what was released of it."""
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
    """ε against income: the households of the township, and anybody who might live there."""
    fig = lines([found.curve], mode, across="income", up="ε (nats, δ = 0)")
    told, marker = "income %{x:,.0f}: ε %{y:.3g}<extra></extra>", {"color": GREEN, "size": 7, "opacity": 0.7}
    dots(fig, found.incomes, found.residents, "households of the township", marker, told)
    fig.update_layout(hovermode="closest")
    return fig
