"""The lines of one record in cells between solved points: what δ(ε) is at least, and what it may be beyond that."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import special

from dpcore.glm import Loss, Problem
from dpcore.glm.batch import solve_batch
from dpcore.numerics import log1mexp

_FIRST = 13  # points of each line at first, evenly in T and again evenly in t
_TOL, _ROUNDING = 1e-12, 3e-15  # gradient norm of every solution, in units of σ and of n
_WITHIN = np.linspace(0.0, 1.0, 9)  # of a cell, where the record's own f'' is looked at
_HIDDEN = 1.02  # times that f'' is on average above the largest seen before one is known to hide between
_EVEN = 1.25  # times that the falls of three neighbouring cells may differ where they say what the fall within is
_SHORT = 0.5  # of the margin, over which the curvature of other rows does not come and go
_JUMP = 1e-9  # relative distance to the kinks of the record's own loss
_LARGEST = 1e140  # |f'| whose square is still in range
_NARROWEST = 1e-9  # cells that are not split any more, relative to T
_SHARE, _TOGETHER = 0.9, 2_000  # of what is not known, how much is to be split at a time, and in how many cells at most
_DEEPEST = 690.0  # nats that δ is scaled by


@dataclass(frozen=True, eq=False)
class LawsOnLines:
    r"""Laws with and without one record on lines of noise b = σTu + b_⊥, u = x/‖x‖.

    .. math:: T ∼ N(0, 1) \text{ without}, \quad t = T − \frac{‖x‖}σ f'(m(T; b_⊥)) ∼ N(0, 1) \text{ with the record}, \quad
              m = x^⊤\arg\min_θ \left(J_−(θ) + b^⊤θ\right)

    Parameters
    ----------
    rest, whole : the objectives without and with the record
    x : the record (n_features,), not 0
    own, y : its loss, clipped where it is, and its target (1,)
    sigma : noise σ
    """

    rest: Problem
    whole: Problem
    x: np.ndarray
    own: Loss
    y: np.ndarray
    sigma: float

    @cached_property
    def pull(self) -> float:
        """‖x‖/σ."""
        return float(np.linalg.norm(self.x)) / self.sigma

    @cached_property
    def steepest(self) -> float:
        """The largest −dm/dT: λ is the least curvature of the other rows."""
        return self.sigma * float(np.linalg.norm(self.x)) / self.rest.strong_convexity

    @cached_property
    def most_bent(self) -> float:
        """The largest f''."""
        return float(np.max(self.own.curvature_bound(np.abs(self.y))))

    def slope(self, m: np.ndarray) -> np.ndarray:
        """T − t at margins m."""
        with np.errstate(all="ignore"):
            return np.asarray(self.pull * np.clip(self.own.derivative(m, self.y), -_LARGEST, _LARGEST))

    def margins(self, problem: Problem, shifts: np.ndarray, along: np.ndarray) -> np.ndarray:
        """m where the noise b of an objective is b⊥ (k, n_features) and so many σ along x (k,)."""
        linear = shifts + (along / self.pull)[:, None] * self.x
        tol = max(_TOL * self.sigma, _ROUNDING * (self.rest.n_samples + float(np.abs(linear).max(initial=0.0))))
        return np.asarray(solve_batch(problem, linear, tol).theta @ self.x)

    def points(self, shifts: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Line, T and m of the first points: evenly as far as either law has mass, |T| ≤ reach and |t| ≤ reach."""
        even = np.tile(np.linspace(-reach, reach, _FIRST), len(shifts))
        line = np.repeat(np.arange(len(shifts)), _FIRST)
        without, within = (self.margins(one, shifts[line], even) for one in (self.rest, self.whole))
        T = np.concatenate([even, even + self.slope(within)])
        return np.tile(line, 2), T, np.concatenate([without, within])


