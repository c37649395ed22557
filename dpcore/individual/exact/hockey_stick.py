r"""Hockey-stick divergences of two normal laws joined by one monotone map: only roots of the log ratio, no quadrature.

Along a line, T ~ N(0, 1) under the law without the record. Under the law with it, t(T) ~ N(0, 1) for an increasing map
t:

.. math:: ω(T) = \tfrac12(T² − t(T)²) + \log t'(T), \qquad
          δ_\text{add}(ε) = ∫φ(T)(1 − e^{ε+ω})_+\,dT, \quad δ_\text{remove}(ε) = ∫φ(t)\,t'\,(1 − e^{ε−ω})_+\,dT

Both are sums of Φ(T) − e^ε Φ(t), or of Φ(t) − e^ε Φ(T), at the roots of ω = ∓ε. The integrand is 0 at a root, so the
error of δ is of the order of the square of the root's error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import special
from scipy.optimize import elementwise

from dpcore.numerics import LARGEST, LAST_DIGITS, OfRows, log1mexp

# Tolerance of a root or a peak, absolute and relative to it; of roots, as a share of 1 + ε, as t² changes by about ε
# times that. Doubled, ε is as accurate.
_NEAR_ENOUGH = 1e-6
# How far below 0 (nats) a node may be for a peak above 0 to be searched for beside it. Doubled, lower peaks are found.
_NEARLY = 0.05


class Lines(Protocol):
    """Many lines at once."""

    def at(self, T: np.ndarray, line: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """t(T) and log t'(T) at points T of the lines at positions `line`, which broadcasts against T."""


@dataclass(frozen=True, eq=False)
class Traced(OfRows):
    """Lines and their values on a grid that separates the roots, all arrays (n_lines, n_nodes).

    Parameters
    ----------
    lines : the maps
    index : position of each line among the maps (n_lines,)
    T : nodes, increasing along the second axis
    loss : ω
    """

    lines: Lines
    index: np.ndarray
    T: np.ndarray
    loss: np.ndarray

    @classmethod
    def of(cls, lines: Lines, T: np.ndarray) -> Traced:
        """Lines evaluated on a grid (n_lines, n_nodes)."""
        index = np.arange(len(T))
        return cls(lines, index, T, log_ratio(T, *lines.at(T, index[:, None])))


def log_ratio(T: np.ndarray, t: np.ndarray, log_slope: np.ndarray) -> np.ndarray:
    """ω = (T² − t²)/2 + log t'; −∞ where t is out of range."""
    with np.errstate(all="ignore"):
        value = 0.5 * (T - t) * (T + t) + log_slope
        return np.where(np.isnan(value), -np.inf, value)


def log_hockey_stick(traced: Traced, epsilon: np.ndarray, direction: str) -> tuple[np.ndarray, np.ndarray]:
    """log δ(ε) of every line, and log of the mass of the subtracted law where the integrand is positive, (n_lines,).

    Parameters
    ----------
    traced : lines on their grid
    epsilon : nats (n_lines,)
    direction : "add" or "remove"
    """
    sign = 1.0 if direction == "remove" else -1.0
    excess = np.clip(sign * traced.loss - epsilon[:, None], -LARGEST, LARGEST)
    cells = _cells(traced, excess, sign, epsilon)
    T, t = _roots(traced, cells, sign, epsilon)
    first, second = (t, T) if direction == "remove" else (T, t)
    with np.errstate(all="ignore"):
        gained, lost = (_log_mass(cells, excess[:, -1] > 0, values) for values in (first, second))
        charged = np.minimum(epsilon + lost, gained)
        return np.where(gained > -np.inf, gained + log1mexp(charged - gained), -np.inf), lost


@dataclass(frozen=True, eq=False)
class _Cells(OfRows):
    """Cells (k,) in which the integrand changes its sign: line, both ends, whether it is positive at the right end."""

    line: np.ndarray
    left: np.ndarray
    right: np.ndarray
    enters: np.ndarray


