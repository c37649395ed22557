"""The printed, the corrected and the computed number against one parameter."""

import math
from collections.abc import Iterable
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go

from dpcore.errata import Sweep
from dpcore.figures.colors import PALETTE
from dpcore.figures.curves import largest_ratio, log_axis, upright
from dpcore.figures.parts import dots, line
from dpcore.figures.theme import LINE_STYLES, figure, plain
from dpcore.profiles import Bound

_TITLE = 42  # characters of a title that fit beside the axis
_MANY_TIMES = 50.0  # an axis of positive values with a larger ratio of its ends is logarithmic


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
    at : place of the vertical line
    mode : "light" or "dark"
    names : names of the printed, the corrected and the computed curve
    """
    fig = figure(mode, height=340)
    blue, vermillion, green = PALETTE[:3]
    exact, claimed = LINE_STYLES[Bound.EXACT], LINE_STYLES[Bound.CLAIMED]
    crosses: dict[str, Any] = {"mode": "lines+markers", "marker": {"symbol": "x", "size": 8, "maxdisplayed": 16}}
    rings = {"symbol": "circle-open", "size": 9, "color": green, "line": {"width": 2}, "maxdisplayed": 24}
    line(fig, sweep.x, _drawable(sweep.corrected), names[1], blue, hover="%{y:.4g}", **exact)
    line(fig, sweep.x, _drawable(sweep.printed), names[0], vermillion, hover="%{y:.4g}", **claimed, **crosses)
    dots(fig, sweep.x, _drawable(sweep.computed), names[2], rings, "%{y:.4g}")
    fig.add_shape(upright(mode, at))
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
