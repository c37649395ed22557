"""Two log-concave densities, and their profile and trade-off curve with those of the Gaussian that dominates them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from dpcore.figures.colors import BLUE, PURPLE, VERMILLION
from dpcore.figures.curves import add_curves, log_probability_axis, named_dots
from dpcore.figures.parts import faint, line
from dpcore.figures.theme import figure
from dpcore.profiles.curves import Curve

Marked = tuple[float, float, str]  # ε, δ and the words of a point
FIRST, SECOND = BLUE, PURPLE
_WIDTH, _HEIGHT = 7.0, 0.75  # smallest ends of the axes of x and of the density
# Share of the highest δ below which a point can hardly be told from 0 on a linear axis. Doubled, the axis becomes
# logarithmic at a smaller ε.
_LOW = 0.1
_FLOOR = 1e-10  # lowest δ in sight on a logarithmic axis
_ROOM = 1.08  # least length of the linear axis as a multiple of the highest δ, since words stand above a point
_STEPS = (1.1, 1.5, 2.2, 3.2, 4.5, 6.5, 9.0, 11.0)  # ends of the linear axis, times a power of ten
_LEFT = 0.2  # share of the ε axis that the words beside a point need to the left of it
COLORS = {
    "Q likelier": SECOND,
    "P likelier": FIRST,
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


def profile_figure(curves: Sequence[Curve], mode: str, here: Mapping[str, Marked]) -> go.Figure:
    """δ(ε) of the pair, in the order looked at, under the theorem's curve.

    Parameters
    ----------
    curves : of which those with a point are drawn; all decide the ends of the axes
    mode : "light" or "dark"
    here : name of a curve → its point looked at, whose words name the curve; first the pair's, then the theorem's
    """
    fig = figure(mode, height=360, showlegend=False)
    add_curves(fig, [curve for curve in curves if curve.name in here], colors=COLORS, hover="δ = %{y:.3g}")
    right, marked = max(float(curve.x[-1]) for curve in curves), list(here.values())
    below = "bottom left" if marked[0][0] > _LEFT * right else "bottom right"
    names = named_dots(marked, [COLORS[name] for name in here], [below, "top right"], right=right)
    fig.add_trace({**names, "cliponaxis": False})
    fig.update_xaxes(title_text="ε (nats)", range=[0, right], unifiedhovertitle_text="ε = %{x:.3f}")
    top = max(float(curve.y[0]) for curve in curves)
    axis = _linear(top) if marked[-1][1] >= _LOW * top else log_probability_axis(_FLOOR)
    fig.update_yaxes(axis, autorange=False)  # kept if its type changes
    return fig


def _linear(top: float) -> dict[str, Any]:
    """A linear δ axis with room for words over the highest point; its end moves in steps, so that few changes move it."""
    least = _ROOM * top
    power = 10.0 ** math.floor(math.log10(least))
    end = next(step * power for step in _STEPS if step * power >= least)
    return {"type": "linear", "title": {"text": "δ"}, "range": [0, end]}
