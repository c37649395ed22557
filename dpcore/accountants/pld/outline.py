"""A rough picture of a composed curve from coarse laws: log δ within a factor of a few, and the tilt that suits each ε."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcore.accountants.pld.loss_law import Laws

DEEPEST = -600.0  # log δ below which curves are bounded by other means
_TILTS, _TILTS_PER_UNIT = 320, 24  # at least, and for each factor e
_CUTS = 72
_ALIKE = 4.0  # largest ratio of the tilts that suit the two ends of a range
_LONGEST = 450.0  # largest tilt times length of a range: e^{−that} is still an ordinary float
_PROBES = 4
_POINTS = 320  # of ε, on a linear and on a geometric scale, and a quarter as many on a geometric one from the right end
_SHORTEST = 1e-12  # the range looked at where every finite loss is negative
_CLOSEST = 1e-4  # first geometric point, relative to the last
_MOST_POINTS = 2.0**18  # of the grid that a range may take up
_SHALLOWER = 8.0  # how many times less steep log δ may be at the right end of a range than at its left end
_EXTRA = 2.0  # log of the round-off that sharing a tilt may add: about two standard deviations either way
_LIGHTER = 3.0  # log of the round-off that a smaller tilt may add, where the law of the best one reaches too far
_LOG_TILT_RANGE = (-34.0, 30.0)


@dataclass(frozen=True)
class Rough:
    """log δ at increasing ε, and K_c(θ) for every cut c and increasing log θ."""

    epsilon: np.ndarray
    log_delta: np.ndarray
    log_tilt: np.ndarray
    cumulants: np.ndarray

    def slopes(self, start: int, stop: int) -> tuple[tuple[float, float], ...]:
        """(ε, −d log δ/dε) at the right ends of ranges over which log δ falls by equal amounts."""
        epsilon, fall = self.epsilon[start : stop + 1], -self.log_delta[start : stop + 1]
        levels = np.linspace(fall[0], fall[-1], _PROBES + 1)
        ends = np.interp(levels, fall, epsilon)
        ends[0], ends[-1] = epsilon[0], epsilon[-1]
        steps = np.maximum(np.diff(ends), 1e-6 * (epsilon[-1] - epsilon[0]))
        return tuple(zip(ends[1:].tolist(), (np.diff(levels) / steps).tolist(), strict=True))


@dataclass(frozen=True)
class Stretch:
    """A range of ε, the losses up to `cut` that decide there, the tilt for them, and how fast log δ falls at some ε.

    δ(ε) is at least e^{log_share + K(θ) − θε} there, roughly, with θ the tilt. `lighter` is the same range with a smaller
    tilt, whose law reaches less far and whose round-off is larger.
    """

    low: float
    high: float
    cut: float
    tilt: float
    slopes: tuple[tuple[float, float], ...]
    log_share: float
    lighter: Stretch | None = None


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
        total = np.zeros(self.cuts.size)
        for law, count in self.laws:
            x, h, _, _ = law.pilot
            total += np.where(self.cuts >= x[-1], 0.0, count * h[_last_inside(x, self.cuts)])
        with np.errstate(divide="ignore"):
            return np.log(total)

    @cached_property
    def rough(self) -> Rough:
        """log δ on a grid of ε ≥ 0."""
        coarse = np.linspace(*_LOG_TILT_RANGE, 129)
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
        """ε ≥ 0 in ranges that one tilt can serve: at each ε its round-off, relative to δ, is within e^2 of the least.

        `log_neglected` is the log of the share of δ that cutting off large losses may cost; `fineness` is how many grid
        points a loss of 1 takes for each unit of tilt.
        """
        rough, result, start = self.rough, [], 0
        cuts = np.argmax(self.log_beyond[:, None] <= rough.log_delta + log_neglected, axis=0)
        pull = np.exp(rough.log_tilt) * rough.epsilon[:, None]
        exponent = rough.cumulants[cuts] - pull
        least, best = exponent.min(axis=1), np.exp(rough.log_tilt[exponent.argmin(axis=1)])

        def extra(start: int, stop: int) -> np.ndarray:
            points = slice(start, stop + 1)
            return (rough.cumulants[cuts[stop]] - pull[points] - least[points, None]).max(axis=0)

        fall = -np.diff(rough.log_delta) / np.diff(rough.epsilon)

        def fits(start: int, stop: int) -> bool:
            if fall[start] > _SHALLOWER * fall[stop - 1]:
                return False
            alike = best[stop] <= _ALIKE * max(best[start], 1 / max(rough.epsilon[stop], 1e-300))
            short = best[stop] * (rough.epsilon[stop] - rough.epsilon[start]) <= _LONGEST
            points = fineness * best[stop] * (rough.epsilon[stop] - rough.epsilon[start])
            return alike and short and points <= _MOST_POINTS and extra(start, stop).min() <= _EXTRA

        while start < rough.epsilon.size - 1:
            low, high = start + 1, rough.epsilon.size
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if fits(start, middle) else (low, middle)
            cost, cut = extra(start, low), cuts[low]
            points = slice(start, low + 1)

            def stretch(chosen: int, lighter: Stretch | None, points: slice = points, cut: int = cut) -> Stretch:
                share = rough.log_delta[points] + pull[points, chosen] - rough.cumulants[cut, chosen]
                ends = float(rough.epsilon[points][0]), float(rough.epsilon[points][-1])
                slopes = rough.slopes(points.start, points.stop - 1)
                tilt = float(np.exp(rough.log_tilt[chosen]))
                return Stretch(*ends, float(self.cuts[cut]), tilt, slopes, float(share.min()), lighter)

            smaller = stretch(int(np.argmax(cost <= cost.min() + _LIGHTER)), None)
            result.append(stretch(int(cost.argmin()), smaller))
            start = low
        return result

    def _cumulants(self, log_tilt: np.ndarray, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """K_c(θ), K_c'(θ) and K_c''(θ) for each cut and tilt, as moments of the tilted losses."""
        total = np.zeros((3, cuts.size, log_tilt.size))
        for law, count in self.laws:
            x, _, _, mass = law.pilot
            x, mass = x[mass > 0], mass[mass > 0]
            last = _last_inside(x, cuts)
            ends, which = np.unique(last, return_inverse=True)
            starts = np.append(0, ends[:-1] + 1)
            used = slice(0, int(ends[-1]) + 1)
            exponent = np.log(mass[used])[:, None] + x[used, None] * np.exp(log_tilt)
            largest = np.maximum.accumulate(np.maximum.reduceat(exponent, starts, axis=0), axis=0)
            weight = np.exp(exponent - np.repeat(largest, np.diff(np.append(starts, ends[-1] + 1)), axis=0))
            powers = np.stack([weight, weight * x[used, None], weight * x[used, None] ** 2])
            sums = np.add.reduceat(powers, starts, axis=1)
            for i in range(1, ends.size):
                sums[:, i] += sums[:, i - 1] * np.exp(largest[i - 1] - largest[i])
            edge, beyond = x[ends], mass * np.exp(-x)
            beyond = np.cumsum(beyond[::-1])[::-1] - beyond
            with np.errstate(divide="ignore"):
                log_atom = np.log(beyond[ends])[:, None] + edge[:, None] * (1 + np.exp(log_tilt))
            above = np.maximum(log_atom - largest, 0.0)
            atom = np.exp(log_atom - largest - above)
            largest = largest + above
            sums = sums * np.exp(-above) + np.stack([atom, atom * edge[:, None], atom * edge[:, None] ** 2])
            mean = sums[1] / sums[0]
            rows = np.stack([largest + np.log(sums[0]), mean, np.maximum(sums[2] / sums[0] - mean * mean, 0.0)])
            total += count * rows[:, which]
        return total[0], total[1], total[2]

    def _saddles(self, log_tilt: np.ndarray, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """ε, log δ and K_c(θ) for each cut and tilt."""
        tilt = np.exp(log_tilt)
        cumulant, mean, variance = self._cumulants(log_tilt, cuts)
        epsilon = np.maximum.accumulate(mean - 1 / tilt - 1 / (1 + tilt), axis=1)
        square = variance + 1 / tilt**2 + 1 / (1 + tilt) ** 2
        log_delta = cumulant - tilt * epsilon - log_tilt - np.log1p(tilt) - 0.5 * np.log(2 * np.pi * square)
        return epsilon, log_delta, cumulant


def _last_inside(x: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    return np.clip(np.searchsorted(x, cuts, side="right") - 1, 0, x.size - 1)


def _on_grid(grid: np.ndarray, log_tilt: np.ndarray, epsilon: np.ndarray, log_delta: np.ndarray) -> np.ndarray:
    """log δ at the grid's ε; beyond the last saddle point it falls with the last tilt."""
    return np.interp(grid, epsilon, log_delta) - np.maximum(grid - epsilon[-1], 0.0) * np.exp(log_tilt[-1])
