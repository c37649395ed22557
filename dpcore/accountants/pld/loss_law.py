"""The privacy loss of one mechanism in one direction, read off its profile on both sides of ε = 0."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from dpcore.profiles import DIRECTIONS, OPPOSITE, Lattice, PrivacyProfile

# Losses at which a law is first evaluated. A loss beyond the last counts as infinite. With twice as many, nothing
# changes.
_SCAN = np.geomspace(1e-15, 1e15, 601)
# log δ below which curves are bounded by other means; extended floats reach further. Doubled, where floats hold it, the
# work is twice as much.
DEEPEST = max(-1000.0, float(np.log(np.finfo(np.longdouble).tiny)) + 108)
# log of K at which the left tail is cut; it only carries P-probability. Doubled, pilot laws reach twice as far left in
# vain.
_LEFT = -80.0
# Nodes on each side of 0 and at each edge, as shares of the reach, 9 % apart. With twice as many, the outline takes
# twice as long and ranges of ε are chosen a little better.
NEAR_ZERO = np.geomspace(1e-9, 1.0, 240)
# Distance between nodes, in widths of the tilted loss at that place. Doubled, its peak may be missed.
_BENT = 0.25
# A curve is replaced by a chord where it rises above it by more than this share. Doubled, more small dents stay, and
# cells there are wider.
_CONCAVE = 1e-9
# How often each end of a chord is moved to where the line through the other end touches the curve. Doubled, the ends
# are the same.
_ROUNDS = 8
# Distance from the edge of the support, in nats, at which the mass of its atom is read off, and the share by which that
# mass is understated, which is more than the error of the reading. Doubled, that much more of the atom is treated like
# the losses beside it.
_ATOM_STEP, _ATOM_MARGIN = 1e-6, 1e-7
# Share of a step by which a loss may lie off its node; the error is charged at the end. Doubled, brackets are not yet
# wider.
ON_GRID = 1e-9


@dataclass(frozen=True)
class LossLaw:
    r"""The law of ω = log(dP/dQ) under P, known through H(x) = E_P[(1 − e^{x−ω})_+] = δ(x) of one direction.

    Left of 0 the curve is K(x) = H(x) − 1 + e^x = e^x δ'(−x) with δ' the other direction: the same second
    differences as H, without its cancellation.

    References: redberg-koskela-wang-2023 (Theorem D.2, Definition J.4).
    """

    mechanism: PrivacyProfile
    direction: str

    def right(self, x: np.ndarray) -> np.ndarray:
        """H(x) for x ≥ 0."""
        return np.exp(np.asarray(self.mechanism.log_delta(x, direction=self.direction), dtype=np.longdouble))

    def left(self, x: np.ndarray) -> np.ndarray:
        """K(x) for x ≤ 0."""
        return np.exp(
            np.asarray(x + self.mechanism.log_delta(-x, direction=OPPOSITE[self.direction]), dtype=np.longdouble)
        )

    def curves(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """H without the infinite loss, and K, at sorted x; straight along the chords."""
        h, k = self.stated(x)
        for ends in self.chords:
            inside = (x > ends[0]) & (x < ends[1])
            for curve, at_ends in zip((h, k), self.stated(np.array(ends)), strict=True):
                curve[inside] = np.minimum(curve[inside], between(x[inside], ends, at_ends))
        return h, k

    @cached_property
    def chords(self) -> tuple[tuple[float, float], ...]:
        """Ends of the chords that replace the curve where it is not convex in e^x.

        The curve of a pair of laws is convex. So whatever another curve bounds, its greatest convex minorant bounds
        too. No loss lies between the ends of a chord.
        """
        x, h, k = self._coarse
        kept = np.flatnonzero(nonnegative(x, chord_masses(x, h, k)) > 0)
        after = np.clip(np.searchsorted(kept, np.arange(x.size)), 1, max(kept.size - 1, 1))
        left, right = kept[after - 1], kept[np.minimum(after, kept.size - 1)]
        inside = np.flatnonzero((left < np.arange(x.size)) & (np.arange(x.size) < right))
        left, right = left[inside], right[inside]
        curve = np.where(x[right] <= 0, [k[inside], k[left], k[right]], [h[inside], h[left], h[right]])
        chord = between(x[inside], (x[left], x[right]), curve[1:])
        rounding = np.abs(np.spacing(x[inside]) * (curve[2] - curve[1]) / (x[right] - x[left]))
        above = curve[0] > chord * (1 + _CONCAVE) + 8 * rounding
        last = x.size - 1
        spans = sorted(set(zip(left[above].tolist(), right[above].tolist(), strict=True)))
        return tuple(self._tangent((x[max(i - 1, 0)], x[i + 1]), (x[j - 1], x[min(j + 1, last)])) for i, j in spans)

    def _tangent(self, left: tuple[float, float], right: tuple[float, float]) -> tuple[float, float]:
        """The places, one in the span `left` and one in the span `right`, where a line below the curve touches it."""
        number, ends = 1 if right[1] <= 0 else 0, [sum(left) / 2, sum(right) / 2]

        def slope(at: float, end: int, sign: float) -> float:
            low, high = (self.stated(np.array([one]))[number][0] for one in (ends[1 - end], at))
            return float(sign * (high - low) / (np.exp(at - right[1]) - np.exp(ends[1 - end] - right[1])))

        for _ in range(_ROUNDS):
            for end, span, sign in ((1, right, 1.0), (0, left, -1.0)):
                ends[end] = float(
                    minimize_scalar(slope, bounds=span, args=(end, sign), method="bounded", options={"xatol": 1e-12}).x
                )
        return ends[0], ends[1]

    def stated(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both curves as the mechanism states them. On its far side of 0, each is the other plus a positive term."""
        first = int(np.searchsorted(x, 0.0))
        right, left = self.right(x[first:]), self.left(x[:first])
        if first < x.size and x[first] == 0:
            right[0] = min(right[0], self.left(x[first : first + 1])[0])
        h = np.concatenate([left - np.expm1(x[:first]), right])
        k = np.concatenate([left, right + np.expm1(np.minimum(x[first:], 700.0))])
        return np.maximum(h - self.infinite, 0.0), k

    @property
    def lattice(self) -> Lattice | None:
        """The infinite grid on which all losses lie; None if there is none."""
        return self.mechanism.lattice

    @cached_property
    def _other(self) -> LossLaw:
        """The law of the other direction."""
        return law_of(self.mechanism, OPPOSITE[self.direction])

    @cached_property
    def _scan(self) -> np.ndarray:
        """log H at `_SCAN`."""
        return np.asarray(self.mechanism.log_delta(_SCAN, direction=self.direction))

    @cached_property
    def infinite(self) -> float:
        """P-probability of an infinite loss, δ(∞)."""
        return float(np.exp(self._scan[-1]))

    @cached_property
    def top(self) -> float:
        """Largest finite loss, where δ becomes 0, to the last digit; inf if there is none."""
        grid, zero = _SCAN, np.isneginf(self._scan)
        while zero[-1]:
            first = int(np.argmax(zero))
            if first == 0 or grid[first] - grid[first - 1] <= 2 * np.spacing(grid[first]):
                return float(grid[first])
            grid = np.linspace(grid[first - 1], grid[first], _SCAN.size)
            zero = np.isneginf(np.asarray(self.mechanism.log_delta(grid, direction=self.direction)))
        return np.inf

    @property
    def bottom(self) -> float:
        """Smallest loss; −inf if there is none."""
        return -self._other.top

    @cached_property
    def atoms(self) -> tuple[tuple[float, float], ...]:
        """(loss, P-mass) of the atoms at the edges of a bounded support, masses slightly understated."""
        if not (np.isfinite(self.top) and np.isfinite(self.bottom)) or self.top <= self.bottom:
            return ()
        step = min(_ATOM_STEP, 1e-3 * (self.top - self.bottom)) * np.array([1.0, 0.5])
        at_top, at_bottom = self.top - step, self.bottom + step
        if at_top.min() < 0 or at_bottom.max() > 0:
            return ()
        top = _limit_mass(self.right(at_top) / -np.expm1(at_top - self.top))
        bottom = _limit_mass(self.left(at_bottom) / np.expm1(at_bottom - self.bottom))
        return tuple((x, p) for x, p in ((self.bottom, bottom), (self.top, top)) if p > 0)

    @cached_property
    def _coarse(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Nodes a few percent apart, closer where log H bends, and both curves there as stated."""
        level = self._scan[-1] + 1e-9 if self.infinite > 0 else DEEPEST - 100
        ends = []
        for law, negligible in ((self, self._scan <= level), (self._other, self._other._scan - _SCAN <= _LEFT)):
            reach = min(law.top, float(_SCAN[int(np.argmax(negligible))]))
            ends.append(reach * (np.append(NEAR_ZERO, 1 - NEAR_ZERO) if reach == law.top else NEAR_ZERO))
        x = np.unique(np.concatenate([-ends[1], [0.0], ends[0]]))
        x = np.unique(np.append(x, self._where_bent(x[x > 0])))
        return x, *self.stated(x)

    @cached_property
    def pilot(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """These nodes with log H and log of the masses that chords between them give: a dominating law of a few hundred atoms."""
        x, h, k = self._coarse
        if self.chords:
            h, k = self.curves(x)
        with np.errstate(divide="ignore"):
            return x, np.log(h).astype(float), np.log(nonnegative(x, chord_masses(x, h, k))).astype(float)

    @cached_property
    def is_ever_positive(self) -> bool:
        """Whether some finite loss is positive."""
        x, log_h, _ = self.pilot
        return bool((np.exp(log_h[x >= 0]) > self.mechanism.evaluation_error * self.infinite).any())

    def _where_bent(self, x: np.ndarray) -> np.ndarray:
        """Nodes that are closer together where log H bends more than `x` resolves.

        A tilted law may have its peak anywhere, and the bend gives the width of that peak.
        """
        log_h = np.asarray(self.mechanism.log_delta(x, direction=self.direction))
        x, log_h = x[np.isfinite(log_h)], log_h[np.isfinite(log_h)]
        if x.size < 3:
            return x
        slope = np.diff(log_h) / np.diff(x)
        bend = np.sqrt(np.maximum(-np.diff(slope) / (0.5 * (x[2:] - x[:-2])), 0.0))
        bend = np.interp(0.5 * (x[1:] + x[:-1]), x[1:-1], bend)
        turns = np.append(0.0, np.cumsum(np.minimum(bend * np.diff(x), 1 / _BENT)))
        return np.interp(np.arange(0.0, turns[-1], _BENT), turns, x)


@lru_cache(maxsize=512)
def law_of(mechanism: PrivacyProfile, direction: str) -> LossLaw:
    """The law of one direction, cached with what was computed of it. A symmetric mechanism has one law for both."""
    return LossLaw(mechanism, DIRECTIONS[0] if mechanism.symmetric else direction)


Laws = tuple[tuple[LossLaw, int], ...]  # each mechanism of a composition in one direction, with its count


def log_any(chances: Iterable[tuple[float, int]]) -> float:
    """log of the probability that some loss is infinite, 1 − Π_j (1 − p_j)^{k_j}, for k_j losses of chance p_j each."""
    with np.errstate(divide="ignore"):
        return float(np.log(-np.expm1(sum(count * np.log1p(-min(chance, 1.0)) for chance, count in chances))))


def _limit_mass(reading: np.ndarray) -> float:
    """Mass at the edge from two readings at distances d and d/2, on the low side."""
    far, near = reading
    return (2 * near - far) * (1 - _ATOM_MARGIN) - 1e-3 * abs(far - near)


def chord_masses(x: np.ndarray, h: np.ndarray, k: np.ndarray) -> np.ndarray:
    """P-masses of the law whose curve joins the nodes by straight lines in e^x; negative where the nodes are not convex.

    The curve is h, or k = h − (constant) + e^x left of 0. Beyond the last node it is flat, left of the first it is the
    chord to its value at e^x = 0, where k = 0.
    """
    width = np.diff(x)
    with np.errstate(over="ignore"):
        ahead, behind = np.expm1(width), -np.expm1(-width)
    on_h, on_k = np.diff(h), np.diff(k)
    first = max(int(np.searchsorted(x, 0.0)), 1)
    mass = np.empty_like(h)
    mass[first:] = np.append(on_h[first:] / ahead[first:], 0.0) - on_h[first - 1 :] / behind[first - 1 :]
    mass[1:first] = on_k[1:first] / ahead[1:first] - on_k[: first - 1] / behind[: first - 1]
    mass[0] = on_k[0] / ahead[0] - k[0]
    return mass


def split_share(left: np.ndarray | float, x: np.ndarray, right: np.ndarray | float) -> np.ndarray:
    """Share of a mass at x that goes to `right` when it is split so that both P- and Q-mass are kept."""
    return np.expm1(left - x) / np.expm1(left - right)


def between(x: np.ndarray, ends: tuple[Any, Any], values: np.ndarray) -> np.ndarray:
    """The straight line in e^x through `values` at the two `ends`, at x between them."""
    share = np.exp(x - ends[1]) * split_share(ends[0], x, ends[1])
    return values[0] + share * (values[1] - values[0])


def nonnegative(x: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Masses of the greatest convex curve below the one given.

    Nodes of negative mass are dropped, and their mass is split between the neighbours, which keeps P- and Q-mass. A
    node above the chord of two others is on no convex curve below, so all such nodes are dropped at once.
    """
    alive, result = np.arange(x.size), mass.copy()
    while (negative := result[alive] < 0).any():
        kept, dropped = alive[~negative], alive[negative]
        after = np.searchsorted(kept, dropped)
        below, above = kept[np.maximum(after - 1, 0)], kept[np.minimum(after, kept.size - 1)]
        inside = (after > 0) & (after < kept.size)
        share = np.where(after == 0, 1.0, 0.0)
        share[inside] = split_share(x[below[inside]], x[dropped[inside]], x[above[inside]])
        np.add.at(result, above, share * result[dropped])
        np.add.at(result, below, (1 - share) * result[dropped])
        result[dropped], alive = 0.0, kept
    return result