def _cells(traced: Traced, excess: np.ndarray, sign: float, epsilon: np.ndarray) -> _Cells:
    """Cells of the grid with a crossing, and the two sides of a peak above 0 that lies between nodes of the grid."""
    inside = excess > 0
    line, cell = np.nonzero(inside[:, 1:] != inside[:, :-1])
    found = _Cells(line, traced.T[line, cell], traced.T[line, cell + 1], inside[line, cell + 1])
    top = np.clip(excess.argmax(axis=1), 1, excess.shape[1] - 2)
    line = np.flatnonzero(~inside[np.arange(len(top)), top] & ~inside.any(axis=1))
    T, values = (np.stack([array[line, top[line] + k] for k in (-1, 0, 1)]) for array in (traced.T, excess))
    near = _near(T, values)
    line, T = line[near], T[:, near]

    def missing(at: np.ndarray, line: np.ndarray) -> np.ndarray:
        return -_excess(traced, at, line, sign, epsilon)

    peak = elementwise.find_minimum(missing, tuple(T), args=(line,), tolerances=_tolerances(_NEAR_ENOUGH))
    seen = peak.f_x < 0
    line, T, at, outside = line[seen], T[:, seen], peak.x[seen], np.zeros(seen.sum(), dtype=bool)
    return _Cells.joined([found, _Cells(line, T[0], at, ~outside), _Cells(line, at, T[2], outside)])


def _near(T: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Whether a peak between three points (3, k) may be above 0: their parabola is, or the middle point nearly is."""
    with np.errstate(all="ignore"):
        back, ahead = (T[0] - T[1], T[2] - T[1])
        down, up = (values[0] - values[1]) / back, (values[2] - values[1]) / ahead
        bend = (up - down) / (ahead - back)
        step = -(down - bend * back) / (2 * bend)
        peak = values[1] - bend * step * step
        inside = (bend < 0) & (step > back) & (step < ahead)
        return inside & ((peak > 0) | (values[1] > -_NEARLY))


def _excess(traced: Traced, T: np.ndarray, line: np.ndarray, sign: float, epsilon: np.ndarray) -> np.ndarray:
    t, log_slope = traced.lines.at(T, traced.index[line])
    return np.clip(sign * log_ratio(T, t, log_slope) - epsilon[line], -LARGEST, LARGEST)


def _log_mass(cells: _Cells, last: np.ndarray, x: np.ndarray) -> np.ndarray:
    """log normal mass between crossings x (k,) where the integrand is positive, from the smaller tail of each."""
    line, upper, count = cells.line, x > 0, last.size
    weight = np.where(cells.enters == upper, 1.0, -1.0)
    size = special.log_ndtr(-np.abs(x))
    base = np.full(count, -np.inf)
    np.maximum.at(base, line, size)
    whole = last - np.bincount(line, np.where(upper, weight, 0.0), minlength=count) > 0.5
    base = np.where(whole, 0.0, np.where(np.isfinite(base), base, 0.0))
    total = np.bincount(line, weight * np.exp(size - base[line]), minlength=count) + whole
    return np.where(total > 0, base + np.log(total), -np.inf)


def _roots(traced: Traced, cells: _Cells, sign: float, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """T and t near the crossing inside each cell."""

    def excess(T: np.ndarray, line: np.ndarray) -> np.ndarray:
        return _excess(traced, T, line, sign, epsilon)

    near = _tolerances(max(_NEAR_ENOUGH / (1 + float(epsilon.max(initial=0.0))), LAST_DIGITS))
    T = elementwise.find_root(excess, (cells.left, cells.right), args=(cells.line,), tolerances=near).x
    return T, traced.lines.at(T, traced.index[cells.line])[0]


def _tolerances(near: float) -> dict[str, float]:
    return {"xatol": near, "xrtol": near}
