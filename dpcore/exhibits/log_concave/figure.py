"""Two log-concave densities, and their profile and trade-off curve with those of the Gaussian that dominates them."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dpcore.figures.colors import BLUE, PURPLE, VERMILLION
from dpcore.figures.curves import add_curves, log_probability_axis, named_dots
from dpcore.figures.parts import faint, line
from dpcore.figures.theme import figure
from dpcore.profiles.curves import Curve

FIRST, SECOND = BLUE, PURPLE
_WIDTH, _HEIGHT = 7.0, 0.75  # smallest ends of the axes of x and of the density
COLORS = {
    "δ(P‖Q), Q likelier": SECOND,
    "δ(Q‖P), P likelier": FIRST,
    "T(P‖Q), P is tested": SECOND,
    "T(Q‖P), Q is tested": FIRST,
    "Gaussian of the theorem": VERMILLION,
}


def densities_figure(densities: Sequence[Curve], mode: str) -> go.Figure:
    """Both densities on one axis."""
    fig = figure(mode, height=360)
    for curve, color, dash in zip(densities, (FIRST, SECOND), ("solid", "dash"), strict=True):
        filled = {"fill": "tozeroy", "fillcolor": faint(color)}
        line(fig, curve.x, curve.y, curve.name, color, dash, 3, "%{y:.3g}", **filled)
    across, up = _ends(densities)
    fig.update_xaxes(title_text="x", range=across)
    fig.update_yaxes(title_text="density", range=up)
    return fig


def _ends(densities: Sequence[Curve]) -> tuple[list[float], list[float]]:
    """Ends of both axes, doubled until both curves are in sight."""
    far, high = _WIDTH, _HEIGHT
    while any(max(-curve.x[0], curve.x[-1]) > far for curve in densities):
        far *= 2
    while any(max(curve.y) > high for curve in densities):
        high *= 2
    return [-far, far], [0.0, 1.05 * high]


def profile_figure(
    curves: Sequence[Curve], mode: str, *, floor: float, here: Sequence[tuple[float, float, str]] = ()
) -> go.Figure:
    """δ(ε) of the pair in both orders under the theorem's curve.

    Parameters
    ----------
    curves : what to draw
    mode : "light" or "dark"
    floor : lowest δ in sight
    here : points of the pair and of the theorem, each with its words
    """
    fig = figure(mode, height=360)
    add_curves(fig, curves, colors=COLORS, hover="δ = %{y:.3g}")
    right = max(float(curve.x[-1]) for curve in curves)
    fig.add_trace(named_dots(here, [FIRST, VERMILLION], ["bottom left", "top right"], right=right))
    fig.update_xaxes(title_text="ε (nats)", range=[0, right], unifiedhovertitle_text="ε = %{x:.3f}")
    fig.update_yaxes(log_probability_axis(floor))
    return fig
