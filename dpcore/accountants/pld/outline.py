"""A rough picture of a composed curve from coarse laws: log δ within a factor of a few, and the tilt that suits each ε."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from dpcore.accountants.pld.cumulants import cumulants, last_inside
from dpcore.accountants.pld.loss_law import DEEPEST, Laws
from dpcore.accountants.pld.stretches import Rough, Stretch, TiltRanges

_TILTS, _TILTS_PER_UNIT = 120, 10  # at least, and for each factor e
_CUTS = 36
_POINTS = 320  # of ε, on a linear and on a geometric scale, and a quarter as many on a geometric one from the right end
_SHORTEST = 1e-12  # the range looked at where every finite loss is negative
_CLOSEST = 1e-4  # first geometric point, relative to the last
_LOG_TILT_RANGE = (-34.0, 30.0)


class Outline:
    r"""Saddle-point picture of the composition, from each mechanism's pilot law.

    With K_c the log moment function of the losses cut off at c (of which H(c) becomes infinite and the rest is c), and
    ε = K_c'(θ) − 1/θ − 1/(1+θ),

    .. math:: δ(ε) ≈ \min_c \frac{e^{K_c(θ) − θε}}{θ(1+θ)\sqrt{2π\, dε/dθ}} + k\,H(c) .

    The cut matters where one large loss, and not the sum of many, decides: without it the tilt would be that of losses
    far beyond ε.
    """

    def __init__(self, laws: Laws) -> None:
        self.laws = laws

    @cached_property
    def cuts(self) -> np.ndarray:
        """Losses at which the laws may be cut off; the last one cuts nothing."""
        reach = max(float(law.pilot[0][-1]) for law, _ in self.laws)
        return np.append(reach * np.geomspace(_CLOSEST, 1.0, _CUTS), np.inf)

    @cached_property
    def log_beyond(self) -> np.ndarray:
        """log k·H(c) for each cut."""
        total = np.full(self.cuts.size, -np.inf)
        for law, count in self.laws:
            x, log_h, _ = law.pilot
            beyond = np.where(self.cuts >= x[-1], -np.inf, log_h[last_inside(x, self.cuts)])
            total = np.logaddexp(total, np.log(count) + beyond)
        return total

    @cached_property
    def rough(self) -> Rough:
        """log δ on a grid of ε ≥ 0."""
        coarse = np.linspace(*_LOG_TILT_RANGE, 65)
        epsilon, log_delta, _ = self._saddles(coarse, self.cuts)
        needed = (epsilon[:-1] > 0) & (log_delta[:-1] > np.maximum(self.log_beyond[:-1, None], DEEPEST))
        epsilon, log_delta = epsilon[-1], log_delta[-1]
        first = max(int(np.argmax(epsilon > 0)) - 1, 0) if (epsilon > 0).any() else coarse.size - 2
        deep = int(np.argmax(log_delta < DEEPEST)) if (log_delta < DEEPEST).any() else coarse.size - 1
        last = max(deep, first + 1, int(np.flatnonzero(needed.any(axis=0)).max(initial=0)))
        ends = coarse[first] - 2.5, coarse[last] + 2.5
        log_tilt = np.linspace(*ends, max(_TILTS, int(_TILTS_PER_UNIT * (ends[1] - ends[0]))))
        epsilon, log_delta, cumulants = self._saddles(log_tilt, self.cuts)
        top = max(float(np.interp(-DEEPEST, -np.minimum.accumulate(log_delta[-1]), epsilon[-1])), _SHORTEST)
        fine = np.geomspace(_CLOSEST, 1.0, _POINTS)
        grid = top * np.unique(np.concatenate([[0.0], fine, np.linspace(0.0, 1.0, _POINTS)[1:-1], 1 - fine[::4]]))
        values = np.array([_on_grid(grid, log_tilt, epsilon[i], log_delta[i]) for i in range(self.cuts.size)])
        total = np.logaddexp(values, self.log_beyond[:, None])
        best = total.argmin(axis=0), np.arange(grid.size)
        log_delta = np.minimum.accumulate(np.minimum(total[best], 0.0))
        kept = slice(0, max(int(np.searchsorted(-log_delta, -DEEPEST)) + 1, 2))
        return Rough(grid[kept], log_delta[kept], log_tilt, cumulants)

    def stretches(self, log_neglected: float, fineness: float) -> list[Stretch]:
        """ε ≥ 0 in ranges that one tilt can serve, each as long as it can be.

        Parameters
        ----------
        log_neglected : log of the share of δ that cutting off large losses may cost
        fineness : how many grid points a loss of 1 takes for each unit of tilt
        """
        cut = np.argmax(self.log_beyond[:, None] <= self.rough.log_delta + log_neglected, axis=0)
        ranges, result, start = TiltRanges(self.rough, self.cuts, cut, fineness), [], 0
        while start < ranges.last:
            stop = ranges.furthest(start)
            result.append(ranges.stretch(start, stop))
            start = stop
        return result

    def _saddles(self, log_tilt: np.ndarray, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """ε, log δ and K_c(θ) for each cut and tilt."""
        tilt = np.exp(log_tilt)
        cumulant, mean, variance = np.sum([count * cumulants(law, cuts, tilt) for law, count in self.laws], axis=0)
        epsilon = np.maximum.accumulate(mean - 1 / tilt - 1 / (1 + tilt), axis=1)
        square = variance + 1 / tilt**2 + 1 / (1 + tilt) ** 2
        log_delta = cumulant - tilt * epsilon - log_tilt - np.log1p(tilt) - 0.5 * np.log(2 * np.pi * square)
        return epsilon, log_delta, cumulant


def _on_grid(grid: np.ndarray, log_tilt: np.ndarray, epsilon: np.ndarray, log_delta: np.ndarray) -> np.ndarray:
    """log δ at the grid's ε; beyond the last saddle point it falls with the last tilt."""
    return np.interp(grid, epsilon, log_delta) - np.maximum(grid - epsilon[-1], 0.0) * np.exp(log_tilt[-1])
