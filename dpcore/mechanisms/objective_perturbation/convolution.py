r"""Composition of one privacy profile with one Gaussian mechanism: a bracket by cells, without discretising the profile.

For P = P₁ × P₂ against Q₁ × Q₂, where the second pair is Gaussian with shift s,

δ(ε) = E_{ω ∼ N(s²/2, s²)}[h(ε − ω)],

h the first profile on the whole line. In r = e^{ε−ω} the function h is convex and decreasing. Cells [ℓ_j, ℓ_{j+1}] of
ε − ω have P₂-mass p_j and Q₂-mass q_j, so the mean of r in a cell is e^ε q_j/p_j. The chord of h bounds each cell from
above (Edmundson–Madansky). The value of h at that mean bounds it from below (Jensen), and the two neighbouring chords,
prolonged, bound that value from below. Both sides are sums of positive terms over nodes shared by all ε.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
from scipy import special

from dpcore.numerics import LARGEST, NEGLIGIBLE, log1mexp, log_sum
from dpcore.profiles import DIRECTIONS, OPPOSITE, Bound, PrivacyProfile

# Change of log h from one node to the next; it is larger where h is negligible. Doubled, there are fewer nodes and the
# bracket is wider.
_STEP = 0.03
# Nodes per unit of asinh(ℓ/scale) everywhere, where scale is the ℓ at which h has fallen by a tenth. Doubled, there are
# more nodes.
_EVEN = 40.0
# log of the smallest h that is told apart. A smaller h counts as this on the upper side and as 0 on the lower side.
_LOWEST = -745.0
# Number of values ℓ < 0, and of values ℓ > 0, at which h is sampled to place the nodes. Doubled, placing the nodes
# takes twice as long.
_PILOT = 300
_FARTHEST = np.geomspace(1e-12, 1e12, 241)  # values ℓ among which the first at which h vanishes is sought
# Relative rounding error of one sum of positive terms. Doubled, the two sides are further apart by as much.
_ROUNDING = 1e-11
_ROWS = 16  # number of neighbouring values of ε that share one window of cells; doubled, the windows are wider
# Half-width of a window in standard deviations of the Gaussian. Mass beyond cannot be told from 0 and is charged in
# full.
_WINDOW = np.sqrt(-2 * _LOWEST)


@dataclass(frozen=True)
class CurveNodes:
    """Nodes ℓ and the log of h there, with what each cell needs of its neighbours."""

    loss: np.ndarray
    log_h: np.ndarray

    @cached_property
    def width(self) -> np.ndarray:
        return np.diff(self.loss)

    @cached_property
    def fall(self) -> np.ndarray:
        """log h_{j+1} − log h_j ≤ 0."""
        return np.minimum(np.diff(self.log_h), 0.0)

    @cached_property
    def behind(self) -> np.ndarray:
        """Fall of the chord of the cell before, as a share of h_j per unit of r/r_j."""
        return np.append(LARGEST, np.expm1(-self.fall[:-1]) / -np.expm1(-self.width[:-1]))

    @cached_property
    def ahead(self) -> np.ndarray:
        """Fall of the chord of the cell after, as a share of h_{j+1} per unit of r/r_{j+1}."""
        with np.errstate(over="ignore"):
            return np.append(-np.expm1(self.fall[1:]) / np.expm1(self.width[1:]), 0.0)

    def log_chord(self, cells: slice, mean: np.ndarray) -> np.ndarray:
        """log of each cell's chord over h_j, at r = r_j e^mean."""
        width = self.width[cells]
        share = np.exp(mean - width) * np.expm1(-mean) / np.expm1(-width)
        return np.log1p(share * np.expm1(self.fall[cells]))

    def log_prolonged(self, cells: slice, mean: np.ndarray) -> np.ndarray:
        """log of the larger of the two neighbouring chords, prolonged into the cell, over h_j, at r = r_j e^mean."""
        with np.errstate(over="ignore", invalid="ignore"):
            from_left = 1 - np.expm1(mean) * self.behind[cells]
        from_right = np.exp(self.fall[cells]) * (1 - np.expm1(mean - self.width[cells]) * self.ahead[cells])
        return np.log(np.fmax(from_left, from_right))


