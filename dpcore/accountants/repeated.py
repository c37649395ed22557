"""One pipeline run k times, for many k from one grid: its loss to about four digits, for pictures, without a certificate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import fft

from dpcore.accountants.parts import Parts
from dpcore.accountants.pld.convolve import summed
from dpcore.accountants.pld.grid import aligned_step, offset_of
from dpcore.accountants.pld.loss_law import LossLaw, chord_masses, log_any, nonnegative
from dpcore.numerics import log_sum

SIZE = 2**16
# Nodes of one loss between two of its pilot's, if a value of its curve is quick and if it takes long. Doubled, half a digit more.
_FINER, _SLOW_FINER = 32, 6
# log of the probability that may lie beyond either end of the window. Doubled, pictures are a third coarser.
_TAIL = -24.0
# log of the share of the rarest loss that matters that may be cut off on the right. Doubled, tails reach twice as far.
_RIGHT = -40.0
# Losses smaller than this part of the largest are not told from 0. Doubled, nothing changes; far smaller, rounding shows.
_SMALL = 1e-5
# Tilts tried. Doubled in number, one is found as good.
_TILTS = np.geomspace(1e-4, 1e5, 109)
# δ that needs no tilt; how often one is halved. Doubled, the same ε.
_LARGE, _TRIES = 1e-7, 12
# Exponents that ordinary floats hold. Doubled, they overflow.
_OVERFLOW = 300.0
# Phase per node beyond which the grid's cumulants are no longer mended. Doubled, single runs ripple.
_BAND = 0.25


@dataclass(frozen=True)
class Cumulants:
    """log E[e^{θω}], and mean and variance of ω weighted by e^{θω}."""

    log_total: float
    mean: float
    variance: float

    @classmethod
    def of(cls, x: np.ndarray, mass: np.ndarray, tilt: float = 0.0) -> Cumulants:
        """Of a law with these masses."""
        x, mass = x[mass > 0], mass[mass > 0]
        exponent = tilt * x + np.log(mass)
        weight = np.exp(exponent - exponent.max())
        total = weight.sum()
        mean = float(weight @ x / total)
        return cls(float(exponent.max() + np.log(total)), mean, float(weight @ (x - mean) ** 2 / total))


@dataclass(frozen=True)
class Spectrum:
    """log of the pipeline's transform under one tilt, around `centre`, and its cumulants."""

    log_values: np.ndarray
    centre: float
    cumulants: Cumulants


