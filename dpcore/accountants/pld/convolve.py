"""The sum of all losses on one grid by an exponentially tilted Fourier transform, and its curve with every error bounded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from scipy import fft

from dpcore.accountants.pld.discretize import GridLaw
from dpcore.accountants.pld.loss_law import ON_GRID
from dpcore.numerics import log1mexp, log_sum

_UNIT = np.finfo(float).eps / 2  # the unit of round-off
# Bound on the error of one radix-2 level of a transform, in units of round-off. Doubled, only the certificate is
# looser.
_PER_LEVEL = 5.0
# Size below which a frequency is dropped, in units of round-off. Doubled, a little less work and a little more error.
_NEGLIGIBLE = 0.03
# Largest number of equal factors that are multiplied one by one. Doubled, nothing changes; at 0, compositions of many
# mechanisms take 1.6 times as long.
_FEW = 8
# Number of Chernoff exponents tried for each tail. Doubled, transforms are a percent shorter and the search takes twice
# as long.
_EXPONENTS = 17


@dataclass(frozen=True)
class Tilted:
    """A law weighted by e^{tilt·loss} and normalised, around its own mean. It is `count` factors of the product."""

    count: int
    place: np.ndarray
    weight: np.ndarray
    log_total: float
    middle: float
    rounding: float

    @classmethod
    def of(cls, law: GridLaw, count: int, tilt: float) -> Tilted:
        """Tilt a law. Places are counted in steps from the node nearest to the mean, whose loss is `middle`."""
        exponent = tilt * (law.offset + law.step * law.index) + np.log(law.mass).astype(float)
        shift = float(exponent.max())
        weight = np.exp(exponent - shift)
        total = float(weight.sum())
        weight = weight / total
        centre = int(np.rint(np.sum(weight * law.index)))
        log_total = shift + float(np.log(total))
        rounding = 4 * _UNIT * (law.index.size + 30 + abs(log_total))
        return cls(count, law.index - centre, weight, log_total, law.offset + law.step * centre, rounding)

    def variance(self) -> float:
        """Variance of one loss, in steps squared."""
        mean = np.sum(self.weight * self.place)
        return float(np.sum(self.weight * (self.place - mean) ** 2))


@dataclass(frozen=True)
class Product:
    """The composed tilted loss before it is computed, in steps from the sum of the middles."""

    factors: list[Tilted]
    tilt: float
    step: float
    misplaced: float

    @classmethod
    def of(cls, laws: list[tuple[GridLaw, int]], tilt: float) -> Product:
        """`misplaced` is how far all losses together may lie from where their nodes say."""
        step = laws[0][0].step
        misplaced = sum(
            count * (4 * _UNIT * (abs(law.offset) + step * float(np.abs(law.index).max())) + ON_GRID * step)
            for law, count in laws
        )
        return cls([Tilted.of(law, count, tilt) for law, count in laws], tilt, step, misplaced)

    @cached_property
    def chernoff(self) -> tuple[np.ndarray, np.ndarray]:
        """Exponents s of both signs and log E[e^{sω}] of the composed tilted loss at each, ω in steps."""
        deviation = np.sqrt(sum(f.count * f.variance() for f in self.factors))
        widest = max(float(np.ptp(f.place)) for f in self.factors)
        exponents = np.geomspace(0.25 / max(deviation, widest, 1.0), 64.0 / max(deviation, 1e-3), _EXPONENTS)
        exponents = np.concatenate([-exponents, exponents])
        parts = [f.count * log_sum(exponents[:, None] * f.place, f.weight) for f in self.factors]
        return exponents, np.sum(parts, axis=0)

    @property
    def support(self) -> tuple[int, int]:
        """Smallest and largest place the composed loss can have."""
        low = sum(f.count * int(f.place.min()) for f in self.factors)
        return low, sum(f.count * int(f.place.max()) for f in self.factors)

    def extent(self, log_tail: float) -> tuple[int, int]:
        """First and last place, outside of which lies at most e^{log_tail} of mass on either side."""
        exponents, cumulants = self.chernoff
        reach, (low, high) = (cumulants - log_tail) / exponents, self.support
        return max(low, int(np.floor(reach[exponents < 0].max()))), min(high, int(np.ceil(reach[exponents > 0].min())))

    def window(self, largest: int, log_tail: float) -> tuple[int, int]:
        """First place and number of places of the extent, or of the part of it around the mean that `largest` places cover."""
        low, high = self.extent(log_tail)
        if high - low >= largest:
            low = max(low, -largest // 2)
            high = min(high, low + largest - 1)
        return low, fft.next_fast_len(max(high - low + 1, 2), real=True)

    def outside(self, window: tuple[int, int]) -> float:
        """Upper bound on the mass outside the window."""
        exponents, cumulants = self.chernoff
        (low, high), first, last = self.support, window[0], sum(window) - 1
        ends = [(exponents < 0, first)] * (low < first) + [(exponents > 0, last)] * (high > last)
        return float(sum(np.exp(min(0.0, (cumulants - exponents * end)[side].min())) for side, end in ends))


@dataclass(frozen=True)
class ComposedDelta:
    """The finite losses' part of a composed curve, at nodes start + step·i and straight in e^x between them.

    It is e^{log_total − tilt·start}·values. The errors are e^{log_total − tilt·x}·`missing`(x) either way, `shift`
    either way in x, and a factor e^{±slack}.
    """

    start: float
    step: float
    values: np.ndarray
    total: float
    log_total: float
    outside: float
    round_off: float
    end: float
    tilt: float
    shift: float
    slack: float

    def missing(self, x: np.ndarray) -> np.ndarray:
        """Bound on the error of the sum at x: mass outside the window, and round-off of every node from x to `end`."""
        left = np.maximum(self.end - x, 0.0)
        most = 1 / (self.step * self.tilt * (1 + self.tilt)) + _highest(self.tilt)
        return self.outside + self.round_off * np.minimum(most, (1 + left / self.step) * -np.expm1(-left))

    def log_value(self, epsilon: np.ndarray, sign: float) -> np.ndarray:
        """log of the curve with all errors added (sign +1) or taken off (sign −1)."""
        x = epsilon - sign * self.shift
        node = np.clip(((x - self.start) // self.step).astype(np.int64), 0, self.values.size - 2)
        offset = x - (self.start + self.step * node)
        after, before = np.clip(offset, 0.0, self.step), np.minimum(offset, 0.0)
        share = np.clip(np.exp(after - self.step) * np.expm1(-after) / np.expm1(-self.step), 0.0, 1.0)
        inside = self.values[node] + share * (self.values[node + 1] - self.values[node])
        value = np.where(offset < 0, self.values[0] * np.exp(before) - self.total * np.expm1(before), inside)
        with np.errstate(divide="ignore"):
            log_error = self.log_total - self.tilt * x + np.log(self.missing(x))
            log_value = self.log_total - self.tilt * self.start + np.log(value)
        if sign > 0:
            return np.logaddexp(log_value, log_error) + self.slack
        some = (log_value > log_error) & (x <= self.start + self.step * (self.values.size - 1))
        with np.errstate(invalid="ignore"):
            less = log1mexp(np.where(some, log_error - log_value, -1.0))
        return np.where(some, log_value + less - self.slack, -np.inf)


def composed(
    product: Product,
    window: tuple[int, int],
    span: tuple[float, float],
    relative_error: float,
    allowed: dict[float, float],
) -> ComposedDelta:
    r"""The curve over the ε of `span`.

    The tilt is taken out of the masses, and they are summed from the right. With m_i the masses at x_i of the composed
    loss tilted by θ, and e^K their total before normalisation,

    .. math:: H(x) = e^{K − θx} \sum_{x_i > x} m_i\, s(x_i − x), \qquad s(y) = e^{−θy}\left(1 − e^{−y}\right) .

    Mass M outside the window adds at most M·max s. Round-off u of every mass adds at most u·(1/(hθ(1+θ)) + max s),
    because s has one maximum and the nodes are h apart. Where only n nodes are left, the last one y away, it adds at
    most u·n·(1 − e^{−y}). Nodes that lie a little off their place move x. The relative errors of the profiles and of
    the sums are a factor.

    Parameters
    ----------
    product : the tilted laws
    window : first place and number of places that the composed loss is folded into
    span : least and greatest ε that will be asked for
    relative_error : of all profiles together
    allowed : at some ε, how large a share of the curve round-off may be before extended precision is tried
    """
    step, tilt = product.step, product.tilt
    middle = sum(f.count * f.middle for f in product.factors)
    first = int((span[0] - product.misplaced - middle) // step) - 2
    first = min(max(window[0], first), sum(window) - 2)
    start = middle + step * first
    keep = int(min(sum(window) - first, max((span[1] + product.misplaced - start) // step + 4, 2)))
    log_total = sum(f.count * f.log_total for f in product.factors)
    slack = (
        relative_error
        + 4 * _UNIT * (window[1] + abs(tilt * start))
        + sum(f.count * f.rounding for f in product.factors)
    )
    end, outside = middle + step * product.support[1], product.outside(window) * _highest(tilt)
    at, share = np.array(list(allowed.items())).reshape(-1, 2).T
    for precision in (np.float64, np.longdouble):
        masses, unit = convolve(product.factors, window, precision)
        masses[max(product.support[1] - window[0] + 1, 0) :] = 0.0
        values, total = summed(masses[first - window[0] :], tilt, step)
        values = values[:keep].copy()
        curve = ComposedDelta(start, step, values, total, log_total, outside, unit, end, tilt, product.misplaced, slack)
        nodes = np.clip((at - start) // step, 0, keep - 1).astype(np.int64)
        noise = (curve.missing(at) - outside) * np.exp(-tilt * step * nodes)
        if not (noise > share * values[nodes]).any():
            break
    return curve


def _highest(tilt: float) -> float:
    """max over y > 0 of e^{−θy}(1 − e^{−y})."""
    return float(np.exp(-np.log1p(tilt) - tilt * np.log1p(1 / tilt)))


def summed(masses: np.ndarray, tilt: float, step: float) -> tuple[np.ndarray, float]:
    """Σ over larger losses of mass·s(loss − x)·e^{−tilt·x} at each node x, counted from the first, and the total mass."""
    weight = np.append(masses * np.exp(-tilt * step * np.arange(masses.size)), 0.0)
    beyond = np.append(np.cumsum(weight[:0:-1])[::-1], 0.0)
    values = scipy.signal.lfilter([-np.expm1(-step)], [1.0, -np.exp(-step)], beyond[::-1])[::-1]
    return values, float(beyond[0] + weight[0])


def convolve(
    factors: list[Tilted], window: tuple[int, int], precision: type[np.floating] = np.float64
) -> tuple[np.ndarray, float]:
    """Masses of the composed tilted loss over the window, folded into it, and a bound on each one's round-off.

    With u the unit of round-off of `precision`, one transform errs by at most e, which is 5u·log₂N times the sum of
    absolute values entering it. A product of powers of spectra z then errs by at most
    Π(|z| + e)^k − Π|z|^k + Π|z|^k Σ(6u + 4uk|log z|). Frequencies beyond the last that matters are dropped on the way.
    """
    (first, size), unit = window, float(np.finfo(precision).eps) / 2
    level = _PER_LEVEL * unit * np.log2(size)
    smallest, kept = precision(_NEGLIGIBLE * unit), size // 2 + 1
    product, above = np.ones(1, dtype=np.result_type(precision, np.complex64)), np.ones(1, dtype=precision)
    relative = np.zeros(1)
    for factor in sorted(factors, key=lambda one: -one.count * one.variance()):
        folded = np.bincount(np.mod(factor.place, size), factor.weight, size).astype(precision)
        spectrum = fft.rfft(folded)[:kept]
        bound = np.abs(spectrum) + precision(level)
        kept = int(np.flatnonzero(bound > smallest ** (1 / factor.count)).max(initial=0)) + 1
        above = above[:kept] * bound[:kept] ** factor.count
        kept = int(np.flatnonzero(above > smallest).max(initial=0)) + 1
        product, above, relative, spectrum = (one[:kept] for one in (product, above, relative, spectrum))
        if factor.count <= _FEW:
            for _ in range(factor.count):
                product, relative = product * spectrum, relative + 6 * unit
        else:
            logs = np.log(np.where(spectrum == 0, precision(np.finfo(float).tiny), spectrum))
            product = product * np.exp(factor.count * logs)
            relative = relative + unit * (6 + 4 * factor.count * np.abs(logs).astype(float))
    magnitude = np.abs(product).astype(float)
    error = np.maximum(above.astype(float) - magnitude, 0.0) + magnitude * relative
    twice = np.where((np.arange(product.size) == 0) | (2 * np.arange(product.size) == size), 1.0, 2.0)
    masses = np.maximum(np.roll(fft.irfft(product, size).astype(float), -(first % size)), 0.0)
    bound = (np.sum(twice * error) + level * np.sum(twice * magnitude)) / size + float(smallest)
    return masses, float(bound)
