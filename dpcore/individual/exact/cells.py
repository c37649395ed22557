"""The lines of one record in cells between solved points: what δ(ε) is at least, and what it may be beyond that."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import special

from dpcore.glm import Loss, Problem
from dpcore.glm.batch import solve_batch
from dpcore.numerics import LOG_SQRT_2PI, log1mexp

_FIRST = 6  # points of each line at first, evenly in T and between them in t
_TOL = {
    True: 1e-12,
    False: 1e-8,
}  # gradient norm of every solution in units of σ, in one dimension and where lines are averaged
_ROUNDING = 3e-15  # times n, the least of it; of every t, relative to 1 + |t|
_EVEN = 1.25  # times that the falls of three neighbouring cells may differ where they say what the fall within is
_SHORT = 0.5  # of the margin, over which the curvature of other rows does not come and go
_JUMP = 1e-9  # relative distance to the kinks of the record's own loss
_LARGEST = 1e140  # |f'| whose square is still in range
_NARROWEST = 1e-13  # cells that are not split any more, relative to T
_TWICE = 2.0  # times that a cubic may be further off than the parabolas through its points are from it
_READ = 0.1  # of the width of a cell, what t may be off by at a point that is not solved
_UNSURE = 0.3  # of the range of ω in a cell, what may be due to −dm/dT where it is halved without solving
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
    def peak(self) -> np.ndarray:
        """A margin where f'' is largest but for kinks; where it has no peak, any."""
        return self.own.peak(self.y)

    def slope(self, m: np.ndarray) -> np.ndarray:
        """T − t at margins m."""
        with np.errstate(all="ignore"):
            return np.asarray(self.pull * np.clip(self.own.derivative(m, self.y), -_LARGEST, _LARGEST))

    def bends(self, m: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest f'' between margins m and `after` below: it has one peak, and jumps at kinks."""
        places = [m, after, np.clip(self.peak, after, m)]
        for kink in (np.clip(at, -_LARGEST, _LARGEST) for at in self.own.kinks(self.y)):
            apart = _JUMP * (1 + np.abs(kink))
            places += [np.clip(side, after, m) for side in (kink - apart, kink + apart)]
        bends = np.minimum(self.own.second_derivative(np.stack(places), self.y), _LARGEST)
        return bends.min(axis=0), bends.max(axis=0)

    def solved(self, problem: Problem, shifts: np.ndarray, along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """So many σ along x of the noise of an objective, and m there, next to b⊥ (k, n_features) and about so many (k,).

        What is left of the gradient along x is noise that would leave nothing; what is left across it is not counted.
        """
        linear = shifts + (along / self.pull)[:, None] * self.x
        tol = max(
            _TOL[self.x.size == 1] * self.sigma,
            _ROUNDING * (self.rest.n_samples + float(np.abs(linear).max(initial=0.0))),
        )
        theta = solve_batch(problem, linear, tol).theta
        left = problem.gradients(theta, linear) @ self.x / (self.sigma**2 * self.pull)
        return along - left, theta @ self.x

    def points(self, shifts: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Line, T and m of the first points: evenly as far as either law has mass, |T| ≤ reach and |t| ≤ reach."""
        even = np.linspace(-reach, reach, 2 * _FIRST + 1)
        found = []
        for problem, places in ((self.rest, even[::2]), (self.whole, even[1::2])):
            line = np.repeat(np.arange(len(shifts)), places.size)
            at, m = self.solved(problem, shifts[line], np.tile(places, len(shifts)))
            found.append((line, at + self.slope(m) if problem is self.whole else at, m))
        line, T, m = (np.concatenate(pair) for pair in zip(*found, strict=True))
        return line, T, m


@dataclass(frozen=True, eq=False)
class Cells:
    r"""Cells between neighbouring points of each line, and the two endless ones at its ends.

    Of any partition into cells of masses P and Q, :math:`\sum (P − e^εQ)_+ ≤ δ(ε)`, whatever happens within them; what is
    missing is 0 in a cell where ω is on one side of ε, and at most :math:`P(1 − e^{ε − \max ω})` else. The masses are
    known, as T and t are at the points. The range of ω within a cell is that of (T² − t²)/2, both being monotone, and of
    log t' = log(1 + (‖x‖/σ) f'' · (−dm/dT)): of the record's own f'' all over the cell, and of the mean −dm/dT there
    and in the cells beside it, three times as far apart in logarithms; where these differ much, of all that λ allows.

    Between solved points that say what −dm/dT is, others are not solved: the cubic through four gives their m, and twice
    its distance to the parabolas through three of these what m may be off by, which widens the cells around them.

    Parameters
    ----------
    laws : of the record
    shifts : b⊥ of each line (n_lines, n_features)
    line, T, m : of the solved points (n_points,)
    more : line and T of the others, (2, n_others)
    depth : log of the unit of δ
    """

    laws: LawsOnLines
    shifts: np.ndarray
    line: np.ndarray
    T: np.ndarray
    m: np.ndarray
    more: np.ndarray
    depth: float
    # of all cells: their line, their ends, log mass of T and of t, least and largest ω, and mass of t on a wrong side of an end
    at: np.ndarray = field(init=False)
    left: np.ndarray = field(init=False)
    right: np.ndarray = field(init=False)
    without: np.ndarray = field(init=False)
    within: np.ndarray = field(init=False)
    low: np.ndarray = field(init=False)
    high: np.ndarray = field(init=False)
    misplaced: np.ndarray = field(init=False)
    after: np.ndarray = field(init=False)  # of all cells, the solved point before them
    # of all solved points, the least and largest −dm/dT after them, and whether the points around say so
    least: np.ndarray = field(init=False)
    most: np.ndarray = field(init=False)
    even: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        order = np.lexsort((self.T, self.line))
        line, T, m = self.line[order], self.T[order], self.m[order]
        new = (np.diff(line, prepend=-1) > 0) | ~(np.diff(T, prepend=0.0) <= _NARROWEST * (1 + np.abs(T)))
        self._set(line=line[new], T=T[new], m=m[new])
        self._falls()
        every, endless = np.arange(len(self.shifts)), np.full(len(self.shifts), np.inf)
        others = self.more[0].astype(int)
        line = np.concatenate([self.line, others, every, every])
        T = np.concatenate([self.T, self.more[1], -endless, endless])
        order = np.lexsort((T, line))
        line, T = line[order], T[order]
        place = np.cumsum(order < self.T.size) - 1  # the solved point at or before each
        m, off = self._between(np.maximum(place, 0), T)
        solved, outside = order < self.T.size, np.isinf(T)
        m = np.where(solved, self.m[place], np.where(outside, 0.0, m))
        off = np.where(solved | outside, 0.0, off)
        first = np.flatnonzero(line[1:] == line[:-1])
        last, laws = first + 1, self.laws
        with np.errstate(all="ignore"):
            slope = laws.slope(m)
            t = T - slope
            flat, bent = laws.bends((m + off)[first], (m - off)[last])
            bent_at = np.zeros(T.size)
            np.maximum.at(bent_at, first, bent)
            np.maximum.at(bent_at, last, bent)
            moved = np.where(off > 0, laws.pull * bent_at * off, 0.0) + _ROUNDING * (1 + np.abs(t))  # of t
            corners = [
                0.5 * slope[at] * (2 * T[end] - slope[by])
                for at in (first, last)
                for end, by in ((first, first), (last, last))
            ]
            doubt = np.maximum(np.abs(t) * moved, 0.0)
            doubt = np.maximum(doubt[first], doubt[last])
            low = np.min(corners, axis=0) + np.log1p(laws.pull * flat * self.least[place[first]]) - doubt
            high = np.max(corners, axis=0) + np.log1p(laws.pull * bent * self.most[place[first]]) + doubt
            inner = ~outside[first] & ~outside[last]
            mass = moved * np.exp(-0.5 * np.square(t) - LOG_SQRT_2PI - self.depth)
            self._set(
                at=line[first], left=T[first], right=T[last], after=place[first],
                without=_log_mass(T[first], T[last]), within=_log_mass(t[first], np.maximum(t[first], t[last])),
                low=np.where(inner, low, -np.inf), high=np.where(inner, high, np.inf),
                misplaced=np.nan_to_num(mass[first]) + np.nan_to_num(mass[last]),
            )  # fmt: skip

    def _set(self, **values: np.ndarray) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _falls(self) -> None:
        line, laws = self.line, self.laws
        inner = np.append(line[1:] == line[:-1], False)
        with np.errstate(all="ignore"):
            across = -np.diff(self.m, append=self.m[-1])
            fall = np.maximum(across / np.diff(self.T, append=np.inf), 1e-300)
        beside = [fall]
        for step in (-1, 1):
            near = (np.roll(line, step) == line) & np.roll(inner, step)
            beside.append(np.where(near, np.roll(fall, step), fall))
        most, least = np.max(beside, axis=0), np.min(beside, axis=0)
        apart = most / least
        even = (apart <= _EVEN) & (across <= _SHORT)  # else the steepest may hide between
        most = np.where(even, np.maximum(np.minimum(most, laws.steepest / apart) * apart, fall), laws.steepest)
        self._set(least=np.where(even, least / apart, 0.0), most=most, even=even & inner)

    def _between(self, place: np.ndarray, T: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """m at T (k,) after solved points by the cubic through four of them, and what it may be off by."""
        count = np.bincount(self.line, minlength=len(self.shifts))
        start = np.concatenate([[0], np.cumsum(count)[:-1]])[self.line[place]]
        size = count[self.line[place]]
        first = start + np.clip(place - start - 1, 0, np.maximum(size - 4, 0))
        points = np.minimum(first[:, None] + np.array([1, 2, 0, 3]), self.T.size - 1).T
        x, m = self.T[points], self.m[points]
        with np.errstate(all="ignore"):
            one = (m[1] - m[0]) / (x[1] - x[0])
            two = [((m[k] - m[0]) / (x[k] - x[0]) - one) / (x[k] - x[1]) for k in (2, 3)]
            three = (two[1] - two[0]) / (x[3] - x[2])
            near = (T - x[0]) * (T - x[1])
            value = m[0] + one * (T - x[0]) + near * (two[0] + three * (T - x[2]))
            off = _TWICE * np.abs(three * near) * np.maximum(np.abs(T - x[2]), np.abs(T - x[3]))
        return value, np.where(size >= 4, np.nan_to_num(off, nan=np.inf), np.inf)

    @classmethod
    def of(cls, laws: LawsOnLines, shifts: np.ndarray, reach: float, depth: float) -> Cells:
        """The first cells of some lines."""
        return cls(laws, shifts, *laws.points(shifts, reach), np.empty((2, 0)), max(depth, -_DEEPEST))

    def joined(self, other: Cells) -> Cells:
        """The lines of both."""
        count = len(self.shifts)
        line = np.concatenate([self.line, other.line + count])
        shifts, T, m = (np.concatenate([getattr(one, name) for one in (self, other)]) for name in ("shifts", "T", "m"))
        more = np.concatenate([self.more, other.more + np.array([[count], [0.0]])], axis=1)
        return Cells(self.laws, shifts, line, T, m, more, self.depth)

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
        read = self._readable(chosen, T)
        more = np.concatenate([self.more, [line[read], T[read]]], axis=1)
        line = line[~read]
        T, m = self.laws.solved(self.laws.rest, self.shifts[line], T[~read]) if line.size else (T[~read], T[~read])
        line, T, m = (np.concatenate(pair) for pair in ((self.line, line), (self.T, T), (self.m, m)))
        return Cells(self.laws, self.shifts, line, T, m, more, self.depth)

    def _readable(self, cells: np.ndarray, T: np.ndarray) -> np.ndarray:
        """Whether m at T (k,) within some cells is well enough known without solving."""
        place, pull = self.after[cells], self.laws.pull
        m, off = self._between(place, T)
        _, bent = self.laws.bends(m + off, m - off)
        with np.errstate(all="ignore"):
            unsure = np.log1p(pull * bent * self.most[place]) - np.log1p(pull * bent * self.least[place])
            wide = self.high[cells] - self.low[cells]
            known = pull * bent * off <= _READ * (self.right - self.left)[cells] * np.minimum(1.0, wide)
        known = known & (self.shifts.shape[1] > 1)  # one line alone does without: solving costs it little
        return known & self.even[place] & (unsure <= _UNSURE * wide) & np.isfinite(wide)

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
            unknown = np.fmin(np.fmin(over, under), size - sure)
            lost = self.misplaced * (1.0 if remove else np.exp(min(epsilon, _DEEPEST)))
            lost = np.where((low < epsilon) & (high > epsilon), np.minimum(lost, _LARGEST), 0.0)
            return np.maximum(sure - lost, 0.0), unknown + 2 * lost

    def by_line(self, values: np.ndarray) -> np.ndarray:
        """Sums over the cells of each line (n_lines,)."""
        return np.bincount(self.at, values, minlength=len(self.shifts))


def _log_mass(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """log(Φ(high) − Φ(low))."""
    turned = low > 0
    low, high = np.where(turned, -high, low), np.where(turned, -low, high)
    top = special.log_ndtr(high)
    return np.where(top > -np.inf, top + log1mexp(np.minimum(special.log_ndtr(low) - top, 0.0)), -np.inf)