class RepeatedLoss:
    r"""The loss Σω of a pipeline run k times, k ≤ `most`, in one direction.

    .. math:: \log φ_k(t) = k \sum_j c_j \log φ_j(t), \quad
              \log φ_j(t) = \log \hat φ_j(t) + i t\, Δm_j − \tfrac{t²}{2} Δv_j

    with φ̂ the transform of a law moved to a grid and Δm, Δv what that has changed of its mean and variance.

    Parameters
    ----------
    parts : ((mechanism, count), …)
    direction : "add" or "remove"
    most : largest k
    """

    def __init__(self, parts: Parts, direction: str, most: int) -> None:
        self.laws = tuple((LossLaw(mechanism, direction), count) for mechanism, count in parts)
        self.most = most

    @cached_property
    def step(self) -> float:
        """Distance between nodes: the window holds k = `most`."""
        spans = [high - low for low, high in (self._reach(k) for k in (1, self.most))]
        return aligned_step(self.laws, max(*spans, 1e-9) * 1.1 / SIZE)

    def _reach(self, k: int) -> tuple[float, float]:
        """Losses beyond which the pipeline run k times has almost no probability, by Chernoff's bound on the pilots."""
        pilots = [(law.pilot[0], np.exp(law.pilot[2]), k * count) for law, count in self.laws]
        shape = [(Cumulants.of(x, mass).variance, count) for x, mass, count in pilots]
        exponents = np.geomspace(1e-3, 1e3, 121) / np.sqrt(sum(count * variance for variance, count in shape) + 1e-30)
        ends = []
        for sign in (-1, 1):
            total = np.sum([count * log_sum(sign * exponents[:, None] * x, mass) for x, mass, count in pilots], axis=0)
            chernoff = float(((total - _TAIL) / exponents).min())
            ends.append(min(chernoff, sum(count * float((sign * x[mass > 0]).max()) for x, mass, count in pilots)))
        return -ends[0], ends[1]

    @cached_property
    def losses(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Nodes and P-masses of each loss, by chords of its curve between nodes of its own; rare losses are cut off."""
        found = []
        for law, _ in self.laws:
            x, log_h, _ = law.pilot
            rarest = _RIGHT - np.log(self.most * sum(count for _, count in self.laws))
            x = x[: max(np.flatnonzero(log_h > rarest).max(initial=0) + 2, 3)]
            if law.lattice is not None:
                first, last = np.floor(x[0] / law.lattice.step) - 2, np.ceil(x[-1] / law.lattice.step) + 2
                nodes = law.lattice.step * (law.lattice.offset % 1 + np.arange(first, last + 1))
            else:
                finer = _SLOW_FINER if law.mechanism.is_slow else _FINER
                x = x[(x == 0) | (np.abs(x) > _SMALL * max(-x[0], x[-1]))]
                nodes = np.interp(np.arange(finer * (x.size - 1) + 1) / finer, np.arange(x.size), x)
            mass = nonnegative(nodes, chord_masses(nodes, *law.curves(nodes)))
            found.append((nodes, mass / mass.sum()))
        return found

    def spectrum(self, tilt: float) -> Spectrum:
        """Of the pipeline run once, its law weighted by e^{tilt·ω}."""
        t = 2 * np.pi * np.arange(SIZE // 2 + 1) / (SIZE * self.step)
        fading = np.exp(-((t * self.step / _BAND) ** 4))
        log_values, centre, sums = np.zeros(t.size, dtype=complex), 0.0, np.zeros(3)
        for (x, mass), (law, count) in zip(self.losses, self.laws, strict=True):
            true = Cumulants.of(x, mass, tilt)
            offset = offset_of(law, self.step)
            middle = int(np.rint((true.mean - offset) / self.step))
            weight = np.exp(np.log(np.maximum(mass, 1e-300)) + tilt * x - true.log_total) * (mass > 0)
            index, masses = self._moved(law, x, weight, offset)
            grid = Cumulants.of(offset + self.step * index, masses)
            log_one = np.log(fft.rfft(np.bincount(np.mod(index - middle, SIZE), masses, SIZE)) + 1e-300)
            log_one -= fading * (1j * t * (true.mean - grid.mean) + 0.5 * t**2 * (true.variance - grid.variance))
            log_one -= log_one[0].real
            log_values += count * np.where(log_one.real > 0, 1j * log_one.imag, log_one)
            centre += count * (offset + self.step * middle)
            sums += count * np.array([true.log_total, true.mean, true.variance])
        return Spectrum(log_values, centre, Cumulants(*sums.tolist()))

    def _moved(self, law: LossLaw, x: np.ndarray, mass: np.ndarray, offset: float) -> tuple[np.ndarray, np.ndarray]:
        """Indices and masses on the grid: atoms on the two nodes beside them, any other mass spread over its cell."""
        edges = [np.argmin(np.abs(x - at)) for at, _ in law.atoms]
        atom = np.full(x.size, law.mechanism.discrete)
        atom[edges] = True
        place = (x - offset) / self.step
        node = np.floor(place + 1e-6).astype(np.int64)
        share = np.clip(place - node, 0.0, 1.0)
        between = np.concatenate([[place[0]], 0.5 * (place[1:] + place[:-1]), [place[-1]]])
        index = np.arange(int(np.floor(place[0])) - 1, int(np.ceil(place[-1])) + 2)
        below = np.interp(
            np.append(index, index[-1] + 1) - 0.5, between, np.append(0.0, np.cumsum(np.where(atom, 0.0, mass)))
        )
        places, masses = (
            (node[atom], node[atom] + 1, index),
            (((1 - share) * mass)[atom], (share * mass)[atom], np.diff(below)),
        )
        return np.concatenate(places), np.concatenate(masses)

    @cached_property
    def plain(self) -> Spectrum:
        """Without a tilt."""
        return self.spectrum(0.0)

    def law(self, k: int, spectrum: Spectrum | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Losses and masses of the pipeline run k times, (SIZE,) each, around the mean; finite losses add up to 1."""
        spectrum = spectrum or self.plain
        low, high = self._reach(k) if spectrum is self.plain else (2 * (k * spectrum.cumulants.mean,))
        first = int(np.rint((0.5 * (low + high) - k * spectrum.centre) / self.step)) - SIZE // 2
        masses = np.roll(fft.irfft(np.exp(k * spectrum.log_values), SIZE), -(first % SIZE))
        return k * spectrum.centre + self.step * (first + np.arange(SIZE)), masses

    def infinite(self, k: int) -> float:
        """P[Σω = ∞]."""
        return float(np.exp(log_any((law.infinite, k * count) for law, count in self.laws)))

    @cached_property
    def _moments(self) -> np.ndarray:
        """log E[e^{θω}] of the pipeline run once, for each of `_TILTS`."""
        pairs = zip(self.losses, self.laws, strict=True)
        return np.sum([count * log_sum(_TILTS[:, None] * x, mass) for (x, mass), (_, count) in pairs], axis=0)

    def epsilon(self, k: int, delta: float) -> float:
        """Smallest ε ≥ 0 with δ(ε) ≤ δ after k runs; inf where there is none."""
        rest = delta - self.infinite(k)
        if rest <= 0:
            return np.inf
        reach = (k * self._moments - np.log(rest) - np.log(_TILTS * (1 + _TILTS))) / _TILTS
        tilt = 0.0 if rest >= _LARGE else float(_TILTS[int(np.argmin(np.where(np.isfinite(reach), reach, np.inf)))])
        for _ in range(_TRIES):
            found, inside = self._epsilon(k, float(np.log(rest)), tilt)
            if inside:
                break
            tilt /= 2  # a rare large loss decides, far beyond ε
        return min(max(found, 0.0), k * sum(count * law.top for law, count in self.laws))

    def _epsilon(self, k: int, log_rest: float, tilt: float) -> tuple[float, bool]:
        """Where the curve of the finite losses is e^{log_rest}, and whether the law under this tilt reaches that far down."""
        spectrum = self.spectrum(tilt) if tilt else self.plain
        x, mass = self.law(k, spectrum)
        kept = tilt * (x - k * spectrum.cumulants.mean) > -_OVERFLOW
        x, mass = x[kept], mass[kept]
        values, _ = summed(mass, tilt, self.step)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_curve = k * spectrum.cumulants.log_total - tilt * x[0] + np.log(values)
        above = np.flatnonzero(log_curve > log_rest)
        if not above.size or above[-1] == x.size - 1:
            return float(x[0]), bool(x[0] <= 0)
        last = above[-1]
        rest = np.exp(log_rest - log_curve[last]) * values[last]
        share = (values[last] - rest) / (values[last] - values[last + 1])
        return float(x[last] + np.log1p(share * np.expm1(self.step))), bool(last > 0 or x[0] <= 0)
