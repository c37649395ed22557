"""Which part of the curves of an erratum is shown, so that its two numbers can be told apart, and where their words stand."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.errata import Sweep

_MANY_TIMES = 50.0  # an axis of positive values with a larger ratio of its ends is logarithmic
# Share of the height by which the two marked numbers should be apart. Doubled, more records show only a part of their
# range, and fewer show the whole curves.
_APART = 0.1
_SAME = 1e-3  # numbers that differ relatively by less are one number to the eye
# Parts of the horizontal axis that are tried if all of it does not do, as shares of its length.
_PARTS = (0.5, 0.25)
_ROUND_OFF = 1e-9  # of a place on the horizontal axis
_ROOM = (0.03, 0.12)  # share of the width and of the height that stays empty at each end
# Width of a letter, height of a line, and gaps beside a dot and above it, as shares of the figure. If the first is
# doubled, words keep away from curves that they would not meet.
_LETTER, _LINE, _BESIDE, _ABOVE = 0.02, 0.08, 0.015, 0.01
_SIDES = {"top right": (1, 1), "top left": (-1, 1), "bottom right": (1, -1), "bottom left": (-1, -1)}
_OUTSIDE = 1000  # how much worse it is to leave the figure than to meet a point of a curve


@dataclass(frozen=True)
class Mark:
    """A number that the headline names, with its words."""

    value: float
    words: str


@dataclass(frozen=True)
class View:
    """Ends of both axes, and whether each is logarithmic."""

    x: tuple[float, float]
    y: tuple[float, float]
    logs: tuple[bool, bool]

    def across(self, x: float | np.ndarray) -> np.ndarray:
        """Place on the horizontal axis, as a share of the width."""
        return _share(x, self.x, self.logs[0], _ROOM[0])

    def up(self, y: float | np.ndarray) -> np.ndarray:
        """Place on the vertical axis, as a share of the height."""
        return _share(y, self.y, self.logs[1], _ROOM[1])

    @property
    def ranges(self) -> list[list[float]]:
        """Both axes as Plotly wants them: exponents of ten where an axis is logarithmic."""
        found = []
        for ends, log, room in zip((self.x, self.y), self.logs, _ROOM, strict=True):
            low, high = np.log10(ends) if log else ends
            more = room * (high - low or 1.0)
            found.append([float(low - more), float(high + more)])
        return found

    def apart(self, values: Sequence[float]) -> float:
        """Distance of two values, as a share of the height; 0 if one cannot be shown."""
        return float(abs(np.subtract(*self.up(np.array(values))))) if min(values) > 0 or not self.logs[1] else 0.0


def _share(value: float | np.ndarray, ends: tuple[float, float], log: bool, room: float) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high, at = (np.log(one) if log else np.asarray(one, dtype=float) for one in (*ends, value))
    return (room + (at - low) / (high - low or 1.0)) / (1 + 2 * room)


def chosen(sweep: Sweep, at: float, marked: Sequence[float]) -> View | None:
    """The first view in which the marked numbers are apart, or the one where they are furthest apart; None without any.

    All of the horizontal axis comes before parts of it, and the usual vertical axis before the linear one.
    """
    shown = [value for value in marked if math.isfinite(value)]
    views = _views(sweep, at, shown)
    if len(shown) < 2 or math.isclose(*shown, rel_tol=_SAME):
        return next(iter(views), None)
    return next((view for view in views if view.apart(shown) >= _APART), max(views, key=lambda view: view.apart(shown)))


def _views(sweep: Sweep, at: float, marked: Sequence[float]) -> list[View]:
    log = sweep.parameter.scale == "log"
    place, here = (np.log(one) if log else np.asarray(one, dtype=float) for one in (sweep.x, at))
    found = []
    for share in (1.0, *_PARTS):
        half = 0.5 * share * (place[-1] - place[0])
        middle = min(max(float(here), place[0] + half), place[-1] - half)
        seen = abs(place - middle) <= half + _ROUND_OFF
        drawn = np.concatenate([sweep.printed[seen], sweep.corrected[seen], sweep.computed[seen], marked])
        drawn = drawn[np.isfinite(drawn)]
        if drawn.size:
            x = (middle - half, middle + half)
            y = float(drawn.min()), float(drawn.max())
            usual = y[0] > 0 and y[1] / y[0] > _MANY_TIMES
            ends = (math.exp(x[0]), math.exp(x[1])) if log else x
            found += [View(ends, y, (log, one)) for one in ((True, False) if usual else (False,))]
    return found


def places(sweep: Sweep, at: float, marks: Sequence[Mark], view: View) -> list[str]:
    """Where the words of each mark stand beside its dot: where they meet fewest points of the curves and no other words."""
    dense = np.linspace(0, 1, 201)
    across = view.across(sweep.x)
    curves = [
        np.interp(dense, across[fine], height[fine], left=np.nan, right=np.nan)
        for height in map(view.up, (sweep.printed, sweep.corrected, sweep.computed))
        if (fine := np.isfinite(height)).any()
    ]
    points = np.array([(x, y) for curve in curves for x, y in zip(dense, curve, strict=True)]).reshape(-1, 2)
    found: list[str] = []
    highest = max(mark.value for mark in marks)
    for mark in marks:
        dot = float(view.across(at)), float(view.up(mark.value))
        liked = "top" if mark.value == highest else "bottom"
        costs = {}
        for name, side in _SIDES.items():
            box = _box(dot, side, len(mark.words))
            costs[name] = _met(points, box) + _OUTSIDE * (box.min() < 0 or box.max() > 1) + (liked not in name)
        found.append(min(costs, key=costs.__getitem__))
        points = np.vstack([points, _filled(_box(dot, _SIDES[found[-1]], len(mark.words)))])
    return found


def _box(dot: tuple[float, float], side: tuple[int, int], letters: int) -> np.ndarray:
    """Two corners of the words, shape (2, 2)."""
    near = np.add(dot, np.multiply(side, (_BESIDE, _ABOVE)))
    return np.sort([near, near + np.multiply(side, (_LETTER * letters, _LINE))], axis=0)


def _met(points: np.ndarray, box: np.ndarray) -> int:
    return int(((points >= box[0]) & (points <= box[1])).all(axis=1).sum())


def _filled(box: np.ndarray) -> np.ndarray:
    """Many points of a box, so that other words keep away from it."""
    across, up = (np.linspace(low, high, 15) for low, high in box.T)
    return np.array([(x, y) for x in across for y in up])
