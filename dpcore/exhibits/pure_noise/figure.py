"""Mean error of three kinds of noise, and their densities."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dpcore.figures.colors import BLUE, GREEN, VERMILLION
from dpcore.figures.curves import add_curves, log_axis
from dpcore.figures.theme import THEMES, figure
from dpcore.profiles.curves import Curve

COLORS = {"Laplace": VERMILLION, "Staircase": BLUE, "Gaussian": GREEN}


def error_figure(curves: Sequence[Curve], epsilon: float, mode: str) -> go.Figure:
    """Mean error against ε, with a vertical line at one ε."""
    fig = figure(mode, height=380)
    add_curves(fig, curves, colors=COLORS, hover="%{y:.3g}")
    fig.add_vline(x=epsilon, line={"color": THEMES[mode].muted, "width": 1.5, "dash": "dash"})
    fig.update_xaxes(title_text="privacy loss ε of all answers together (nats)")
    log_axis(fig.update_xaxes, float(curves[0].x[-1] / curves[0].x[0]))
    fig.update_yaxes(title_text="mean error of an answer (sensitivities)")
    log_axis(fig.update_yaxes, max(max(curve.y) for curve in curves) / min(min(curve.y) for curve in curves))
    return fig


def noise_laws_figure(curves: Sequence[Curve], mode: str) -> go.Figure:
    """The densities of the noise at one ε."""
    fig = figure(mode, height=380)
    add_curves(fig, curves, colors=COLORS, hover="%{y:.3g}")
    fig.update_xaxes(title_text="noise added to an answer (sensitivities)")
    fig.update_yaxes(title_text="density", rangemode="tozero")
    fig.update_layout(showlegend=False)
    return fig
