"""Two log-concave densities, and their profile and trade-off curve with those of the Gaussian that dominates them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from dpcore.exhibits.log_concave.excess import Excess
from dpcore.figures.colors import BLUE, INK, PURPLE, VERMILLION
from dpcore.figures.curves import add_curves, log_probability_axis, named_dots
from dpcore.figures.theme import THEMES, figure, plain
from dpcore.profiles.curves import Curve

Marked = tuple[float, float, str]  # ε, δ and the words of a point
FIRST, SECOND = BLUE, PURPLE
_UNDER = 28  # pixels from both axes of x to their common title
_GAP = 0.06  # share of the width between two pictures
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


def areas_figure(
    found: Sequence[Excess], ends: tuple[float, float], titles: Sequence[str], names: Sequence[str], mode: str
) -> go.Figure:
    """For each pair of densities side by side: one, e^ε times the other, and the area between them that is δ.

    Parameters
    ----------
    found : the pairs
    ends : of the axis of x, and of the density
    titles : words above each pair
    names : of the density, and of e^ε times the other, beside those of the first pair
    mode : "light" or "dark"
    """
    tokens, (far, high) = THEMES[mode], ends
    traces, axes, titled = [], {}, []
    for i, (one, title) in enumerate(zip(found, titles, strict=True)):
        number, start = "2" if i else "", i * (1 + _GAP) / 2
        place = {
            "type": "scatter", "mode": "lines", "showlegend": False, "hoverinfo": "skip",
            "xaxis": f"x{number}", "yaxis": f"y{number}",
        }  # fmt: skip
        traces += [
            {**place, "x": one.held.x, "y": one.held.y, "fill": "tozeroy", "fillcolor": VERMILLION, "line": {"width": 0}},
            {**place, "x": one.allowed.x, "y": one.allowed.y, "name": one.allowed.name, "fill": "tozeroy",
             "fillcolor": tokens.border, "line": {"color": tokens.muted, "width": 2, "dash": "dash"}},
            {**place, "x": one.held.x, "y": one.held.y, "name": one.held.name, "line": {"color": BLUE, "width": 4}},
        ]  # fmt: skip
        axes[f"xaxis{number}"] = {
            "domain": [start, start + (1 - _GAP) / 2], "range": [-far, far], "showgrid": False, "anchor": f"y{number}",
        }  # fmt: skip
        axes[f"yaxis{number}"] = {
            "range": [0, high], "title": {"text": "" if i else "density"}, "showgrid": False, "showticklabels": False,
            "anchor": f"x{number}",
        }  # fmt: skip
        titled.append({
            "x": start + (1 - _GAP) / 4, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "bottom",
            "text": f"<b>{plain(title)}</b>", "font": {"size": 18, "color": INK[VERMILLION]}, "showarrow": False,
        })  # fmt: skip
    titled.append({
        "x": 0.5, "y": 0, "xref": "paper", "yref": "paper", "yanchor": "top", "yshift": -_UNDER, "showarrow": False,
        "text": "released value x",
    })  # fmt: skip
    beside = found[0].beside()
    sides = ["middle right", "middle left"] if beside[0][0] >= beside[1][0] else ["middle left", "middle right"]
    words = {
        "type": "scatter", "mode": "text", "x": [x for x, _ in beside], "y": [y for _, y in beside],
        "text": [f"\u00a0\u00a0\u00a0{plain(name)}\u00a0\u00a0\u00a0" for name in names], "textposition": sides,
        "showlegend": False, "hoverinfo": "skip",
        "textfont": {"size": 14, "color": [BLUE, tokens.muted]}, "cliponaxis": False,
    }  # fmt: skip
    return figure(mode, [*traces, words], height=330, annotations=titled, margin={"t": 36}, **axes)


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