@dataclass(frozen=True, eq=False)
class Cells:
    r"""Cells between neighbouring points of each line, and the two endless ones at its ends.

    Of any partition into cells of masses P and Q, :math:`\sum (P − e^εQ)_+ ≤ δ(ε)`, whatever happens within them; what is
    missing is 0 in a cell where ω is on one side of ε, and at most :math:`P(1 − e^{ε − \max ω})` else. The masses are
    known, as T and t are at the points. The range of ω within a cell is that of (T² − t²)/2, both being monotone, and of
    log t' = log(1 + (‖x‖/σ) f'' · (−dm/dT)): of the record's own f'' seen all over the cell, and of the mean −dm/dT there
    and in the cells beside it, three times as far apart in logarithms; where these differ much, of all that λ allows.

    Parameters
    ----------
    laws : of the record
    shifts : b⊥ of each line (n_lines, n_features)
    line, T, m : of all points (n_points,), sorted by line and T
    depth : log of the unit of δ
    """

    laws: LawsOnLines
    shifts: np.ndarray
    line: np.ndarray
    T: np.ndarray
    m: np.ndarray
    depth: float
    # of all cells: their line, their ends, log mass of T and of t, least and largest ω
    at: np.ndarray = field(init=False)
    left: np.ndarray = field(init=False)
    right: np.ndarray = field(init=False)
    without: np.ndarray = field(init=False)
    within: np.ndarray = field(init=False)
    low: np.ndarray = field(init=False)
    high: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        every, endless = np.arange(len(self.shifts)), np.full(len(self.shifts), np.inf)
        line = np.concatenate([self.line, every, every])
        T, m = np.concatenate([self.T, -endless, endless]), np.concatenate([self.m, 0 * every, 0 * every])
        order = np.lexsort((T, line))
        line, T, m = line[order], T[order], m[order]
        with np.errstate(invalid="ignore"):
            new = (np.diff(line, prepend=-1) > 0) | ~(np.diff(T, prepend=0.0) <= _NARROWEST * (1 + np.abs(T)))
        line, T, m = line[new], T[new], m[new]
        first = np.flatnonzero(line[1:] == line[:-1])
        with np.errstate(all="ignore"):
            slope = self.laws.slope(m)
            ends = T[first], T[first + 1]
            t = T - slope
            inner = np.isfinite(ends[0]) & np.isfinite(ends[1])
            low, high = self._range(line[first], inner, *ends, m[first], m[first + 1], slope[first], slope[first + 1])
            known = {
                "at": line[first], "left": ends[0], "right": ends[1], "without": _log_mass(*ends),
                "within": _log_mass(t[first], np.maximum(t[first], t[first + 1])),
                "low": np.where(inner, low, -np.inf), "high": np.where(inner, high, np.inf),
            }  # fmt: skip
        for name, value in known.items():
            object.__setattr__(self, name, value)

    def _range(
        self, line: np.ndarray, inner: np.ndarray, left: np.ndarray, right: np.ndarray, m: np.ndarray, after: np.ndarray,
        slope: np.ndarray, slope_after: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """The least and the largest ω of each cell; of no meaning where it is endless."""
        laws = self.laws
        corners = [
            0.5 * D * (2 * end - at) for D in (slope, slope_after) for end, at in ((left, slope), (right, slope_after))
        ]
        fall = np.maximum((m - after) / (right - left), 1e-300)
        beside = [fall]
        for step in (-1, 1):
            near = (np.roll(line, step) == line) & np.roll(inner, step)
            beside.append(np.where(near, np.roll(fall, step), fall))
        most, least = np.max(beside, axis=0), np.min(beside, axis=0)
        apart = most / least
        even = (apart <= _EVEN) & (m - after <= _SHORT)  # else the steepest may hide between
        most = np.where(even, np.maximum(np.minimum(most * apart, laws.steepest), fall), laws.steepest)
        least = np.where(even, least / apart, 0.0)
        flat, bent = self._bends(m, after, slope, slope_after)
        low, high = np.log1p(laws.pull * flat * least), np.log1p(laws.pull * bent * most)
        return np.min(corners, axis=0) + low, np.max(corners, axis=0) + high

    def _bends(
        self, m: np.ndarray, after: np.ndarray, slope: np.ndarray, slope_after: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest f'' between two margins."""
        laws = self.laws
        places = after + _WITHIN[:, None] * (m - after)
        for kink in laws.own.kinks(laws.y):
            sides = kink + _JUMP * (1 + np.abs(kink)) * np.array([[-1.0], [1.0]])
            places = np.concatenate([places, np.clip(np.nan_to_num(sides), after, m)])
        bends = np.minimum(laws.own.second_derivative(places, laws.y), _LARGEST)
        mean = (slope - slope_after) / (m - after) / laws.pull
        least, most = bends.min(axis=0), bends.max(axis=0)
        known, far = np.isfinite(laws.most_bent), m - after > _SHORT
        return (
            np.where((mean * _HIDDEN < least) | far, 0.0, least),
            np.where(((mean > _HIDDEN * most) | far) & known, laws.most_bent, np.fmax(mean, most)),
        )

    @classmethod
    def of(cls, laws: LawsOnLines, shifts: np.ndarray, reach: float, depth: float) -> Cells:
        """The first cells of some lines."""
        return cls(laws, shifts, *laws.points(shifts, reach), max(depth, -_DEEPEST))

    def joined(self, other: Cells) -> Cells:
        """The lines of both."""
        line = np.concatenate([self.line, other.line + len(self.shifts)])
        shifts, T, m = (np.concatenate([getattr(one, name) for one in (self, other)]) for name in ("shifts", "T", "m"))
        return Cells(self.laws, shifts, line, T, m, self.depth)

    def split(self, unknown: np.ndarray) -> Cells:
        """With the cells in two of which most is not known; itself where there are none."""
        order = np.argsort(-unknown, kind="stable")[:_TOGETHER]
        total = np.cumsum(unknown[order])
        chosen = order[: int(np.searchsorted(total, _SHARE * total[-1])) + 1]
        left, right = self.left[chosen], self.right[chosen]
        wide = (unknown[chosen] > 0) & (right - left > _NARROWEST * (1 + np.abs(np.where(np.isinf(left), right, left))))
        if not wide.any():
            return self
        chosen, left, right = chosen[wide], left[wide], right[wide]
        T = np.where(np.isinf(left), right - 1, np.where(np.isinf(right), left + 1, 0.5 * (left + right)))
        line = self.at[chosen]
        m = self.laws.margins(self.laws.rest, self.shifts[line], T)
        line, T, m = (np.concatenate(pair) for pair in ((self.line, line), (self.T, T), (self.m, m)))
        return Cells(self.laws, self.shifts, line, T, m, self.depth)

    def masses(self, epsilon: float, direction: str) -> tuple[np.ndarray, np.ndarray]:
        """What each cell has of δ(ε) at least, and what it may have beyond that, in units of e^depth."""
        remove = direction == "remove"
        p, q = (self.within, self.without) if remove else (self.without, self.within)
        low, high = (self.low, self.high) if remove else (-self.high, -self.low)
        with np.errstate(all="ignore"):
            size = np.exp(p - self.depth)
            sure = size * -np.expm1(np.minimum(np.nan_to_num(epsilon + q - p), 0.0))
            over = size * -np.expm1(-np.maximum(high - epsilon, 0.0))
            under = np.exp(np.minimum(epsilon + q - self.depth, 700.0)) * -np.expm1(np.minimum(low - epsilon, 0.0))
            rest = size - sure
            return sure, np.fmin(np.fmin(over, under), rest)

    def by_line(self, values: np.ndarray) -> np.ndarray:
        """Sums over the cells of each line (n_lines,)."""
        return np.bincount(self.at, values, minlength=len(self.shifts))


def _log_mass(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """log(Φ(high) − Φ(low))."""
    turned = low > 0
    low, high = np.where(turned, -high, low), np.where(turned, -low, high)
    top = special.log_ndtr(high)
    return np.where(top > -np.inf, top + log1mexp(np.minimum(special.log_ndtr(low) - top, 0.0)), -np.inf)
