"""Laws on the nodes of a grid whose curves lie below a given convex curve."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcore.accountants.pld.loss_law import LossLaw, Real
from dpcore.accountants.pld.masses import NOISE, ON_GRID, chord_masses, curve_at_nodes, gaps, nonnegative, piece_gaps

_STRAIGHT = 8 * NOISE  # gap of a cell, relative to the curve, that is round-off
_STEEP = 0.5  # of the curve at the right node: a larger gap would lower it by too much
_PIECES = 4  # samples per cell from which the gap under its chord is bounded


@dataclass(frozen=True)
class Samples:
    """H and K of a law at PIECES points a cell, and the value that the round-off at each is relative to."""

    x: np.ndarray
    h: np.ndarray
    k: np.ndarray
    size: np.ndarray

    @classmethod
    def of(cls, law: LossLaw, nodes: np.ndarray, step: float, precision: Real) -> Samples:
        """Between the nodes and at them, or at the edge of the support where a node is one but for round-off."""
        share = np.arange(_PIECES) / _PIECES
        x = np.append((nodes[:-1, None] + np.diff(nodes)[:, None] * share).reshape(-1), nodes[-1])
        for edge in (law.bottom, law.top):
            x = np.where(np.abs(x - edge) <= ON_GRID * step, edge, x)
        h, k = law.curves(x, precision)
        return cls(x, h, k, np.where(x < 0, k, h))

    def at_nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """H and K at the nodes alone."""
        return self.h[::_PIECES], self.k[::_PIECES]

    def without(self, atoms: list[tuple[float, float]]) -> Samples:
        """The curves less those of the atoms (loss, mass)."""
        h, k = self.h, self.k
        for at, mass in atoms:
            beyond = np.clip(self.x - at, -700.0, 700.0)
            h = np.where(self.x < at, np.maximum(h + mass * np.expm1(np.minimum(beyond, 0.0)), 0.0), h)
            k = np.where(self.x > at, np.maximum(k - mass * np.expm1(np.maximum(beyond, 0.0)), 0.0), k)
        return Samples(self.x, h, k, self.size)


class Below:
    r"""Discrete laws below a law that is known by samples.

    The curves are joined at 0 by k − h = q e^x − p, with p and q the P- and the Q-mass of the finite losses; `totals` are
    (p − q, q). A law below has the same totals, or less. Each chord of the curve lies at most `gap` above it, so nodes
    lowered by the larger gap beside them, `drop`, have chords below the curve. So have, in a steep cell, its right node left
    where it is and its left node lowered to the tangent there.
    """

    def __init__(self, nodes: np.ndarray, samples: Samples, totals: tuple[float, float]) -> None:
        self.x, self.samples, self.totals = nodes, samples, totals
        gap = gaps(samples.x, samples.h, samples.k, _PIECES, samples.size)
        size = samples.size[::_PIECES]
        self.straight = gap <= _STRAIGHT * np.maximum(size[:-1], size[1:])
        self.drop = self._lowering(gap)
        self.drop[0] = max(self.drop[0], self.drop[1])
        self.first = int(np.searchsorted(nodes, 0.0))

    def _lowering(self, gap: np.ndarray) -> np.ndarray:
        """How far each node is lowered."""
        fine, right = self.samples, slice(_PIECES, -1, _PIECES)
        here, ahead = fine.h[right], fine.h[_PIECES + 1 :: _PIECES]
        steep = (gap[:-1] > _STEEP * here) & (self.x[:-2] >= 0)
        rise = np.expm1(fine.x[_PIECES + 1 :: _PIECES] - fine.x[right])
        share = -np.expm1(-np.diff(self.x)[:-1]) / rise
        tangent = here + (here - ahead) * share - 2 * NOISE * (1 + share) * fine.size[right]
        on_left, on_right = np.append(gap, 0.0), np.append(0.0, gap)
        on_left[:-2][steep] = np.maximum(fine.h[:-1:_PIECES][:-1] - tangent, on_left[:-2])[steep]
        on_right[1:-1][steep] = 0.0
        return np.maximum(on_left, on_right)

    def lowered(self, keep_total: bool) -> np.ndarray:
        """Masses of both curves lowered by `drop` and made convex.

        Where h reaches 0 it is cut off, with the cut moved to a node on the safe side. On the left k is cut off in the
        same way, which keeps the total mass p, or the first chord of the curve itself is extended, which keeps the
        masses.
        """
        h, k = self.samples.at_nodes()
        low_h, low_k = h - self.drop, k - self.drop
        stop = _crossing(low_h)
        start = self.x.size - _crossing(low_k[::-1]) if keep_total else 0
        if stop < max(start, 2):
            return _single_mass(self.x, self.totals)
        low_h[stop:], low_k[:start] = 0.0, 0.0
        low_k[stop : self.first] = self._k_of(low_h, slice(stop, self.first))
        low_h[self.first : start] = self._h_of(low_k, slice(self.first, start))
        mass = self._chords(low_h, low_k)
        mass[stop + 1 :], mass[: max(start - 1, 0)] = 0.0, 0.0
        if not keep_total:
            mass[0] = (self.drop[0] - self.drop[1]) / np.expm1(self.x[1] - self.x[0])
        convex = self._convex(mass, low_h, low_k)
        return _single_mass(self.x, self.totals) if convex is None else convex

    def _convex(self, mass: np.ndarray, h: np.ndarray, k: np.ndarray) -> np.ndarray | None:
        """Masses of the greatest convex curve below h and k; None where that is more than round-off above them at some node.

        Then the curve is below its right asymptote, and a debt at the last node is paid with Q-mass.
        """
        convex, left = nonnegative(self.x, mass), slice(self.first)
        h[left] = self._h_of(k, left)
        size = self.samples.size[::_PIECES] - np.expm1(np.minimum(self.x, 0.0))
        over = curve_at_nodes(self.x, convex) - h
        return convex if np.all(over <= 0.5 * NOISE * self.x.size * size) else None

    def floored(self, index: np.ndarray, bottom: float) -> tuple[np.ndarray, np.ndarray]:
        """Each loss on a node below it: the masses of the chords, what may come from a bent cell at its lower end.

        Good where losses are few and most cells straight; `lowered` pays for a large loss with the mass of rarer ones. What lies
        left of the first node is given up.
        """
        mass = nonnegative(self.x, chord_masses(self.x, *self.samples.at_nodes()))
        if self.x[0] > bottom:
            mass[0] = 0.0
        return np.append(index[0], np.where(self.straight, index[1:], index[:-1])), mass

    def merged(self, back: int) -> np.ndarray | None:
        r"""Like `lowered`, keeping the total, with all small losses merged into one at the node z, `back` places left of 0.

        Losses that together have P-mass p and Q-mass q reveal at least as much as one loss log(p/q). In curves: from
        k = 0 at the merged loss on, the tangent to the curve,

        .. math:: \underline{k}(x) = s\,(e^x − e^z), \qquad s = \min_{x > z} \frac{k(x)}{e^x − e^z}

        lies below it; the lowered curve follows from the first node after the point of touch. None where no tangent
        leaves a larger loss.
        """
        touched = self._tangent(self.first - back) if back <= self.first else None
        if touched is None:
            return None
        slope, end = touched
        x, start = self.x, self.first - back
        h, k = self.samples.at_nodes()
        low_h, low_k = h - self.drop, k - self.drop
        low_k[: start + 1] = 0.0
        between = np.arange(start + 1, end + 1)
        rise = np.exp(x[start]) * np.expm1(x[between] - x[start])
        low_k[between] = slope * rise
        line = self._h_of(low_k, between) - 2 * NOISE * (rise + np.abs(np.expm1(x[between])))
        line[-1] = min(line[-1], low_h[end])
        low_h[between] = line
        stop = _crossing(low_h[self.first :])
        if self.first + stop <= end:
            return None
        low_h[self.first + stop :] = 0.0
        return self._convex(self._chords(low_h, low_k), low_h, low_k)

    def _tangent(self, start: int) -> tuple[float, int] | None:
        """Slope in e^x of the tangent from (x_start, k = 0), and the first node after its touch; None if that is too far."""
        ahead = slice(start * _PIECES + 1, None)
        slopes = self._least_k[ahead] / (np.exp(self.x[start]) * np.expm1(self.samples.x[ahead] - self.x[start]))
        touch = int(np.argmin(slopes))
        end = start + 1 + touch // _PIECES
        return (max(float(slopes[touch]), 0.0), end) if self.first <= end < self.x.size - 2 else None

    @cached_property
    def _least_k(self) -> np.ndarray:
        """k at the samples, lowered so that chords between them lie below the curve."""
        fine = self.samples
        return fine.k - NOISE * fine.size - _beside(piece_gaps(fine.x, fine.h, fine.k))

    def _h_of(self, k: np.ndarray, node: np.ndarray | slice | int) -> np.ndarray:
        """h at a node from k there."""
        surplus, q = self.totals
        return k[node] + (surplus - q * np.expm1(self.x[node]))

    def _k_of(self, h: np.ndarray, node: slice | int) -> np.ndarray:
        """k at a node from h there."""
        surplus, q = self.totals
        return h[node] - (surplus - q * np.expm1(self.x[node]))

    def _chords(self, h: np.ndarray, k: np.ndarray) -> np.ndarray:
        """Masses of the chords of h right of 0 and of k left of it; at the two nodes around 0 each gives the other."""
        first = self.first
        h[first - 1], k[first] = self._h_of(k, first - 1), self._k_of(h, first)
        return chord_masses(self.x, h, k)


def _beside(gap: np.ndarray) -> np.ndarray:
    """At each node the larger of the two gaps beside it."""
    return np.maximum(np.append(gap, 0.0), np.append(0.0, gap))


def _crossing(values: np.ndarray) -> int:
    """How many leading values stay when a decreasing curve is cut off at 0 and the cut moved to the node before it."""
    below = np.flatnonzero(values <= 0)
    if not below.size:
        return values.size - 1
    crossing = int(below[0])
    return crossing if values[crossing] == 0 else max(crossing - 1, 0)


def _single_mass(x: np.ndarray, totals: tuple[float, float]) -> np.ndarray:
    """The least a curve can be: all mass at the loss where its two asymptotes meet, moved down to a node."""
    surplus, q = totals
    result = np.zeros_like(x)
    if surplus + q > 0:
        meet = np.log1p(surplus / q) if q > 0 else np.inf
        at = int(np.searchsorted(x, meet + ON_GRID * np.diff(x).min(), side="right")) - 1
        if at >= 0:
            result[at] = surplus + q
    return result
