"""Products and powers of laws on one grid by an exponentially tilted Fourier transform, with its errors bounded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import fft

from dpcore.accountants.pld.discretize import GridLaw, GridPair
from dpcore.numerics import log_sum

_PER_LEVEL = 5.0  # round-off of one radix-2 level of a transform, in units, relative to the sum of what enters it
_PER_POINT, _PER_TERM = 0.3, 0.1  # time of a transform a point, and of one product, in that of an exponential
_EXPONENTS = 17  # Chernoff exponents tried, from 1/(widest loss) to many standard deviations
_NEGLIGIBLE = 0.03  # units of round-off below which a spectral value may be dropped
_FEW = 8  # factors multiplied one by one, without logarithms
LOG_TAIL = -20.0  # log of the tilted mass that may lie beyond either end of the window, at most


@dataclass(frozen=True)
class Tilted:
    """A mechanism's law weighted by e^{tilt·loss} and normalised: what one factor of the product is made of."""

    count: int
    place: np.ndarray
    weight: np.ndarray
    log_total: float
    centre: int

    @classmethod
    def of(cls, pair: GridPair, law: GridLaw, count: int, tilt: float) -> Tilted:
        """The tilted law, centred at its own mean."""
        exponent = tilt * (pair.offset + pair.step * law.index) + np.log(law.mass).astype(float)
        shift = float(exponent.max())
        weight = np.exp(exponent - shift)
        total = float(weight.sum())
        weight = weight / total
        centre = int(np.rint(np.sum(weight * law.index)))
        return cls(count, law.index - centre, weight, shift + float(np.log(total)), centre)

    def cumulant(self, exponents: np.ndarray, step: float) -> np.ndarray:
        """log E[e^{s(ω − centre)}] under the tilted law, for each s."""
        return log_sum(exponents[:, None] * (step * self.place), self.weight)

    def variance(self, step: float) -> float:
        """Of one loss under the tilted law."""
        mean = np.sum(self.weight * self.place)
        return float(step**2 * np.sum(self.weight * (self.place - mean) ** 2))


@dataclass(frozen=True)
class Window:
    """Indices first … first + size − 1 of the composed loss, relative to the sum of the centres."""

    first: int
    size: int


@dataclass(frozen=True)
class Product:
    """The composed tilted loss before it is computed: its factors, one for each mechanism, on nodes `step` apart."""

    factors: list[Tilted]
    step: float

    @cached_property
    def chernoff(self) -> tuple[np.ndarray, np.ndarray]:
        """Exponents s of both signs and log E[e^{sω}] of the composed tilted loss at each."""
        deviation = np.sqrt(sum(f.count * f.variance(self.step) for f in self.factors))
        widest = self.step * max(float(np.ptp(f.place)) for f in self.factors)
        smallest, largest = 0.25 / max(deviation, widest, self.step), 64.0 / max(deviation, 1e-3 * self.step)
        exponents = np.geomspace(smallest, largest, _EXPONENTS)
        exponents = np.concatenate([-exponents, exponents])
        return exponents, np.sum([f.count * f.cumulant(exponents, self.step) for f in self.factors], axis=0)

    @property
    def support(self) -> tuple[int, int]:
        """Smallest and largest index the composed loss can have."""
        low = sum(f.count * int(f.place.min()) for f in self.factors)
        return low, sum(f.count * int(f.place.max()) for f in self.factors)

    def extent(self, log_tail: float) -> tuple[int, int]:
        """First and last index, outside of which lies at most e^{log_tail} of mass on either side."""
        exponents, cumulants = self.chernoff
        reach = (cumulants - log_tail) / (exponents * self.step)
        low, high = self.support
        return max(low, int(np.floor(reach[exponents < 0].max()))), min(high, int(np.ceil(reach[exponents > 0].min())))

    def window(self, largest: int, log_tail: float) -> Window:
        """The extent, or the part of it around the mean that `largest` indices cover."""
        low, high = self.extent(log_tail)
        if high - low >= largest:
            low = max(low, -largest // 2)
            high = min(high, low + largest - 1)
        return Window(low, fft.next_fast_len(max(high - low + 1, 2), real=True))

    def tail(self, window: Window) -> float:
        """Mass outside the window, at most."""
        exponents, cumulants = self.chernoff
        low, high = self.support
        last = window.first + window.size - 1
        outside = 0.0
        for side, end, limit in ((exponents < 0, window.first, low), (exponents > 0, last, high)):
            if (limit < end) if side[0] else (limit > end):
                outside += float(np.exp(min(0.0, float((cumulants - exponents * end * self.step)[side].min()))))
        return outside


def _spectrum(factor: Tilted, size: int, last: int, precision: type[np.floating]) -> tuple[np.ndarray, float]:
    """Transform of one law at the frequencies 0 … last, by its definition where these are few, and its round-off in units.

    e^{itx} is then the product of the same at a multiple of `block` and at what is left over, so that few are computed.
    """
    place, weight = np.mod(factor.place, size), factor.weight
    block = int(np.sqrt(last)) + 1
    if place.size * (2 * block + _PER_TERM * last) > _PER_POINT * size:
        dense = np.bincount(place, weight, size).astype(precision)
        return fft.rfft(dense)[: last + 1], _PER_LEVEL * np.log2(size)
    turn = -2j * np.arccos(precision(-1)) / size
    coarse, fine = (np.exp(turn * (step * np.arange(block)[:, None] * place % size)) for step in (block, 1))
    return ((coarse * weight) @ fine.T).ravel()[: last + 1], 16.0 + place.size


def convolve(
    factors: list[Tilted], window: Window, precision: type[np.floating] = np.float64
) -> tuple[np.ndarray, float]:
    """Masses of the composed tilted loss over the window, folded into it, and a bound on each one's round-off.

    One transform errs by at most 5u·log₂N of the sum of absolute values entering it, e, and n terms added up by (n + 16)u; a
    product of powers of spectra z then errs by at most Π(|z| + e)^k − Π|z|^k + Π|z|^k Σ(6u + 4uk|log z|), with u the
    round-off of `precision`. Frequencies beyond the last that matters are dropped on the way.
    """
    size, unit = window.size, float(np.finfo(precision).eps) / 2
    product = np.ones(size // 2 + 1, dtype=np.result_type(precision, np.complex64))
    above, relative = np.ones(product.size, dtype=precision), np.zeros(product.size)
    smallest = precision(_NEGLIGIBLE * unit)
    for factor in sorted(factors, key=lambda one: -one.count * one.variance(1.0)):
        spectrum, units = _spectrum(factor, size, product.size - 1, precision)
        bound = np.abs(spectrum) + precision(unit * units)
        above = above * bound**factor.count
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
    values = np.roll(fft.irfft(product, size).astype(float), -(window.first % size))
    level = _PER_LEVEL * unit * np.log2(size)
    bound = (np.sum(twice * error) + level * np.sum(twice * magnitude)) / size + float(smallest)
    return values, float(bound)
