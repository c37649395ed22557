"""Lines of one record in cells between solved points: a lower bound of δ(ε), and how much larger it may be."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import special

from dpcore.glm import Loss, Problem
from dpcore.glm.batch import solve_batch
from dpcore.individual.exact.fall import Surroundings, near_groups
from dpcore.individual.numbers import BESIDE, ENDLESS
from dpcore.numerics import LARGEST_EXPONENT, LOG_SQRT_2PI, log1mexp

# Each line begins with about so many points evenly in T, and as many in t between them. Doubled, all first cells are
# half as wide.
_FIRST = 6
# Gradient norm of every solution in units of σ: in one dimension (True), and if lines are averaged (False). Doubled,
# solutions are twice as far off.
_TOL = {True: 1e-12, False: 1e-8}
# Rounding error of a sum of gradients, relative to the number of rows plus the largest noise; no smaller gradient norm
# is asked for. Doubled, solutions of large data may be twice as far off.
_ROUNDING = 3e-15
# Width of a cell, relative to 1 + |T|, below which it is not split. Doubled, a little more of δ may stay unknown.
_NARROWEST = 1e-13
# _SHARE: share of the unknown part of δ whose cells are split at a time. _TOGETHER: largest number of these cells. With
# the second doubled, more is split before ε is computed again.
_SHARE, _TOGETHER = 0.9, 2_000
# If a cell is narrower than this, relative to 1/(1 + |T|), its mass is computed from the density in its middle. The
# relative error is then 5e-12; that of a difference of logarithms is 1e-15 over the width. Doubled, masses next to this
# limit are right to 1e-10.
_SERIES = 0.01


@dataclass(frozen=True, eq=False)
class LawsOnLines:
    r"""Laws with and without one record on lines of noise b = σTu + b_⊥, u = x/‖x‖.

    .. math:: T ∼ N(0, 1) \text{ without}, \quad t = T − \frac{‖x‖}σ f'(m(T; b_⊥)) ∼ N(0, 1) \text{ with the record}, \quad
              m = x^⊤\arg\min_θ \left(J_−(θ) + b^⊤θ\right)

    Parameters
    ----------
    rest, whole : the objectives without and with the record
    x : the record (n_features,), not 0
    own, y : its loss, clipped if there is a clip, and its target (1,)
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

    @property
    def steepest(self) -> float:
        """The largest −dm/dT anywhere, as the least curvature of the other rows is λ."""
        return self.sigma**2 * self.pull / self.rest.strong_convexity

    @property
    def unsolved(self) -> float:
        """Largest error of the difference of two margins, due to the part of the gradients orthogonal to x."""
        if self.x.size == 1:
            return 0.0
        return 2 * self.pull * self.sigma * self._tolerance(0.0) / self.rest.strong_convexity

    def _tolerance(self, largest: float) -> float:
        """Gradient norm that solutions must reach, if no noise is larger than `largest`."""
        return max(_TOL[self.x.size == 1] * self.sigma, _ROUNDING * (self.rest.n_samples + largest))

    @cached_property
    def peak(self) -> np.ndarray:
        """The margin at which f'' is largest, apart from kinks; any margin if there is no such peak."""
        return self.own.peak(self.y)

    def slope(self, m: np.ndarray) -> np.ndarray:
        """T − t at margins m."""
        with np.errstate(all="ignore"):
            return np.asarray(self.pull * np.clip(self.own.derivative(m, self.y), -ENDLESS, ENDLESS))

    def bends(self, m: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest f'' between margins `after` ≤ m; f'' has one peak, and jumps at kinks only."""
        places = [m, after, np.clip(self.peak, after, m)]
        for kink in (np.clip(at, -ENDLESS, ENDLESS) for at in self.own.kinks(self.y)):
            apart = BESIDE * (1 + np.abs(kink))
            places += [np.clip(side, after, m) for side in (kink - apart, kink + apart)]
        bends = np.minimum(self.own.second_derivative(np.stack(places), self.y), ENDLESS)
        return bends.min(axis=0), bends.max(axis=0)

    def solved(self, problem: Problem, shifts: np.ndarray, along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Solutions θ of an objective, and the noise along x (in units of σ) to which each belongs.

        The noise is b⊥ = `shifts` (k, n_features), and about `along` (k,) along x. What is left of the gradient along x
        is added to this noise, so that θ solves for it exactly. What is left orthogonal to x is not counted
        (`unsolved`).
        """
        linear = shifts + (along / self.pull)[:, None] * self.x
        tol = self._tolerance(float(np.abs(linear).max(initial=0.0)))
        theta = solve_batch(problem, linear, tol).theta
        left = problem.gradients(theta, linear) @ self.x / (self.sigma**2 * self.pull)
        return along - left, theta

    def points(self, shifts: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Line, T and θ of the first points: evenly spaced where either law has mass, |T| ≤ reach and |t| ≤ reach."""
        even = np.linspace(-reach, reach, 2 * _FIRST + 1)
        found = []
        for problem, places in ((self.rest, even[::2]), (self.whole, even[1::2])):
            line = np.repeat(np.arange(len(shifts)), places.size)
            at, theta = self.solved(problem, shifts[line], np.tile(places, len(shifts)))
            found.append((line, at + self.slope(theta @ self.x) if problem is self.whole else at, theta))
        line, T, theta = (np.concatenate(pair) for pair in zip(*found, strict=True))
        return line, T, theta


@dataclass(eq=False)
class Cells:
    r"""Cells between neighbouring points of each line, and the two unbounded cells at its ends.

    For any partition into cells of masses P and Q, :math:`\sum (P − e^εQ)_+ ≤ δ(ε)`, whatever happens within the cells.
    A cell in which ω is on one side of ε lacks nothing; any other lacks at most :math:`P(1 − e^{ε − \max ω})`. The
    masses are known, as T and t are known at the points. The range of ω within a cell follows from two ranges: that of
    (T² − t²)/2, as both are monotone, and that of log t' = log(1 + (‖x‖/σ) f'' · (−dm/dT)). The latter follows from the
    range of the record's own f'' in the cell, and from −dm/dT, whose mean in the cell is known and whose variation is
    bounded (`Surroundings`).

    Parameters
    ----------
    laws : laws of the record
    shifts : b⊥ of each line (n_lines, n_features)
    line, T, theta : line and T of the points (n_points,), and the minimisers there (n_points, n_features)
    depth : log of the unit of δ
    before : what is known about earlier cells: line + i·left end, right end, spread, steepest fall, and position of the
        region
    regions : regions of θ in these cells; new ones are added
    """

    laws: LawsOnLines
    shifts: np.ndarray
    line: np.ndarray
    T: np.ndarray
    theta: np.ndarray
    depth: float
    before: tuple[np.ndarray, ...] | None = None
    regions: list[Surroundings] = field(default_factory=list)

    def __post_init__(self) -> None:
        every, endless, laws = np.arange(len(self.shifts)), np.full(len(self.shifts), np.inf), self.laws
        line, T = np.concatenate([self.line, every, every]), np.concatenate([self.T, -endless, endless])
        theta = np.vstack([self.theta, np.zeros((2 * every.size, self.shifts.shape[1]))])
        order = np.lexsort((T, line))
        line, T, theta = line[order], T[order], theta[order]
        with np.errstate(all="ignore"):
            kept = ~((np.diff(line, prepend=-1) == 0) & (np.diff(T, prepend=0.0) <= _NARROWEST * (1 + np.abs(T))))
        kept |= np.isinf(T)
        line, T, theta = line[kept], T[kept], theta[kept]
        first = np.flatnonzero(line[1:] == line[:-1])
        last = first + 1
        inner = np.isfinite(T[first]) & np.isfinite(T[last])
        with np.errstate(all="ignore"):
            m = theta @ laws.x
            slope = laws.slope(m)
            t = T - slope
            width, fall = T[last] - T[first], np.maximum(m[first] - m[last], 0.0)
            known = self._regions(_keys(line[first], T[first]), T[last], inner, theta, first, width * fall / laws.pull)
            spread, steepest = known[2], known[3]
            off = laws.unsolved
            least = np.maximum(fall - off, 0.0) / width * np.exp(-spread)
            most = np.minimum((fall + off) / width * np.exp(spread), steepest)
            flat, bent = laws.bends(m[first], m[last])
            corners = [0.5 * slope[at] * (T + t)[end] for at in (first, last) for end in (first, last)]
            low = np.min(corners, axis=0) + np.log1p(laws.pull * flat * least)
            high = np.max(corners, axis=0) + np.log1p(laws.pull * bent * most)
            # For all cells: their line, their ends, log mass of T and of t, least and largest ω; and like `before`.
            self.at, self.left, self.right, self.known = line[first], T[first], T[last], known
            self.without, self.within = _log_mass(T[first], T[last]), _log_mass(t[first], np.maximum(t[first], t[last]))
            self.low, self.high = np.where(inner, low, -np.inf), np.where(inner, high, np.inf)

    def _regions(
        self,
        key: np.ndarray,
        right: np.ndarray,
        inner: np.ndarray,
        theta: np.ndarray,
        first: np.ndarray,
        energy: np.ndarray,
    ) -> tuple[np.ndarray, ...]:
        """As `known`: what was known about earlier cells; for new ones, by the region of the cell they come from."""
        spread, steepest, place = np.full(key.size, np.nan), np.full(key.size, np.nan), np.full(key.size, -1)
        if self.before is not None and self.before[0].size:
            keys, ends, *values = self.before
            at = np.maximum(np.searchsorted(keys, key, side="right") - 1, 0)
            inside = (keys[at].real == key.real) & (keys[at].imag <= key.imag) & (ends[at] >= right)
            same = inside & (keys[at] == key) & (ends[at] == right)
            spread[same], steepest[same] = values[0][at[same]], values[1][at[same]]
            place[inside] = values[2][at[inside]]
        new = np.isnan(spread) & inner
        ends = np.stack([theta[first], theta[first + 1]])
        for group in near_groups(ends[0], np.flatnonzero(new)) if self.before is None else ():
            place[group] = len(self.regions)
            self.regions.append(Surroundings.around(self.laws.rest, self.laws.x, ends[:, group], energy[group]))
        spread[new], steepest[new] = np.inf, self.laws.steepest  # beyond all regions, where δ is small
        for number in np.unique(place[new & (place >= 0)]):
            cells, region = np.flatnonzero(new & (place == number)), self.regions[number]
            spread[cells] = region.spread(ends[:, cells], energy[cells])
            steepest[cells] = region.leverage / self.laws.pull
        return key, right, spread, steepest, place

    @classmethod
    def of(cls, laws: LawsOnLines, shifts: np.ndarray, reach: float, depth: float) -> Cells:
        """The first cells of some lines."""
        return cls(laws, shifts, *laws.points(shifts, reach), max(depth, -LARGEST_EXPONENT))

    def joined(self, other: Cells) -> Cells:
        """The lines of both."""
        line = np.concatenate([self.line, other.line + len(self.shifts)])
        shifts, T, theta = (
            np.concatenate([getattr(one, name) for one in (self, other)]) for name in ("shifts", "T", "theta")
        )
        key, *parts, place = other.known
        place = np.where(place < 0, place, place + len(self.regions))
        moved = (_keys(key.real + len(self.shifts), key.imag), *parts, place)
        known = tuple(np.concatenate(pair) for pair in zip(self.known, moved, strict=True))
        return Cells(self.laws, shifts, line, T, theta, self.depth, known, [*self.regions, *other.regions])

    def split(self, unknown: np.ndarray) -> Cells:
        """The same with the cells cut in two that have most of the unknown part; itself if there are none to cut."""
        order = np.argsort(-unknown, kind="stable")[:_TOGETHER]
        total = np.cumsum(unknown[order])
        chosen = order[: int(np.searchsorted(total, _SHARE * total[-1])) + 1]
        left, right = self.left[chosen], self.right[chosen]
        wide = (unknown[chosen] > 0) & (right - left > _NARROWEST * (1 + np.abs(np.where(np.isinf(left), right, left))))
        if not wide.any():
            return self
        line, left, right = self.at[chosen[wide]], left[wide], right[wide]
        T = np.where(np.isinf(left), right - 1, np.where(np.isinf(right), left + 1, 0.5 * (left + right)))
        T, theta = self.laws.solved(self.laws.rest, self.shifts[line], T)
        # A point too near to an end would replace this end, and a cell that crosses the old end has no region.
        apart = np.minimum(T - left, right - T) > _NARROWEST * (1 + np.abs(T))
        line, T, theta = line[apart], T[apart], theta[apart]
        line, T, theta = (np.concatenate(pair) for pair in ((self.line, line), (self.T, T), (self.theta, theta)))
        return Cells(self.laws, self.shifts, line, T, theta, self.depth, self.known, self.regions)

    def masses(self, epsilon: float, direction: str) -> tuple[np.ndarray, np.ndarray]:
        """What each cell contributes to δ(ε) at least, and how much more it may contribute, in units of e^depth."""
        some, *parts = self._massive(epsilon, direction)
        sure, unknown = np.zeros((2, self.at.size))
        sure[some], unknown[some] = parts
        return sure, unknown

    def totals(self, weight: np.ndarray, epsilon: float, direction: str) -> tuple[float, float]:
        """The sums of both over all cells, with a weight for each line."""
        some, sure, unknown = self._massive(epsilon, direction)
        weight = weight[self.at[some]]
        return float(np.sum(weight * sure)), float(np.sum(weight * unknown))

    def _massive(self, epsilon: float, direction: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions of the cells that may contribute, and what `masses` gives for these."""
        remove = direction == "remove"
        low, high = (self.low, self.high) if remove else (-self.high, -self.low)
        some = np.flatnonzero(~(high <= epsilon))
        p, q = (part[some] for part in ((self.within, self.without) if remove else (self.without, self.within)))
        low, high = low[some], high[some]
        with np.errstate(all="ignore"):
            size = np.exp(p - self.depth)
            sure = size * -np.expm1(np.minimum(np.nan_to_num(epsilon + q - p), 0.0))
            over = size * -np.expm1(-np.maximum(high - epsilon, 0.0))
            under = np.exp(np.minimum(epsilon + q - self.depth, LARGEST_EXPONENT)) * -np.expm1(
                np.minimum(low - epsilon, 0.0)
            )
            return some, sure, np.fmin(over, under)

    def by_line(self, values: np.ndarray) -> np.ndarray:
        """Sums over the cells of each line (n_lines,)."""
        return np.bincount(self.at, values, minlength=len(self.shifts))


def _keys(line: np.ndarray, T: np.ndarray) -> np.ndarray:
    """Complex numbers that sort by line, then by T."""
    keys = np.empty(T.shape, dtype=complex)
    keys.real, keys.imag = line, T
    return keys


def _log_mass(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """log(Φ(high) − Φ(low)); for a narrow cell from the density in its middle, as a difference would lose digits."""
    turned = low > 0
    low, high = np.where(turned, -high, low), np.where(turned, -low, high)
    top, middle = special.log_ndtr(high), 0.5 * (low + high)
    apart = top + log1mexp(np.minimum(special.log_ndtr(low) - top, 0.0))
    near = np.log(high - low) - 0.5 * middle**2 - LOG_SQRT_2PI + np.log1p((middle**2 - 1) * (high - low) ** 2 / 24)
    return np.where(top > -np.inf, np.where((high - low) * (1 + np.abs(middle)) < _SERIES, near, apart), -np.inf)
