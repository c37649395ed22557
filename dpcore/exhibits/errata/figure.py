"""The printed, the corrected and the computed number against one parameter."""

import math
from collections.abc import Iterable
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go

from dpcore.errata import Sweep
from dpcore.exhibits.errata.view import Mark, chosen, places
from dpcore.figures.colors import PALETTE
from dpcore.figures.curves import largest_ratio, log_axis, named_dots, upright
from dpcore.figures.parts import dots, faint, line
from dpcore.figures.theme import LINE_STYLES, figure, plain
from dpcore.profiles import Bound

_TITLE = 42  # characters of a title that fit beside the axis
# A logarithmic axis whose last value is fewer times its first might have one tick of 1, 2 and 5 only, so Plotly chooses
# them.
_FEW_TICKS = 5.0
_BAR = 0.3  # opacity of the bar between both numbers; doubled, it hides the curves behind it


def erratum_figure(
    sweep: Sweep,
    quantity: str,
    at: float,
    mode: str,
    *,
    names: tuple[str, str, str] = ("as printed", "corrected", "computed"),
    marks: tuple[Mark, ...] = (),
) -> go.Figure:
    """The three numbers as curves: printed dashed with crosses, corrected solid, computed as rings; a bar from mark to mark.

    A corrected curve that is the printed one, since the mended mechanism keeps its claim, is not drawn.

    The axes are chosen so that the two marked numbers can be told apart: the vertical one is linear if it must be, and
    the horizontal one shows only a part around `at` if that is not enough.

    Parameters
    ----------
    sweep : the three numbers over a range
    quantity : what they are
    at : place of the vertical line
    mode : "light" or "dark"
    names : names of the printed, the corrected and the computed curve
    marks : the printed and the computed number at `at`
    """
    fig = figure(mode, height=360, showlegend=False, margin={"t": 20})
    blue, vermillion, green = PALETTE[:3]
    exact, claimed = LINE_STYLES[Bound.EXACT], LINE_STYLES[Bound.CLAIMED]
    crosses: dict[str, Any] = {"mode": "lines+markers", "marker": {"symbol": "x", "size": 8, "maxdisplayed": 16}}
    rings = {"symbol": "circle-open", "size": 9, "color": green, "line": {"width": 2}, "maxdisplayed": 24}
    if _drawable(sweep.corrected) != _drawable(sweep.printed):
        line(fig, sweep.x, _drawable(sweep.corrected), names[1], blue, hover="%{y:.4g}", **exact)
    line(fig, sweep.x, _drawable(sweep.printed), names[0], vermillion, hover="%{y:.4g}", **claimed, **crosses)
    dots(fig, sweep.x, _drawable(sweep.computed), names[2], rings, "%{y:.4g}")
    fig.add_shape(upright(mode, at))
    apart = [mark.value for mark in marks if math.isfinite(mark.value)]
    line(
        fig,
        [at] * len(apart),
        apart,
        "from one to the other",
        faint(vermillion, _BAR),
        None,
        14,
        None,
        showlegend=False,
    )
    fig.update_xaxes(
        title_text=plain(sweep.parameter.words), exponentformat="none",
        unifiedhovertitle_text=f"{plain(sweep.parameter.symbol)} = %{{x:.4g}}",
    )  # fmt: skip
    fig.update_yaxes(title_text="<br>".join(plain(line) for line in wrap(quantity, _TITLE)[:3]))
    view = chosen(sweep, at, [mark.value for mark in marks])
    if view is not None:
        for update, ends, log, drawn in zip(
            (fig.update_xaxes, fig.update_yaxes), (view.x, view.y), view.logs, view.ranges, strict=True
        ):
            update(range=drawn)
            if log:
                ratio = largest_ratio(ends)
                log_axis(update, ratio if ratio > _FEW_TICKS else 1.0)
    if view is not None and marks:
        seen = [mark for mark in marks if math.isfinite(mark.value) and (mark.value > 0 or not view.logs[1])]
        colors = [color for mark, color in zip(marks, (vermillion, green), strict=True) if mark in seen]
        beside = places(sweep, at, seen, view) if seen else []
        fig.add_trace(named_dots([(at, mark.value, mark.words) for mark in seen], colors, beside))
        fig.data[-1].cliponaxis = False
    return fig


def _drawable(values: Iterable[float]) -> list[float | None]:
    return [float(value) if math.isfinite(value) else None for value in values]
