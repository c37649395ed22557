"""How ε ≥ 0 is cut into ranges that one tilt can serve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_ALIKE = 4.0  # largest ratio of the tilts that suit the two ends of a range
_LONGEST = 450.0  # largest tilt times length of a range: e^{−that} is still an ordinary float
_PROBES = 4
_MOST_POINTS = 2.0**18  # of the grid that a range may take up
_SHALLOWER = 8.0  # how many times less steep log δ may be at the right end of a range than at its left end
_EXTRA = 2.0  # log of the round-off that sharing a tilt may add: about two standard deviations either way
_LIGHTER = 3.0  # log of the round-off that a smaller tilt may add, where the law of the best one reaches too far


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

    δ(ε) is at least e^{log_share + K(θ) − θε} there, roughly, with θ the tilt, and about e^{log_delta} at its end.
    `lighter` is the same range with a smaller tilt, whose law reaches less far and whose round-off is larger.
    """

    low: float
    high: float
    cut: float
    tilt: float
    slopes: tuple[tuple[float, float], ...]
    log_share: float
    log_delta: float
    lighter: Stretch | None = None


class TiltRanges:
    r"""What it takes to serve the points start … stop of an outline by one tilt θ and one cut c.

    A convolution of losses tilted by θ errs by round-off times e^{K_c(θ) − θε} at ε, least at the saddle point of that ε.
    So with one tilt for a whole range the error exceeds the least possible by a factor of at most

    .. math:: \exp \max_{ε} \left[K_c(θ) − θε − \min_{θ'} \left(K_{c(ε)}(θ') − θ'ε\right)\right]

    which may be e² for the best θ. `cut` is the number of the cut that each ε asks for; that of the last one, the
    largest, serves the range.
    """

    def __init__(self, rough: Rough, cuts: np.ndarray, cut: np.ndarray, fineness: float) -> None:
        self.rough, self.cuts, self.cut, self.fineness = rough, cuts, cut, fineness
        self.last = rough.epsilon.size - 1
        self.pull = np.exp(rough.log_tilt) * rough.epsilon[:, None]
        exponent = rough.cumulants[cut] - self.pull
        self.least, self.best = exponent.min(axis=1), np.exp(rough.log_tilt[exponent.argmin(axis=1)])
        self.fall = -np.diff(rough.log_delta) / np.diff(rough.epsilon)

    def extra(self, start: int, stop: int) -> np.ndarray:
        """log of the factor above, for each tilt."""
        points = slice(start, stop + 1)
        exponent = self.rough.cumulants[self.cut[stop]] - self.pull[points]
        return (exponent - self.least[points, None]).max(axis=0)

    def fits(self, start: int, stop: int) -> bool:
        """Whether one tilt serves the range: δ bends little, tilts are alike, the grid is short, round-off is small."""
        if self.fall[start] > _SHALLOWER * self.fall[stop - 1]:
            return False
        epsilon, best = self.rough.epsilon, self.best
        length = best[stop] * (epsilon[stop] - epsilon[start])
        alike = best[stop] <= _ALIKE * max(best[start], 1 / max(epsilon[stop], 1e-300))
        short = length <= min(_LONGEST, _MOST_POINTS / self.fineness)
        return alike and short and self.extra(start, stop).min() <= _EXTRA

    def furthest(self, start: int) -> int:
        """The last point that one range can reach from `start`, by bisection; at least the next one."""
        low, high = start + 1, self.last + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.fits(start, middle) else (low, middle)
        return low

    def stretch(self, start: int, stop: int) -> Stretch:
        """The range with the tilt of the least error and, as `lighter`, the smallest tilt that is almost as good."""
        cost = self.extra(start, stop)
        smaller = int(np.argmax(cost <= cost.min() + _LIGHTER))
        return self._with_tilt(start, stop, int(cost.argmin()), self._with_tilt(start, stop, smaller, None))

    def _with_tilt(self, start: int, stop: int, chosen: int, lighter: Stretch | None) -> Stretch:
        rough, points, cut = self.rough, slice(start, stop + 1), self.cut[stop]
        share = rough.log_delta[points] + self.pull[points, chosen] - rough.cumulants[cut, chosen]
        ends = float(rough.epsilon[start]), float(rough.epsilon[stop])
        tilt, slopes = float(np.exp(rough.log_tilt[chosen])), rough.slopes(start, stop)
        cut_off, log_delta = float(self.cuts[cut]), float(rough.log_delta[stop])
        return Stretch(*ends, cut_off, tilt, slopes, float(share.min()), log_delta, lighter)
