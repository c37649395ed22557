"""Products and powers of laws on one grid by an exponentially tilted Fourier transform, with its errors bounded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import fft

from dpcore.accountants.pld.discretize import GridLaw, GridPair
from dpcore.numerics import log_sum

_PER_LEVEL = 5.0  # round-off of one radix-2 level of a transform, in units, relative to the sum of what enters it
_DIRECT = 0.05  # sines and cosines that take as long as one point of a transform
_EXPONENTS = 33  # Chernoff exponents tried, from 1/(widest loss) to many standard deviations
_NEGLIGIBLE = -80.0  # log of a spectral value that may be dropped
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


def chernoff(factors: list[Tilted], step: float) -> tuple[np.ndarray, np.ndarray]:
    """Exponents s of both signs and log E[e^{sω}] of the composed tilted loss at each."""
    deviation = np.sqrt(sum(f.count * f.variance(step) for f in factors))
    widest = step * max(float(np.ptp(f.place)) for f in factors)
    exponents = np.geomspace(0.25 / max(deviation, widest, step), 64.0 / max(deviation, 1e-3 * step), _EXPONENTS)
    exponents = np.concatenate([-exponents, exponents])
    return exponents, np.sum([f.count * f.cumulant(exponents, step) for f in factors], axis=0)


def support(factors: list[Tilted]) -> tuple[int, int]:
    """Smallest and largest index the composed loss can have."""
    low = sum(f.count * int(f.place.min()) for f in factors)
    return low, sum(f.count * int(f.place.max()) for f in factors)


def loss_extent(factors: list[Tilted], step: float, log_tail: float) -> tuple[int, int]:
    """First and last index, outside of which the composed tilted loss has at most e^{log_tail} of mass on either side."""
    exponents, cumulants = chernoff(factors, step)
    reach = (cumulants - log_tail) / (exponents * step)
    low, high = support(factors)
    return max(low, int(np.floor(reach[exponents < 0].max()))), min(high, int(np.ceil(reach[exponents > 0].min())))


def window_of(factors: list[Tilted], step: float, largest: int, log_tail: float) -> Window:
    """The extent of the composed tilted loss, or the part of it around the mean that `largest` indices cover."""
    low, high = loss_extent(factors, step, log_tail)
    if high - low >= largest:
        low = max(low, -largest // 2)
        high = min(high, low + largest - 1)
    return Window(low, fft.next_fast_len(max(high - low + 1, 2), real=True))


def tail_of(factors: list[Tilted], step: float, window: Window) -> float:
    """Tilted mass of the composed loss outside the window, at most."""
    exponents, cumulants = chernoff(factors, step)
    low, high = support(factors)
    last = window.first + window.size - 1
    outside = 0.0
    for side, end, limit in ((exponents < 0, window.first, low), (exponents > 0, last, high)):
        if (limit < end) if side[0] else (limit > end):
            outside += float(np.exp(min(0.0, float((cumulants - exponents * end * step)[side].min()))))
    return outside


def _spectrum(factor: Tilted, size: int, active: np.ndarray, precision: type[np.floating]) -> np.ndarray:
    """Transform of one law at the active frequencies; where these are few, by its definition with exact phases."""
    place, weight = np.mod(factor.place, size), factor.weight
    if active.size * place.size > _DIRECT * size:
        return fft.rfft(np.bincount(place, weight, size).astype(precision))[active]
    phase = (active[:, None] * place % size) * (-2 * np.arccos(precision(-1)) / size)
    return (weight * np.cos(phase)).sum(axis=1) + 1j * (weight * np.sin(phase)).sum(axis=1)


def convolve(
    factors: list[Tilted], window: Window, precision: type[np.floating] = np.float64
) -> tuple[np.ndarray, float]:
    """Masses of the composed tilted loss over the window, folded into it, and a bound on each one's round-off.

    One transform errs by at most 5u·log₂N of the sum of absolute values entering it, e; a product of powers of spectra
    z then errs by at most Π(|z| + e)^k − Π|z|^k + Π|z|^k Σ(6u + 4uk|log z|), with u the round-off of `precision`.
    """
    size, unit = window.size, float(np.finfo(precision).eps) / 2
    level = _PER_LEVEL * unit * np.log2(size)
    active = np.arange(size // 2 + 1)
    log_product = np.zeros(active.size, dtype=np.result_type(precision, np.complex64))
    log_above, relative = np.zeros(active.size, dtype=precision), np.zeros(active.size)
    for factor in sorted(factors, key=lambda one: -one.count * one.variance(1.0)):
        spectrum = _spectrum(factor, size, active, precision)
        above = np.abs(spectrum) + precision(level)
        kept = (log_above > _NEGLIGIBLE) & (above > np.exp(_NEGLIGIBLE / factor.count))
        active, spectrum = active[kept], spectrum[kept]
        logs = np.log(np.where(spectrum == 0, precision(np.finfo(float).tiny), spectrum))
        log_product = log_product[kept] + factor.count * logs
        log_above = log_above[kept] + factor.count * np.log(above[kept])
        relative = relative[kept] + unit * (6 + 4 * factor.count * np.abs(logs).astype(float))
    product = np.exp(log_product)
    magnitude = np.abs(product).astype(float)
    excess = -np.expm1(np.minimum((log_product.real - log_above).astype(float), 0.0))
    error = np.exp(log_above.astype(float)) * excess + magnitude * relative
    twice = np.where((active == 0) | (2 * active == size), 1.0, 2.0)
    spread = np.zeros(size // 2 + 1, dtype=product.dtype)
    spread[active] = product
    values = np.roll(fft.irfft(spread, size).astype(float), -(window.first % size))
    bound = (np.sum(twice * error) + level * np.sum(twice * magnitude)) / size + np.exp(_NEGLIGIBLE)
    return values, float(bound)