@dataclass(frozen=True)
class GaussianComposition(PrivacyProfile):
    """One side of the composition of `base` with a Gaussian mechanism of the given shift (sensitivity/noise).

    `side` is "upper" or "lower". The curve of `base` must be convex in e^ε over the whole line.
    Where `base` is itself an upper bound, so is the composition.
    """

    base: PrivacyProfile
    shift: float
    side: str = "upper"

    evaluation_error: ClassVar[float] = 1e-10

    @property
    def bound(self) -> Bound:
        """UPPER or LOWER, whichever side it is."""
        return Bound.UPPER if self.side == "upper" else Bound.LOWER

    @property
    def symmetric(self) -> bool:
        """The same as for the base, because the curve of a Gaussian is the same in both directions."""
        return self.base.symmetric

    @property
    def lower(self) -> GaussianComposition:
        """The lower side, on the same nodes."""
        return replace(self, side="lower")

    @property
    def upper(self) -> GaussianComposition:
        """The upper side, on the same nodes."""
        return replace(self, side="upper")

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        flat = epsilon.reshape(-1)
        result = np.full(flat.shape, -np.inf)
        finite = np.isfinite(flat)
        if finite.any():
            result[finite] = self._finite(flat[finite], direction)
        return result.reshape(epsilon.shape)

    def _finite(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        nodes = _nodes(self.base, DIRECTIONS[0] if self.symmetric else direction)
        order = np.argsort(epsilon)
        result = np.empty(epsilon.shape)
        for rows in np.split(order, np.arange(_ROWS, epsilon.size, _ROWS)):
            result[rows] = self._sum(epsilon[rows], nodes)
        return result

    def _sum(self, epsilon: np.ndarray, nodes: CurveNodes) -> np.ndarray:
        r"""log δ at increasing ε: the bound on E[h] in each cell, summed over the cells within reach of any of these ε.

        With h_j at the nodes, r_j = e^{ℓ_j} and r̄_j = e^ε q_j/p_j the mean of r in cell j,

        .. math:: \sum_j p_j \left(h_j + \frac{\bar r_j − r_j}{r_{j+1} − r_j}(h_{j+1} − h_j)\right) \quad\text{(upper)}, \qquad
                  \sum_j p_j \max\{\text{chord of } j−1, \text{ chord of } j+1\}(\bar r_j) \quad\text{(lower)}

        Left of the cells 1 − r ≤ h ≤ 1, right of them 0 ≤ h ≤ the last h_j.
        """
        reach = self.shift * (_WINDOW + self.shift)
        first = min(max(int(np.searchsorted(nodes.loss, epsilon.min() - reach)) - 1, 0), nodes.loss.size - 2)
        last = max(min(int(np.searchsorted(nodes.loss, epsilon.max() + reach)) + 1, nodes.loss.size - 1), first + 1)
        loss, cells = nodes.loss[first : last + 1], slice(first, last)
        z = (epsilon[:, None] - loss) / self.shift
        log_p, log_q = _log_cell(z - self.shift / 2), _log_cell(z + self.shift / 2)
        with np.errstate(invalid="ignore"):
            mean = np.clip(epsilon[:, None] + log_q - log_p - loss[:-1], 0.0, nodes.width[cells])
        mean = np.where(np.isneginf(log_p), 0.0, mean)  # log r̄_j/r_j
        weight = log_p + nodes.log_h[cells]
        before = special.log_ndtr(self.shift / 2 - z[:, 0])
        if self.side == "upper":
            after = special.log_ndtr(z[:, -1] - self.shift / 2) + nodes.log_h[last]
            inside = log_sum(weight + nodes.log_chord(cells, mean))
            return np.minimum(np.logaddexp(inside, np.logaddexp(before, after)) + _ROUNDING, 0.0)
        inside = log_sum(weight + nodes.log_prolonged(cells, mean))
        left = before + log1mexp(np.minimum(loss[0], 0.0))
        return np.logaddexp(inside, left) - _ROUNDING - 2 * self.base.evaluation_error


# One curve is composed with Gaussians of many shifts. With `maxsize` doubled, the nodes of more curves stay in memory.
@lru_cache(maxsize=16)
def _nodes(base: PrivacyProfile, direction: str) -> CurveNodes:
    """Nodes as far as h vanishes. They are dense where log h falls and, for ℓ < 0, where log(h − 1 + e^ℓ) falls.

    The first node is −45. Left of it h differs from 1 − e^ℓ by less than e^ℓ, so one cell reaches to ℓ = −∞.
    """
    far = np.asarray(base.log_delta(_FARTHEST, direction=direction))
    top = _FARTHEST[min(int(np.searchsorted(-far, -_LOWEST)), _FARTHEST.size - 1)]
    pilot = np.concatenate([-np.geomspace(NEGLIGIBLE, 1e-7, _PILOT), [0.0], top * np.geomspace(1e-7, 1.0, _PILOT)])
    log_h = np.maximum(np.asarray(base.log_delta(pilot, direction=direction)), _LOWEST)
    last = max(int(np.searchsorted(-log_h, -_LOWEST)), _PILOT + 1)
    pilot, log_h = pilot[: last + 1], log_h[: last + 1]
    left = np.minimum(pilot, 0.0)
    log_k = left + np.asarray(base.log_delta(-left, direction=OPPOSITE[direction]))
    bend = np.abs(np.diff(np.maximum(log_k, 2 * _LOWEST))) * np.exp(np.minimum(log_k[1:], 0.0) / 4)
    fall = np.abs(np.diff(log_h)) / np.maximum(1.0, -log_h[1:] / NEGLIGIBLE)
    scale = np.interp(0.1, log_h[_PILOT] - log_h[_PILOT:], pilot[_PILOT:])
    steps = (fall + bend) / _STEP + _EVEN * np.diff(np.arcsinh(pilot / scale))
    measure = np.concatenate([[0.0], np.cumsum(steps)])
    loss = np.interp(np.linspace(0.0, measure[-1], int(np.ceil(measure[-1])) + 2), measure, pilot)
    loss[np.argmin(np.abs(loss))] = 0.0
    return CurveNodes(loss, np.maximum(np.asarray(base.log_delta(loss, direction=direction)), _LOWEST))


def _log_cell(z: np.ndarray) -> np.ndarray:
    """log(Φ(z_j) − Φ(z_{j+1})) for falling z, from the tail both ends lie in."""
    high, low = z[:, :-1], z[:, 1:]
    flip = low + high > 0
    first, second = np.where(flip, -low, high), np.where(flip, -high, low)
    log_first = special.log_ndtr(first)
    with np.errstate(invalid="ignore"):
        return log_first + log1mexp(np.minimum(special.log_ndtr(second) - log_first, 0.0))
