"""A rough picture of a composed curve from coarse laws: δ to a factor of a few, and ranges of ε that share a tilt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.accountants.pld.discretize import SPREAD
from dpcore.accountants.pld.loss_law import DEEPEST, NEAR_ZERO, Laws, LossLaw

# Number of tilts for each factor e. Doubled, round-off falls by a few percent and the picture takes twice as long.
_TILTS = 6
# log of the tilts among which the range that matters is sought. With twice as many, the range is the same.
WIDEST_TILTS = np.linspace(-34.0, 30.0, 33)
# Largest product of tilt and length of a range. Doubled, there are fewer ranges, each on a longer grid.
_LONGEST = 30.0
# Number of nodes that a range may take. Doubled, where many tiny losses stand beside rare large ones, ranges come to
# the longest transform sooner.
_MOST_NODES = 250_000
# Largest ratio of the tilts that suit the two ends of a range. Doubled, left ends get grids as fine as right ends need.
_ALIKE = 4.0
# log of the factor by which a shared tilt may raise round-off. Doubled, ranges are longer and extended precision is
# used more often.
_EXTRA = 2.0
# Share of the width asked for that cutting off large losses, or cutting off tails, may use up. Doubled, transforms are
# a percent shorter.
NEGLECT = 1e-2
# Number of places in each range at which the slope of log δ is recorded. Doubled, grids are chosen a little better.
_PROBES = 4


@dataclass(frozen=True)
class Stretch:
    """A range of ε. The losses up to `cut` decide there, `tilt` suits them, and `slopes` has the slopes at some ε.

    δ(ε) is roughly at least e^{log_share + K(θ) − θε} there, with θ the tilt, and about e^{log_delta} at the right end.
    """

    low: float
    high: float
    cut: float
    tilt: float
    slopes: tuple[tuple[float, float], ...]
    log_share: float
    log_delta: float


@dataclass(frozen=True)
class Outline:
    r"""Saddle-point picture of the composition, from each mechanism's pilot law: log δ at increasing ε, and K_c(θ).

    With K_c the log moment function of the losses cut off at c (a larger loss becomes infinite with probability H(c),
    and c otherwise), and ε = K_c'(θ) − 1/θ − 1/(1+θ),

    .. math:: δ(ε) ≈ \min_c \frac{e^{K_c(θ) − θε}}{θ(1+θ)\sqrt{2π\, dε/dθ}} + k\,H(c) .

    The cut matters where one large loss, and not the sum of many, decides: without it the tilt would be that of losses
    far beyond ε.
    """

    epsilon: np.ndarray
    log_delta: np.ndarray
    cuts: np.ndarray
    log_beyond: np.ndarray
    log_tilt: np.ndarray
    cumulants: np.ndarray

    @classmethod
    def of(cls, laws: Laws) -> Outline:
        """The outline of a composition. The last cut is ∞: it cuts off nothing."""
        cuts = np.append(max(float(law.pilot[0][-1]) for law, _ in laws) * NEAR_ZERO[::2], np.inf)
        log_beyond = np.full(cuts.size, -np.inf)
        for law, count in laws:
            x, log_h, _ = law.pilot
            beyond = np.where(cuts >= x[-1], -np.inf, log_h[last_inside(x, cuts)])
            log_beyond = np.logaddexp(log_beyond, np.log(count) + beyond)
        epsilon, log_delta, _ = _saddles(laws, WIDEST_TILTS, cuts)
        needed = (epsilon[:-1] > 0) & (log_delta[:-1] > np.maximum(log_beyond[:-1, None], DEEPEST))
        first = max(int(np.argmax(np.append(epsilon[-1] > 0, True))) - 1, 0)
        deep = int(np.argmax(np.append(log_delta[-1] < DEEPEST, True)))
        last = min(max(deep, first + 1, int(np.flatnonzero(needed.any(axis=0)).max(initial=0))), WIDEST_TILTS.size - 1)
        ends = WIDEST_TILTS[min(first, last - 1)] - 2.5, WIDEST_TILTS[last] + 2.5
        log_tilt = np.linspace(*ends, int(_TILTS * (ends[1] - ends[0])))
        epsilon, log_delta, cumulants = _saddles(laws, log_tilt, cuts)
        top = max(float(np.interp(-DEEPEST, -np.minimum.accumulate(log_delta[-1]), epsilon[-1])), 1e-12)
        grid = top * np.unique(np.concatenate([NEAR_ZERO, np.linspace(0.0, 1.0, NEAR_ZERO.size), 1 - NEAR_ZERO[::2]]))
        falling = [
            np.interp(grid, *curve) - np.maximum(grid - curve[0][-1], 0.0) * np.exp(log_tilt[-1])
            for curve in zip(epsilon, log_delta, strict=True)
        ]
        least = np.logaddexp(falling, log_beyond[:, None]).min(axis=0)
        least = np.minimum.accumulate(np.minimum(least, 0.0))
        kept = slice(0, max(int(np.searchsorted(-least, -DEEPEST)) + 1, 2))
        return cls(grid[kept], least[kept], cuts, log_beyond, log_tilt, cumulants)

    def stretches(self, width: float, losses: int) -> list[Stretch]:
        r"""ε ≥ 0 in ranges that one tilt θ and one cut c can serve, each as long as it can be.

        A convolution of losses tilted by θ errs by round-off times e^{K_c(θ) − θε} at ε, least at the saddle point of that ε.
        So with one tilt for a whole range the error exceeds the least possible by a factor of at most

        .. math:: \exp \max_{ε} \left[K_c(θ) − θε − \min_{θ'} \left(K_{c(ε)}(θ') − θ'ε\right)\right]

        which may be up to e² for the best θ. The cut is the one that suits the right end.

        Parameters
        ----------
        width : relative width of the bracket asked for
        losses : number of losses composed
        """
        cut = np.argmax(self.log_beyond[:, None] <= self.log_delta + np.log(NEGLECT * width), axis=0)
        longest = min(_LONGEST, _MOST_NODES * np.sqrt(width / (SPREAD * losses)))
        pull = np.exp(self.log_tilt) * self.epsilon[:, None]
        exponent = self.cumulants[cut] - pull
        least, best = exponent.min(axis=1), np.exp(self.log_tilt[exponent.argmin(axis=1)])

        def extra(start: int, stop: int) -> np.ndarray:
            points = slice(start, stop + 1)
            return (self.cumulants[cut[stop]] - pull[points] - least[points, None]).max(axis=0)

        def fits(start: int, stop: int) -> bool:
            short = best[stop] * (self.epsilon[stop] - self.epsilon[start]) <= longest
            alike = best[stop] <= _ALIKE * max(best[start], 1 / max(self.epsilon[stop], 1e-300))
            return bool(short and alike and extra(start, stop).min() <= _EXTRA)

        result, start, last = [], 0, self.epsilon.size - 1
        while start < last:
            stop, beyond = start + 1, last + 1
            while beyond - stop > 1:
                middle = (stop + beyond) // 2
                stop, beyond = (middle, beyond) if fits(start, middle) else (stop, middle)
            cost, points = extra(start, stop), slice(start, stop + 1)
            chosen = int(cost.argmin())
            share = self.log_delta[points] + pull[points, chosen] - self.cumulants[cut[stop], chosen]
            low, high = float(self.epsilon[start]), float(self.epsilon[stop])
            tilt, slopes = float(np.exp(self.log_tilt[chosen])), self._slopes(start, stop)
            largest, least_delta = float(self.cuts[cut[stop]]), float(self.log_delta[stop])
            result.append(Stretch(low, high, largest, tilt, slopes, float(share.min()), least_delta))
            start = stop
        return result

    def _slopes(self, start: int, stop: int) -> tuple[tuple[float, float], ...]:
        """(ε, −d log δ/dε) at the right ends of parts of a range over which log δ falls by equal amounts."""
        epsilon, fall = self.epsilon[start : stop + 1], -self.log_delta[start : stop + 1]
        levels = np.linspace(fall[0], fall[-1], _PROBES + 1)
        ends = np.interp(levels, fall, epsilon)
        ends[0], ends[-1] = epsilon[0], epsilon[-1]
        steps = np.maximum(np.diff(ends), 1e-6 * (epsilon[-1] - epsilon[0]))
        return tuple(zip(ends[1:].tolist(), (np.diff(levels) / steps).tolist(), strict=True))


def last_inside(x: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Index of the last node up to each cut, or of the first node."""
    return np.clip(np.searchsorted(x, cuts, side="right") - 1, 0, x.size - 1)


def _saddles(laws: Laws, log_tilt: np.ndarray, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """ε, log δ and K_c(θ) for each cut and tilt."""
    tilt = np.exp(log_tilt)
    cumulant, mean, variance = np.sum([count * cumulants(law, cuts, tilt) for law, count in laws], axis=0)
    epsilon = np.maximum.accumulate(mean - 1 / tilt - 1 / (1 + tilt), axis=1)
    square = variance + 1 / tilt**2 + 1 / (1 + tilt) ** 2
    log_delta = cumulant - tilt * epsilon - log_tilt - np.log1p(tilt) - 0.5 * np.log(2 * np.pi * square)
    return epsilon, log_delta, cumulant


def cumulants(law: LossLaw, cuts: np.ndarray, tilt: np.ndarray) -> np.ndarray:
    r"""K_c(θ), K_c'(θ) and K_c''(θ), shape (3, n_cuts, n_tilts), for the pilot's atoms (x_i, p_i).

    Cutting off at c, rounded down to an atom, keeps the Q-mass of larger losses and puts it at c; the P-mass that this
    leaves over, H(c), goes to infinity. So

    .. math:: e^{K_c(θ)} = \sum_{x_i ≤ c} p_i e^{θx_i} + e^{(1+θ)c} \sum_{x_i > c} p_i e^{−x_i}

    and the derivatives are mean and variance of the terms' losses, each weighted by its share of the sum. The atoms between two
    cuts are added once, over the largest term so far, and carried on to the cuts after.
    """
    x, _, log_mass = law.pilot
    x, log_mass = x[log_mass > -np.inf], log_mass[log_mass > -np.inf]
    ends, which = np.unique(last_inside(x, cuts), return_inverse=True)
    edge, log_beyond = x[ends], np.append(np.logaddexp.accumulate((log_mass - x)[::-1])[-2::-1], -np.inf)[ends]
    x, log_mass, starts = x[: ends[-1] + 1, None], log_mass[: ends[-1] + 1, None], np.append(0, ends[:-1] + 1)
    exponent = log_mass + x * tilt
    largest = np.maximum.accumulate(np.maximum.reduceat(exponent, starts, axis=0), axis=0)
    weight = np.exp(exponent - np.repeat(largest, np.diff(np.append(starts, ends[-1] + 1)), axis=0))
    sums = np.add.reduceat(np.stack([weight, weight * x, weight * x**2]), starts, axis=1)
    for i in range(1, ends.size):
        sums[:, i] += sums[:, i - 1] * np.exp(largest[i - 1] - largest[i])
    log_atom = log_beyond[:, None] + edge[:, None] * (1 + tilt)
    above = np.maximum(log_atom - largest, 0.0)
    atom = np.exp(log_atom - largest - above)
    sums = sums * np.exp(-above) + np.stack([atom, atom * edge[:, None], atom * edge[:, None] ** 2])
    mean = sums[1] / sums[0]
    variance = np.maximum(sums[2] / sums[0] - mean * mean, 0.0)
    return np.stack([largest + above + np.log(sums[0]), mean, variance])[:, which]
