"""One pipeline run k times, for many k from one grid: its loss to about four digits, for pictures, without a certificate."""

from functools import cached_property

import numpy as np
from scipy import fft

from dpcore.accountants.parts import Parts
from dpcore.accountants.pld.grid import aligned_step, offset_of
from dpcore.accountants.pld.loss_law import LossLaw, chord_masses, law_of, log_any, nonnegative
from dpcore.numerics import log_sum

SIZE = 65_536  # number of nodes of the grid; doubled, pictures are finer and take twice as long
# Number of nodes for each interval of a law's pilot, for its mean and variance. Doubled, they gain two thirds of a
# digit.
_FINER = 32
# log of the probability that may lie beyond either end of the window. Doubled, pictures are a third coarser.
_TAIL = -24.0
# Phase per node, in radians, beyond which the grid's mean and variance are no longer corrected. Doubled, the pictures
# of single runs ripple.
_BAND = 0.25


class RepeatedLoss:
    r"""The loss Σω of a pipeline run k times, k ≤ `most`, in one direction.

    .. math:: \log φ_k(t) = k \sum_j c_j \log φ_j(t), \quad
              \log φ_j(t) = \log \hat φ_j(t) + i t\, Δm_j − \tfrac{t²}{2} Δv_j

    with φ̂ the transform of a law on the nodes of a grid, and Δm, Δv the law's mean and variance less those on the
    grid.

    Parameters
    ----------
    parts : ((mechanism, count), …)
    direction : "add" or "remove"
    most : largest k
    """

    def __init__(self, parts: Parts, direction: str, most: int) -> None:
        self.laws = tuple((law_of(mechanism, direction), count) for mechanism, count in parts)
        self.most = most

    @cached_property
    def step(self) -> float:
        """Distance between nodes. The window is long enough for every k up to `most`."""
        spans = [high - low for low, high in (self._reach(k) for k in (1, self.most))]
        return aligned_step(self.laws, max(*spans, 1e-9) * 1.1 / SIZE)

    def _reach(self, k: int) -> tuple[float, float]:
        """Losses beyond which the pipeline run k times has almost no probability, by Chernoff's bound on the pilots."""
        pilots = [(law.pilot[0], np.exp(law.pilot[2]), k * count) for law, count in self.laws]
        variance = sum(count * _mean_and_variance(x, mass)[1] for x, mass, count in pilots)
        exponents = np.geomspace(1e-3, 1e3, 121) / np.sqrt(variance + 1e-30)
        ends = []
        for sign in (-1, 1):
            total = np.sum([count * log_sum(sign * exponents[:, None] * x, mass) for x, mass, count in pilots], axis=0)
            chernoff = float(((total - _TAIL) / exponents).min())
            ends.append(min(chernoff, sum(count * float((sign * x[mass > 0]).max()) for x, mass, count in pilots)))
        return -ends[0], ends[1]

    @cached_property
    def _once(self) -> tuple[np.ndarray, float]:
        """log of the transform of the pipeline run once, and the loss around which it is taken."""
        t = 2 * np.pi * np.arange(SIZE // 2 + 1) / (SIZE * self.step)
        fading = np.exp(-((t * self.step / _BAND) ** 4))
        log_values, centre = np.zeros(t.size, dtype=complex), 0.0
        for law, count in self.laws:
            x = np.clip(law.pilot[0], -SIZE * self.step, SIZE * self.step)
            finer = np.unique(np.interp(np.arange(_FINER * x.size) / _FINER, np.arange(x.size), x))
            mean, variance = _mean_and_variance(finer, _masses(law, finer))
            offset = offset_of(law, self.step)
            index = np.arange(np.floor((x[0] - offset) / self.step), np.ceil((x[-1] - offset) / self.step) + 1)
            nodes = offset + self.step * index
            mass = _masses(law, nodes)
            moved, spread = _mean_and_variance(nodes, mass)
            middle = np.rint((mean - offset) / self.step)
            log_one = np.log(fft.rfft(np.bincount(np.mod(index - middle, SIZE).astype(int), mass, SIZE)) + 1e-300)
            log_one -= fading * (1j * t * (mean - moved) + 0.5 * t**2 * (variance - spread))
            log_values += count * np.where(log_one.real > 0, 1j * log_one.imag, log_one)
            centre += count * (offset + self.step * float(middle))
        return log_values, centre

    def law(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Losses and masses of the pipeline run k times, (SIZE,) each, around the middle of its reach.

        The masses of finite losses add up to 1.
        """
        log_values, centre = self._once
        first = int(np.rint((0.5 * sum(self._reach(k)) - k * centre) / self.step)) - SIZE // 2
        masses = np.roll(fft.irfft(np.exp(k * log_values), SIZE), -(first % SIZE))
        return k * centre + self.step * (first + np.arange(SIZE)), masses

    def infinite(self, k: int) -> float:
        """P[Σω = ∞]."""
        return float(np.exp(log_any((law.infinite, k * count) for law, count in self.laws)))


def _masses(law: LossLaw, nodes: np.ndarray) -> np.ndarray:
    """P-masses of the law on the nodes, by chords of its curve; they add up to 1."""
    mass = nonnegative(nodes, chord_masses(nodes, *law.curves(nodes))).astype(float)
    return mass / mass.sum()


def _mean_and_variance(x: np.ndarray, mass: np.ndarray) -> tuple[float, float]:
    mean = float(mass @ x / mass.sum())
    return mean, float(mass @ (x - mean) ** 2 / mass.sum())
