"""Printed against corrected against computed, along one parameter."""

from __future__ import annotations

import math
from collections.abc import Iterable
from textwrap import wrap

import plotly.graph_objects as go

from dpcore.errata import Sweep
from dpcore.figures.curves import largest_ratio, log_axis
from dpcore.figures.theme import LINE_STYLES, PALETTE, THEMES, figure, plain
from dpcore.profiles import Bound

_TITLE = 42  # characters that fit beside the axis
_MANY_TIMES = 50.0  # ratio from which an axis of positive values is logarithmic


def erratum_figure(
    sweep: Sweep,
    quantity: str,
    at: float,
    mode: str,
    *,
    names: tuple[str, str, str] = ("as printed", "corrected", "computed"),
) -> go.Figure:
    """The three numbers as curves: printed dashed with crosses, corrected solid, computed as rings.

    Parameters
    ----------
    sweep : the three numbers over a range
    quantity : what they are
    at : place of the line
    mode : "light" or "dark"
    names : of what is printed, corrected and computed
    """
    fig = figure(mode, height=340)
    blue, vermillion, green = PALETTE[:3]
    fig.add_scatter(
        x=sweep.x, y=_drawable(sweep.corrected), name=plain(names[1]), mode="lines",
        line={"color": blue, **LINE_STYLES[Bound.EXACT]}, hovertemplate="%{y:.4g}",
    )  # fmt: skip
    fig.add_scatter(
        x=sweep.x, y=_drawable(sweep.printed), name=plain(names[0]), mode="lines+markers",
        marker={"symbol": "x", "size": 8, "maxdisplayed": 16}, hovertemplate="%{y:.4g}",
        line={"color": vermillion, **LINE_STYLES[Bound.CLAIMED]},
    )  # fmt: skip
    fig.add_scatter(
        x=sweep.x, y=_drawable(sweep.computed), name=plain(names[2]), mode="markers", hovertemplate="%{y:.4g}",
        marker={"symbol": "circle-open", "size": 9, "color": green, "line": {"width": 2}, "maxdisplayed": 24},
    )  # fmt: skip
    fig.add_shape(
        type="line", x0=at, x1=at, y0=0, y1=1, yref="paper",
        line={"color": THEMES[mode].muted, "width": 1, "dash": "dash"},
    )  # fmt: skip
    fig.update_xaxes(
        title_text=plain(sweep.parameter.words), unifiedhovertitle_text=f"{plain(sweep.parameter.symbol)} = %{{x:.4g}}"
    )
    fig.update_yaxes(title_text="<br>".join(plain(line) for line in wrap(quantity, _TITLE)[:3]))
    if sweep.parameter.scale == "log":
        log_axis(fig.update_xaxes, sweep.x[-1] / sweep.x[0])
    values = [v for line in (sweep.printed, sweep.corrected, sweep.computed) for v in line if math.isfinite(v)]
    if values and min(values) > 0 and max(values) / min(values) > _MANY_TIMES:
        log_axis(fig.update_yaxes, largest_ratio(values))
    return fig


def _drawable(values: Iterable[float]) -> list[float | None]:
    return [float(value) if math.isfinite(value) else None for value in values]
