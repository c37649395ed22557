"""The laws of a record's margin under a posterior sample, without and with it, their hockey-stick divergences, and ε."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcore.glm.losses import Clipped, Loss
from dpcore.individual.exact.fast_inverse import newton
from dpcore.individual.exact.newton import newton_both_ways
from dpcore.individual.numbers import BESIDE
from dpcore.numerics import LARGEST, LARGEST_EXPONENT, NEGLIGIBLE, WINDOW, OfRows, gauss_legendre, increasing_roots

# Number of Gauss–Legendre nodes of a panel, enough for e^-45x and e^-45x² on [0, 1]. Doubled, it takes twice as long.
_NODES = 20
# _WIDER: ratio of the widths of neighbouring panels as one goes away from a mark. _EVEN: number of panels if B bends
# the law. With the first doubled, there are fewer panels; with the second, more.
_WIDER, _EVEN = 8.0, 8
# Largest width of a panel in units of the margin, as f bends, for the first `_NODES` panels. Doubled, there are fewer.
_BEND = 6.0
# Largest |z|, in standard deviations; places farther out are cut to it. Doubled, nothing changes.
FURTHEST = 1e12
# Error of G at the ends of an integral, as a share of ε. The integrand is 0 there, so only the square of this error
# counts. Doubled, the error of δ is four times as large.
_ENOUGH = 1e-7
# Largest |kz| for which A is computed to third order. Doubled, its error is four times as large.
_STRAIGHT = 1e-4


@dataclass(eq=False)
class MarginLaws(OfRows):
    r"""Margins m = c + sz of many records under a posterior sample, without the record (q) and with it (p).

    .. math:: q(z) ∝ e^{−A(z) + B(z)}, \quad A(z) = \frac{e^{kz} − 1 − kz}{k²},
              \quad p(z) ∝ q(z)e^{−G(z)}, \quad G(z) = γ\left(f(c + sz) − f(c)\right), \quad
              ω(z) = \log\frac{p(z)}{q(z)} = −G(z) − \log E_q[e^{−G}]

    G is convex. So the integrand of "remove" is positive on an interval, and that of "add" outside one. Both hockey
    sticks are integrals of functions that are positive, and smooth between the ends, the kinks of f'' and the peaks.

    Parameters
    ----------
    plain : f
    gamma : γ
    centre, scale : c and s > 0 (n_records,)
    y, limit : targets, and the largest |f'|, inf without a clip (n_records,)
    correction : Chebyshev coefficients of B on [low, high] (n_records, k); with a single one, B is constant
    low, high : ends of the interval on which q is known, in units of z (n_records,)
    skew : k, the rate at which the curvature of A grows (n_records,); A = z²/2 if it is 0
    """

    plain: Loss
    gamma: float
    centre: np.ndarray
    scale: np.ndarray
    y: np.ndarray
    limit: np.ndarray
    correction: np.ndarray
    low: np.ndarray
    high: np.ndarray
    skew: np.ndarray

    def __post_init__(self) -> None:
        clips = np.isfinite(self.limit).any()
        self.ends = Clipped(self.plain, self.limit).ends(self.y) if clips else np.empty((self.y.size, 0))
        self.offset = self._loss(slice(None)).value(self.centre, self.y)

    def _loss(self, rows: slice | np.ndarray) -> Loss:
        return Clipped(self.plain, self.limit[rows], self.ends[rows]) if self.ends.size else self.plain

    def _at(self, rows: np.ndarray, z: np.ndarray) -> tuple[Loss, np.ndarray, np.ndarray]:
        """Loss, margin and target at z (n_rows, k) of the records at these positions."""
        columns = rows[:, None]
        return self._loss(columns), self.centre[columns] + self.scale[columns] * z, self.y[columns]

    def potential(self, rows: np.ndarray, z: np.ndarray) -> np.ndarray:
        """G at z (n_rows, k) of the records at these positions."""
        loss, margin, y = self._at(rows, z)
        return self.gamma * (loss.value(margin, y) - self.offset[rows, None])

    def log_normal(self, rows: np.ndarray, z: np.ndarray) -> np.ndarray:
        """−A(z) + B(z)."""
        result = -self._rise(rows, z)
        if self.correction.shape[1] > 1:
            middle, half = (self.high + self.low)[rows, None] / 2, (self.high - self.low)[rows, None] / 2
            result += np.polynomial.chebyshev.chebval(
                np.moveaxis((z - middle) / half, 0, -1), self.correction[rows].T, tensor=False
            ).T
        return result

    def _rise(self, rows: np.ndarray, z: np.ndarray) -> np.ndarray:
        """A(z)."""
        square = 0.5 * z * z
        if not self.skew.any():
            return square
        x = self.skew[rows, None] * z
        share = 2 * (np.expm1(x) - x) / (x * x + 1 / LARGEST)
        straight = np.abs(x) < _STRAIGHT
        share[straight] = 1 + x[straight] / 3
        return np.minimum(square * share, LARGEST)

    def pull(self, z: np.ndarray) -> np.ndarray:
        """A'(z) of every record at its z (n_records,)."""
        if not self.skew.any():
            return z
        return np.where(self.skew == 0, z, np.expm1(self.skew * z) / np.where(self.skew == 0, 1.0, self.skew))

    def stiffness(self, z: np.ndarray) -> np.ndarray:
        """A''(z) of every record at its z (n_records,)."""
        return np.exp(np.clip(self.skew * z, -LARGEST_EXPONENT, LARGEST_EXPONENT))

    def _slopes(self, z: np.ndarray) -> np.ndarray:
        """G'(z) of every record at its z (n_records,)."""
        slope = self._loss(slice(None)).derivative(self.centre + self.scale * z, self.y)
        return np.clip(self.gamma * self.scale * slope, -LARGEST, LARGEST)

    def bends(self, z: np.ndarray) -> np.ndarray:
        """G''(z) of every record at its z (n_records,)."""
        bend = self._loss(slice(None)).second_derivative(self.centre + self.scale * z, self.y)
        return np.clip(self.gamma * self.scale**2 * bend, 0.0, LARGEST)

    @cached_property
    def peak(self) -> np.ndarray:
        """The z at which −A(z) − G(z) is largest."""
        first = -self._slopes(np.zeros_like(self.centre))
        far = np.where(self.skew == 0, first, np.sign(first) * FURTHEST)
        return increasing_roots(
            lambda z: (self.pull(z) + self._slopes(z), self.stiffness(z) + self.bends(z)),
            np.minimum(far, 0), np.maximum(far, 0), 0 * first,
        )  # fmt: skip

    @cached_property
    def bottom(self) -> np.ndarray:
        """The z at which G is smallest, or a point far away on the side on which it falls."""
        found = (self._loss(slice(None)).minimiser(self.y) - self.centre) / self.scale
        return np.clip(found, -FURTHEST, FURTHEST)

    @cached_property
    def kinks(self) -> np.ndarray:
        """The z at which G'' jumps, shape (n_records, k)."""
        found = [(kink - self.centre) / self.scale for kink in self._loss(slice(None)).kinks(self.y)]
        return np.stack(found, axis=1) if found else np.empty((self.centre.size, 0))

    @cached_property
    def heights(self) -> np.ndarray:
        """The smallest G, and G far away on its left and on its right, (n_records, 3)."""
        far = np.full_like(self.centre, FURTHEST)
        return np.stack([self._potentials(z) for z in (self.bottom, -far, far)], axis=1)

    @cached_property
    def log_mass(self) -> np.ndarray:
        """log ∫ e^{−A(z) + B(z)} dz."""
        zero = np.zeros_like(self.centre)
        return self.integral(*self.window(zero, zero), [(zero, zero + WINDOW)], self.log_normal)

    @cached_property
    def log_share(self) -> np.ndarray:
        """log E_q[e^{−G}]."""
        distance = WINDOW / np.sqrt(self.stiffness(self.peak) + self.bends(self.peak))

        def present(rows: np.ndarray, z: np.ndarray) -> np.ndarray:
            return self.log_normal(rows, z) - self.potential(rows, z)

        window = self.window(self.peak, np.zeros_like(distance))
        return self.integral(*window, [(self.peak, distance)], present) - self.log_mass

    def window(self, peak: np.ndarray, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The interval on which a log-concave density, of no less curvature than A, is above e^-45 of its peak.

        `slope` is the rate at which it falls at its peak. If B bends the density, the interval is all of [low, high],
        as the curvature may be smaller.
        """
        if self.correction.shape[1] > 1:
            return self.low, self.high
        if not self.skew.any():
            reach = 2 * NEGLIGIBLE / (slope + np.sqrt(slope * slope + 2 * NEGLIGIBLE))
            return np.maximum(peak - reach, self.low), np.minimum(peak + reach, self.high)
        stiff = self.stiffness(peak)
        ends = []
        for sign in (-1, 1):
            flatter = np.maximum(-sign * self.skew, 0.0) * NEGLIGIBLE / stiff  # A rises by r²A''/(2 + kr) at least
            alone = 0.5 * (flatter + np.sqrt(flatter * flatter + 8 * NEGLIGIBLE / stiff))
            least = 2 * stiff / (2 + np.maximum(-sign * self.skew, 0.0) * alone)
            ends.append(peak + sign * 2 * NEGLIGIBLE / (slope + np.sqrt(slope * slope + 2 * least * NEGLIGIBLE)))
        return np.maximum(ends[0], self.low), np.minimum(ends[1], self.high)

    def panels(
        self, low: np.ndarray, high: np.ndarray, marks: list[tuple[np.ndarray, np.ndarray]]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows, nodes and log weights of panels from `low` to `high`.

        A mark is a pair (place, distance): the panels beside this place are that wide, and those further away are
        wider.
        """
        edges = [low[:, None], high[:, None], self.bottom[:, None], self.kinks]
        bend = np.minimum(_BEND / self.scale, (high - low) / _EVEN if self.correction.shape[1] > 1 else np.inf)
        edges.append(low[:, None] + bend[:, None] * np.arange(1, np.ceil(_largest((high - low) / bend, _NODES))))
        for place, distance in marks:
            steps = _WIDER ** np.arange(np.ceil(np.log(_largest((high - low) / distance, FURTHEST)) / np.log(_WIDER)))
            offset = distance[:, None] * np.concatenate([-steps[::-1], [0.0], steps])
            edges.append(place[:, None] + offset)
        cut = np.sort(np.clip(np.concatenate(edges, axis=1), low[:, None], high[:, None]), axis=1)
        width = np.diff(cut, axis=1)
        rows, panel = np.nonzero(width > 0)
        nodes, weights = gauss_legendre(_NODES)
        size = width[rows, panel][:, None]
        return rows, cut[rows, panel][:, None] + size * nodes, np.log(size * weights)

    def integral(
        self,
        low: np.ndarray,
        high: np.ndarray,
        marks: list[tuple[np.ndarray, np.ndarray]],
        log_integrand: Callable[[np.ndarray, np.ndarray], np.ndarray],
    ) -> np.ndarray:
        """log ∫ e^{log_integrand(records, z)} dz from low to high; `marks` as in `panels`."""
        rows, z, log_weight = self.panels(low, high, marks)
        return _row_sums(self.centre.size, rows, log_integrand(rows, z) + log_weight)

    def hockey(self, epsilon: np.ndarray, direction: str) -> tuple[np.ndarray, np.ndarray]:
        """log δ(ε) of every record in one direction, and its derivative in ε; ε (n_records,) ≥ 0."""
        if direction == "remove":
            return self._removed(epsilon)
        left, right = (self._added(epsilon, sign) for sign in (-1, 1))
        total = np.logaddexp(left[0], right[0])
        share = [np.where(part[0] > -np.inf, np.exp(part[0] - total), 0.0) for part in (left, right)]
        return total, np.where(total > -np.inf, share[0] * left[1] + share[1] * right[1], 0.0)

    def epsilon(self, log_delta: float) -> np.ndarray:
        """Smallest ε ≥ 0 with δ(ε) ≤ δ in both directions, from that of the normal laws of the same mode and curvature."""
        _ = self.log_share, self.heights  # computed once, as it does not depend on ε; `take` keeps it
        mu = np.maximum(self.bends(self.peak), BESIDE)
        found, _ = newton(mu, np.abs(self.peak) * (1 + mu) / np.sqrt(mu), log_delta)
        start = np.where(np.isfinite(found) & (found > 0), found, 0.1)
        return newton_both_ways(lambda rows, *at: self.take(rows).hockey(*at), log_delta, start)

    def _removed(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """∫ p (1 − e^{ε−ω}) over ω > ε."""
        level = -self.log_share - epsilon
        a, b = (self._crossing(epsilon, sign) for sign in (-1, 1))
        peak = np.clip(self.peak, a, b)
        slope = np.abs(self.pull(peak) + self._slopes(peak)) * (peak != self.peak)
        low, high = self.window(peak, slope)
        low, high = np.maximum(low, a), np.minimum(high, b)
        marks = [(peak, _distance(slope, self.stiffness(peak) + self.bends(peak))), self._layer(a), self._layer(b)]

        def terms(rows: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            potential = self.potential(rows, z)
            density = self.log_normal(rows, z) - potential - (self.log_mass + self.log_share)[rows, None]
            return density, np.maximum(level[rows, None] - potential, 0.0)

        return self._sticks(low, high, marks, terms)

    def _added(self, epsilon: np.ndarray, sign: int) -> tuple[np.ndarray, np.ndarray]:
        """∫ q (1 − e^{ε+ω}) over all z with ω < −ε to the right (sign 1) or left (sign −1) of the smallest G."""
        level = -self.log_share + epsilon
        end = self._crossing(-epsilon, sign)
        end = np.where(np.isnan(end), self.bottom, end)
        peak = sign * np.maximum(sign * end, 0.0)
        seen = np.isfinite(peak)
        place = np.where(seen, peak, 0.0)
        slope = np.abs(self.pull(place))
        low, high = self.window(place, slope)
        low, high = (np.maximum(low, end), high) if sign > 0 else (low, np.minimum(high, end))
        low, high = np.where(seen, low, 0.0), np.where(seen, high, 0.0)
        marks = [(place, _distance(slope, self.stiffness(place))), self._layer(end)]

        def terms(rows: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            density = self.log_normal(rows, z) - self.log_mass[rows, None]
            return density, np.maximum(self.potential(rows, z) - level[rows, None], 0.0)

        return self._sticks(low, high, marks, terms)

    def _layer(self, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The end of an interval as a mark: the distance is that over which G changes by 45."""
        place = np.where(np.isfinite(end), end, 0.0)
        return place, _distance(np.abs(self._slopes(place)), self.bends(place))

    def _sticks(
        self,
        low: np.ndarray,
        high: np.ndarray,
        marks: list[tuple[np.ndarray, np.ndarray]],
        terms: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]],
    ) -> tuple[np.ndarray, np.ndarray]:
        """log ∫ e^d (1 − e^{−u}), and its derivative if u falls everywhere at rate 1; (d, u) = `terms`."""
        rows, z, log_weight = self.panels(low, np.maximum(low, high), marks)
        density, excess = terms(rows, z)
        density = density + log_weight
        value = _row_sums(self.centre.size, rows, density + np.log(-np.expm1(-excess)))
        fall = _row_sums(self.centre.size, rows, density - excess)
        return value, np.where(value > -np.inf, -np.exp(fall - value), 0.0)

    def _crossing(self, epsilon: np.ndarray, sign: int) -> np.ndarray:
        """The last z with ω(z) ≥ ε on one side: ±inf if there is no end, nan if there is no such z.

        The error of G there is a small share of ε. Only its square matters, as the integrands are 0 at the ends.
        """
        level, enough = -self.log_share - epsilon, _ENOUGH * np.abs(epsilon)
        lowest, *far = self.heights.T
        result = np.where(lowest > level, np.nan, sign * np.inf)
        ending = np.flatnonzero(~np.isnan(result) & ~(far[sign > 0] <= level) & np.isfinite(level))
        if ending.size:
            result[ending] = self.take(ending)._last(level[ending], enough[ending], sign)
        return result

    def _last(self, level: np.ndarray, enough: np.ndarray, sign: int) -> np.ndarray:
        """`_crossing` for records with G ≤ level somewhere, but not as far as the farthest z."""
        ends = self.bottom, np.full(level.shape, sign * FURTHEST)
        low, high = np.minimum(*ends), np.maximum(*ends)

        def above(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return sign * (self._potentials(z) - level), sign * self._slopes(z)

        start = sign * np.maximum(sign * self.bottom + BESIDE, 0.0)
        value, slope = above(start)
        with np.errstate(all="ignore"):  # where the parabola through G meets the level
            root = np.sqrt(np.maximum(slope * slope - 2 * sign * value * self.bends(start), 0.0))
            step = 2 * value / (slope + root)
        start = np.where(np.isfinite(step), np.clip(start - step, low, high), start)
        return increasing_roots(above, low, high, start, enough)

    def _potentials(self, z: np.ndarray) -> np.ndarray:
        """G of every record at its z (n_records,)."""
        return self.potential(np.arange(z.size), z[:, None])[:, 0]


def _distance(slope: np.ndarray, stiff: np.ndarray) -> np.ndarray:
    """x at which slope·x + stiff·x²/2 is 45, the largest change of an exponent that a panel may cover."""
    return 2 * NEGLIGIBLE / np.maximum(slope + np.sqrt(slope * slope + 2 * NEGLIGIBLE * stiff), 1 / FURTHEST)


def _largest(ratio: np.ndarray, most: float) -> float:
    return min(float(np.max(ratio, where=np.isfinite(ratio), initial=1.0)), most)


def _row_sums(n: int, rows: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """log Σ e^terms of each record; rows (n_panels,) in increasing order, terms (n_panels, n_nodes)."""
    result = np.full(n, -np.inf)
    if not rows.size:
        return result
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    begin = first * terms.shape[1]  # whole records at a time: a panel is too small for a pass of its own
    top = np.maximum.reduceat(terms.reshape(-1), begin)
    base = np.where(np.isfinite(top), top, 0.0)
    each = np.repeat(base, np.diff(first, append=rows.size))
    total = np.add.reduceat(np.exp(terms - each[:, None]).reshape(-1), begin)
    result[rows[first]] = base + np.log(total)
    return result
