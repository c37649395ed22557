"""The printed, the corrected and the computed number against one parameter."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dpcore.errata import Sweep
from dpcore.figures.colors import PALETTE
from dpcore.figures.curves import largest_ratio, log_axis, named_dots, upright
from dpcore.figures.parts import dots, line
from dpcore.figures.theme import LINE_STYLES, figure, plain
from dpcore.profiles import Bound

_TITLE = 42  # characters of a title that fit beside the axis
_MANY_TIMES = 50.0  # an axis of positive values with a larger ratio of its ends is logarithmic
# Share of the height by which the two marked numbers should be apart. Doubled, more records show only a part of their
# range, and fewer show the whole curves.
_APART = 0.12
_SAME = 1e-3  # numbers that differ relatively by less are one number to the eye
# Parts of the horizontal axis that are tried besides all of it; each is a share of its length, around the place looked
# at.
_PARTS = (0.5, 0.25)
_ROUND = 1e-9  # round-off of a place on an axis
_ROOM = 0.06  # share of a part's height that stays empty above and below
_SIDE = 0.3  # share of the width, at each side, in which words stand towards the middle


@dataclass(frozen=True)
class Mark:
    """A number that the headline names, with its words."""

    value: float
    words: str


@dataclass(frozen=True)
class _View:
    """Ends of the horizontal axis, values that are seen there, and whether the vertical axis is logarithmic."""

    left: float
    right: float
    values: tuple[float, ...]
    log: bool
    whole: bool

    def height(self, value: float) -> float:
        """Place of a value between the lowest and the highest one, as a share."""
        low, high, at = (math.log(one) if self.log else one for one in (min(self.values), max(self.values), value))
        return (at - low) / (high - low) if high > low else 0.0

    @property
    def ends(self) -> list[float]:
        """Ends of the vertical axis as Plotly wants them, with some room."""
        low, high = (math.log10(one) if self.log else one for one in (min(self.values), max(self.values)))
        room = _ROOM * ((high - low) or 1.0)
        return [low - room, high + room]


def erratum_figure(
    sweep: Sweep,
    quantity: str,
    at: float,
    mode: str,
    *,
    names: tuple[str, str, str] = ("as printed", "corrected", "computed"),
    marks: tuple[Mark, ...] = (),
) -> go.Figure:
    """The three numbers as curves: printed dashed with crosses, corrected solid, computed as rings.

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
    fig = figure(mode, height=380)
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
    view = _chosen(sweep, at, [mark.value for mark in marks])
    if view is not None and view.log:
        log_axis(fig.update_yaxes, largest_ratio(view.values))
    if view is not None and not view.whole:
        ends = [view.left, view.right]
        fig.update_xaxes(range=[math.log10(end) for end in ends] if sweep.parameter.scale == "log" else ends)
        fig.update_yaxes(range=view.ends)
    if view is not None and marks:
        _mark(fig, sweep, at, marks, view, (vermillion, green))
    return fig


def _chosen(sweep: Sweep, at: float, marked: Sequence[float]) -> _View | None:
    """The first view in which the marked numbers are apart, or the one in which they are furthest apart."""
    views = _views(sweep, at, [value for value in marked if math.isfinite(value)])
    if not views:
        return None
    if len(marked) < 2 or not all(map(math.isfinite, marked)) or math.isclose(*marked, rel_tol=_SAME):
        return views[0]

    def apart(view: _View) -> float:
        if view.log and min(marked) <= 0:
            return 0.0
        return abs(view.height(marked[0]) - view.height(marked[1]))

    return next((view for view in views if apart(view) >= _APART), max(views, key=apart))


def _views(sweep: Sweep, at: float, marked: Sequence[float]) -> list[_View]:
    """What can be drawn, the usual view first: all of the horizontal axis and then parts of it."""
    x = np.asarray(sweep.x, dtype=float)
    scaled = np.log if sweep.parameter.scale == "log" else np.asarray
    place = scaled(x)
    found = []
    for share in (1.0, *_PARTS):
        half = 0.5 * share * (place[-1] - place[0])
        middle = min(max(float(scaled(at)), place[0] + half), place[-1] - half)
        seen = (place >= middle - half - _ROUND) & (place <= middle + half + _ROUND)
        values = tuple(
            float(v)
            for line in (sweep.printed, sweep.corrected, sweep.computed)
            for v in line[seen]
            if math.isfinite(v)
        )
        values += tuple(marked)
        if not values:
            continue
        left, right = (float(np.exp(end)) if scaled is np.log else float(end) for end in (middle - half, middle + half))
        logs = [True, False] if min(values) > 0 and max(values) / min(values) > _MANY_TIMES else [False]
        found += [_View(left, right, values, log, share == 1.0) for log in logs]
    return found


def _mark(
    fig: go.Figure, sweep: Sweep, at: float, marks: Sequence[Mark], view: _View, colors: tuple[str, str]
) -> None:  # fmt: skip
    """Dots at the marked numbers; the words of the larger one stand above it, those of the other one below.

    Parameters
    ----------
    fig : the figure
    sweep, at, marks : as for `erratum_figure`
    view : the axes
    colors : of each mark
    """
    falls = sum(float(np.nanmean(np.diff(line))) < 0 for line in (sweep.corrected, sweep.printed)) > 0
    ends = [view.left, at, view.right]
    first, here, last = np.log(ends) if sweep.parameter.scale == "log" else ends
    share = (here - first) / (last - first)
    values = [mark.value for mark in marks]
    places = []
    for value in values:
        upper = value == max(values)
        side = "right" if falls == upper else "left"
        side = "right" if share < _SIDE else "left" if share > 1 - _SIDE else side
        places.append(f"{'top' if upper else 'bottom'} {side}")
    shown = [(at, mark.value if math.isfinite(mark.value) else None, mark.words) for mark in marks]
    fig.add_trace(named_dots(shown, colors, places))


def _drawable(values: Iterable[float]) -> list[float | None]:
    return [float(value) if math.isfinite(value) else None for value in values]
