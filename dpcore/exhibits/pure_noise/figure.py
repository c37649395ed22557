"""Mean error of three kinds of noise, and their densities."""

import math
from collections.abc import Sequence
from dataclasses import replace

import plotly.graph_objects as go

from dpcore.figures.colors import BLUE, GREEN, VERMILLION
from dpcore.figures.curves import add_curves, log_axis, named_dots
from dpcore.figures.theme import THEMES, figure
from dpcore.profiles.curves import Curve

COLORS = {"Laplace": VERMILLION, "Staircase": GREEN, "Gaussian": BLUE}
# Ends of the axis of multiples. Doubled, the last reaches to a Gaussian error that only smaller δ have.
_LEAST, _MOST = 0.05, 5.0


def error_figure(
    curves: Sequence[Curve], epsilon: float, mode: str, *, here: Sequence[tuple[float, float, str]]
) -> go.Figure:
    """Mean error against ε, in units of that of Laplace noise, with a line at the ε looked at.

    Parameters
    ----------
    curves : mean errors, first those of Laplace noise
    epsilon : where one looks
    mode : "light" or "dark"
    here : the points of staircase and Gaussian noise there, each with its words
    """
    multiples = [replace(curve, y=curve.y / curves[0].y) for curve in curves]
    fig = figure(mode, height=380, showlegend=False, margin={"t": 24})
    add_curves(fig, multiples, colors=COLORS, hover="%{y:.3g} ×")
    fig.add_vline(x=epsilon, line={"color": THEMES[mode].muted, "width": 1.5, "dash": "dash"})
    marked = [*here, (epsilon, 1.0, "Laplace: 1 ×")]
    colors = [COLORS[name] for name in ("Staircase", "Gaussian", "Laplace")]
    fig.add_trace(named_dots(marked, colors, ["bottom left", "top left", "top right"]))
    fig.update_xaxes(title_text="privacy loss ε of all answers together (nats)")
    log_axis(fig.update_xaxes, float(curves[0].x[-1] / curves[0].x[0]))
    fig.update_yaxes(title_text="mean error ÷ that of Laplace noise", range=[math.log10(_LEAST), math.log10(_MOST)])
    log_axis(fig.update_yaxes, _MOST / _LEAST)
    return fig


def noise_laws_figure(curves: Sequence[Curve], mode: str) -> go.Figure:
    """The densities of the noise at one ε."""
    fig = figure(mode, height=380)
    add_curves(fig, curves, colors=COLORS, hover="%{y:.3g}")
    fig.update_xaxes(title_text="noise added to an answer (sensitivities)")
    fig.update_yaxes(title_text="density", rangemode="tozero")
    fig.update_layout(showlegend=False)
    return fig
