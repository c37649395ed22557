"""The discrete Gaussian mechanism: whole-number noise, exact profile for any noise from 1e-100 to 1e100."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy import special

from dpcore import validation
from dpcore.mechanisms.entry import entry
from dpcore.mechanisms.pairs import Densities, Pair
from dpcore.mechanisms.sampled_sums import REACH, STEP
from dpcore.numerics import BLOCK, LARGEST_EXPONENT, LARGEST_ROOT, LOG_SQRT_2PI, NEGLIGIBLE, log_mills_difference, mills
from dpcore.profiles.profile import Lattice, Moment, Nodes, PrivacyProfile
from dpcore.references import FormulaCard, formula_card

# A tail is computed as its integral and five Euler–Maclaurin terms if σ is at least this and the log of its terms falls
# by at most 1/_SMOOTH at the first step. Doubled, fewer tails are computed so.
_SMOOTH = 16.0
# Longest sum for δ that is added term by term; a longer one is a difference of two tails. Doubled, a sum may take twice
# as long.
_MOST_TERMS = 1500
_EVEN = np.arange(2, 12, 2)  # orders of the five Euler–Maclaurin terms; with twice as many, they need a larger σ
_EULER_MACLAURIN = special.bernoulli(_EVEN[-1])[_EVEN] / special.factorial(_EVEN)  # their coefficients
_WHOLE = 1 / np.finfo(float).eps  # floats beyond have no halves: it cannot be told where ε lies between two losses
_DUAL_FROM = 0.5  # σ from which theta functions are summed over frequencies, not over whole numbers
_TERMS = np.arange(1.0, 12.0)  # indices of the terms of either theta series that are summed; these are enough
_SPLIT = 134217729.0  # 2^27 + 1: a product with it serves to split a float into two halves of its digits


@dataclass(frozen=True)
class DiscreteGaussian(PrivacyProfile):
    r"""Adds a whole number with mass ∝ e^{−x²/2σ²} to a whole number that one record moves by at most Δ. Exact.

    .. math:: δ(ε) = P[X > εσ²/Δ − Δ/2] − e^ε P[X > εσ²/Δ + Δ/2], \quad
              D_α = \frac{αΔ²}{2σ²} + \frac{1}{α−1} \log\frac{θ((α−1)Δ)}{θ(0)}, \; θ(a) = \sum_x e^{−(x+a)²/2σ²}

    The Rényi curve touches that of the Gaussian mechanism at whole orders and lies below it elsewhere.

    Parameters
    ----------
    sigma : float > 0
        σ, in the units of the released count; the standard deviation is a little less.
    sensitivity : int ≥ 1
        Largest change Δ of the count by one record.

    References: canonne-kamath-steinke-2020.
    """

    sigma: float
    sensitivity: int = 1

    symmetric: ClassVar[bool] = True
    discrete: ClassVar[bool] = True
    card: ClassVar[FormulaCard] = formula_card(__file__, "discrete_gaussian")

    def __post_init__(self) -> None:
        validation.set_checked(self, sigma=validation.moderate, sensitivity=validation.at_least_one)
        validation.moderate("sensitivity/sigma", self.sensitivity / self.sigma)

    @property
    def lattice(self) -> Lattice:
        """Losses are (x + Δ/2)Δ/σ² for whole x."""
        return Lattice(self._step, self.sensitivity / 2, self._log_mass)

    @property
    def _step(self) -> float:
        """Δ/σ², from one loss to the next."""
        return self.sensitivity / self.sigma**2

    @cached_property
    def _log_total(self) -> float:
        """log Σ e^{−x²/2σ²}, by the faster of the two series of a theta function."""
        if self.sigma < _DUAL_FROM:
            return float(np.log1p(2 * np.exp(-0.5 * (_TERMS / self.sigma) ** 2).sum()))
        return float(np.log(self.sigma) + LOG_SQRT_2PI + np.log1p(2 * self._frequencies.sum()))

    @cached_property
    def _frequencies(self) -> np.ndarray:
        """e^{−2π²σ²k²}, k ≥ 1."""
        return np.exp(-2 * (np.pi * min(self.sigma, 100.0) * _TERMS) ** 2)

    def _log_mass(self, x: np.ndarray) -> np.ndarray:
        return -0.5 * (x / self.sigma) ** 2 - self._log_total

    def pair(self) -> Pair:
        reach = float(np.ceil(NEGLIGIBLE * self.sigma))
        shift = float(self.sensitivity)
        densities = Densities(
            self._log_mass, lambda x: self._log_mass(x - shift), (-reach, 0.0, shift, shift + reach), discrete=True
        )
        return Pair(
            lambda count, rng: discrete_noise(self.sigma, count, rng)[:, None],
            lambda count, rng: shift + discrete_noise(self.sigma, count, rng)[:, None],
            lambda x: (x[:, 0] - shift / 2) * self._step,
            lambda x: x[:, 0],
            densities,
            "a count that the record moves by its full sensitivity",
        )

    def with_noise(self, share: float) -> DiscreteGaussian:
        return replace(self, sigma=self.sigma * validation.positive("share", share))

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        r"""log Σ_{x ≥ m} p(x)(1 − e^{ε−ω(x)}), m the first x of loss ω(x) > ε. A δ near 1 is computed from 1 − δ."""
        flat = np.asarray(epsilon, dtype=float).reshape(-1)
        with np.errstate(over="ignore", invalid="ignore"):
            first, gap = self._first_loss_above(np.where(np.isfinite(flat), flat, 1.0))
        shift = self.sensitivity
        result, log_first = np.empty(flat.shape), self._log_mass(first)
        missed = np.ones(flat.shape)
        near = (first <= 0) & (shift > self.sigma)
        below, above = 1 - first[near], first[near] + shift
        missed[near] = np.exp(self._log_mass(below)) * self._tail(below)
        missed[near] += np.exp(log_first[near] - gap[near]) * self._tail(above)
        rest = missed > 0.5
        result[~rest] = np.log1p(-missed[~rest])
        result[rest] = log_first[rest] + self._log_excess(first[rest], gap[rest])
        return np.where(np.isposinf(flat), -np.inf, np.minimum(result, 0.0)).reshape(np.shape(epsilon))

    def _first_loss_above(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first x with loss ω(x) = (x + Δ/2)Δ/σ² > ε, and ω(x) − ε, to the last digit of both."""
        shift, step = float(self.sensitivity), self._step
        exact = Fraction(self.sensitivity) / (2 * Fraction(self.sigma) ** 2)
        half = float(exact)
        rest = float(exact - Fraction(half))
        x = np.floor(np.minimum(epsilon / step, LARGEST_ROOT * self.sigma) - shift / 2)

        def above(x: np.ndarray) -> np.ndarray:
            twice = 2 * x + shift
            product = half * twice
            return (product - epsilon) + (_product_error(half, twice, product) + rest * twice)

        gap = above(x)
        for _ in range(2):  # x is one below the answer; by rounding it may be the answer itself or two below
            late = (gap <= 0) & (np.abs(x) < _WHOLE)
            x = np.where(late, x + 1, x)
            gap = np.where(late, above(x), gap)
        return x, np.where(np.abs(x) < _WHOLE, np.clip(gap, 0.0, step), step / 2)

    def _is_smooth(self, start: np.ndarray) -> np.ndarray:
        """Whether terms fall slowly from `start` on."""
        return (self.sigma >= _SMOOTH) & (np.abs(start) <= self.sigma**2 / _SMOOTH)

    def _correction(self, start: np.ndarray) -> np.ndarray:
        """The sum less the integral of g(j) = e^{−(start·j + j²/2)/σ²} over j ≥ 0, by the Euler–Maclaurin formula."""
        slope, curvature = start / self.sigma**2, self.sigma**-2
        before, value = np.ones_like(start), -slope
        total = np.full_like(start, 0.5)
        for i, weight in enumerate(_EULER_MACLAURIN):
            total -= weight * value
            order = 2 * i + 1
            for n in (order, order + 1):
                before, value = value, -slope * value - n * curvature * before
        return total

    def _terms(self, start: np.ndarray) -> np.ndarray:
        """How many terms of a sum from `start` on are worth adding."""
        depth = 2 * NEGLIGIBLE
        return 2 + np.ceil(depth * self.sigma**2 / (start + np.hypot(start, np.sqrt(depth) * self.sigma)))

    def _summed(self, start: np.ndarray, gap: np.ndarray) -> np.ndarray:
        """Σ_j e^{−(start·j + j²/2)/σ²}(1 − e^{−gap − jh}), term by term; an infinite gap drops the second factor."""
        result = np.empty(start.shape)
        j = np.arange(self._terms(start).max(initial=1.0))
        rows = max(1, BLOCK // j.size)
        for at in range(0, start.size, rows):
            x, t = start[at : at + rows, None], gap[at : at + rows, None]
            weight = np.exp(-j * (x + 0.5 * j) / self.sigma**2)
            result[at : at + rows] = (weight * -np.expm1(-t - j * self._step)).sum(axis=1)
        return result

    def _tail(self, start: np.ndarray) -> np.ndarray:
        """P[X ≥ start]/p(start) for start ≥ 0: the Mills ratio on the integers."""
        result = np.empty(start.shape)
        smooth = self._is_smooth(start)
        result[smooth] = self.sigma * mills(start[smooth] / self.sigma) + self._correction(start[smooth])
        result[~smooth] = self._summed(start[~smooth], np.full(np.count_nonzero(~smooth), np.inf))
        return result

    def _log_excess(self, start: np.ndarray, gap: np.ndarray) -> np.ndarray:
        """log Σ_j e^{−(start·j + j²/2)/σ²}(1 − e^{−gap − jh}): an integral where terms fall slowly, else a sum."""
        shift, result = float(self.sensitivity), np.empty(start.shape)
        smooth = self._is_smooth(start) & self._is_smooth(start + shift)
        few = ~smooth & (self._terms(start) <= _MOST_TERMS)
        rest = ~smooth & ~few
        with np.errstate(divide="ignore"):
            result[smooth] = self._log_smooth_excess(start[smooth], gap[smooth])
            result[few] = np.log(self._summed(start[few], gap[few]))
            later = np.exp(-gap[rest]) * self._tail(start[rest] + shift)
            result[rest] = np.log(self._tail(np.maximum(start[rest], 0.0)) - later)
        return result

    def _log_smooth_excess(self, start: np.ndarray, gap: np.ndarray) -> np.ndarray:
        """R(a) − e^{−gap}R(a + Δ/σ) as a sum of two positive terms, R the Mills ratio and a = start/σ, and both corrections."""
        a, width = np.maximum(start / self.sigma, -1.0), self.sensitivity / self.sigma
        met, end = -np.expm1(-gap), start + self.sensitivity
        log_integral = np.logaddexp(
            log_mills_difference(a, np.full_like(a, width)), np.log(met) + np.log(mills(a + width))
        )
        ends = self._correction(start) - self._correction(end) + met * self._correction(end)
        log_integral = log_integral + np.log(self.sigma)
        share = ends * np.exp(np.minimum(-log_integral, LARGEST_EXPONENT))
        return log_integral + np.log1p(np.clip(share, -0.5, 0.5))  # a share beyond 1/256 is round-off, far in the tail

    def _tradeoff(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        """The test rejects at outputs > k, and at k with the probability that makes the type-I error α.

        The curve is linear between whole thresholds.
        """
        flat, shift = alpha.reshape(-1), float(self.sensitivity)
        low = np.full(flat.shape, -np.ceil(NEGLIGIBLE * self.sigma) - 1)
        high = -low
        while (high - low > 1).any() and (np.abs(high).max() < _WHOLE):
            middle = np.floor((low + high) / 2)
            reached = self._upper(middle) <= flat
            low, high = np.where(reached, low, middle), np.where(reached, middle, high)
        with np.errstate(over="ignore"):
            ratio = np.exp(np.minimum(self._step * (low - shift / 2), LARGEST_EXPONENT))
        accepted = np.maximum(self._upper(low) - flat, 0.0) * ratio
        return (self._upper(1 + shift - low) + accepted).reshape(alpha.shape)

    def _upper(self, start: np.ndarray) -> np.ndarray:
        """P[X ≥ start]."""
        other = np.where(start > 0, start, 1 - start)
        tail = np.exp(self._log_mass(other)) * self._tail(other)
        return np.where(start > 0, tail, 1 - tail)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        order, shift = alpha - 1.0, float(self.sensitivity)
        moved = order * shift - np.round(order * shift)
        with np.errstate(divide="ignore", invalid="ignore"):
            bonus = np.where(order > 0, self._log_theta_ratio(moved) / order, 0.0)
        return np.maximum(0.5 * alpha * shift**2 / self.sigma**2 + bonus, 0.0)

    def _log_theta_ratio(self, a: np.ndarray) -> np.ndarray:
        """log θ(a)/θ(0) ≤ 0 for |a| ≤ ½, from differences that do not cancel at small a."""
        a = np.asarray(a)[..., None]
        if self.sigma >= _DUAL_FROM:
            weight = self._frequencies / (1 + 2 * self._frequencies.sum())
            return np.log1p(-4 * (weight * np.sin(np.pi * _TERMS * a) ** 2).sum(axis=-1))
        x, square = _TERMS, self.sigma**2
        grown = 0.5 * (np.exp(-x * (x - 2 * a) / (2 * square)) + np.exp(-x * (x + 2 * a) / (2 * square)))
        turn = x * a / square
        mass = np.exp(-x * x / (2 * square))
        small = 2 * mass * np.sinh(np.clip(turn, -2.0, 2.0) / 2) ** 2
        excess = np.where(np.abs(turn) < 1, small, grown - mass).sum(axis=-1)
        return -0.5 * a[..., 0] ** 2 / square + np.log1p(2 * excess / (1 + 2 * mass.sum()))

    def log_moment(self, direction: str) -> tuple[Moment, int]:
        shift, square = float(self.sensitivity), self.sigma**2
        frequencies = np.concatenate([-_TERMS[::-1], [0.0], _TERMS])

        def log_moment(s: np.ndarray) -> np.ndarray:
            """s is first moved by whole periods 2πi/h; each multiplies the moment by e^{iπΔ}."""
            period = 2 * np.pi / self._step
            turns = np.round(s.imag / period)
            s = s - 1j * period * turns
            a = s * shift
            a = a - np.round(a.real)
            if self.sigma >= _DUAL_FROM:
                exponent: np.ndarray = -2 * np.pi**2 * square * frequencies**2 + 2j * np.pi * frequencies * a[:, None]
            else:
                exponent = -frequencies * (frequencies + 2 * a[:, None]) / (2 * square) - a[:, None] ** 2 / (2 * square)
            largest = exponent.real.max(axis=1)
            ratio = np.log(np.exp(exponent - largest[:, None]).sum(axis=1)) + largest
            start = self._log_total - (self.sigma >= _DUAL_FROM) * (np.log(self.sigma) + LOG_SQRT_2PI)
            return 0.5 * s * (s + 1) * shift**2 / square + ratio - start + 1j * np.pi * shift * turns

        return log_moment, frequencies.size

    @property
    def sums(self) -> Nodes:
        return self._nodes

    def _nodes(self, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
        """All masses of the law without the record, or each `stride`-th where those are as good as a trapezoid rule."""
        shift, reach = self.sensitivity, REACH * self.sigma
        stride = max(1.0, np.floor(STEP * self.sigma / max(1.0, shift / self.sigma)))
        x = np.arange(np.floor(shift * low - reach), np.ceil(shift * high + reach) + 1, stride)
        return np.log(stride) + self._log_mass(x), (x - shift / 2) * self._step


def discrete_noise(sigma: float, count: int, rng: np.random.Generator) -> np.ndarray:
    """Draws of the discrete Gaussian by rejection from a discrete Laplace law (the paper's Algorithm 3).

    Masses are floats: exact to round-off, for audits; a release needs the paper's exact coin flips.

    Parameters
    ----------
    sigma : σ > 0
    count : int
    rng : np.random.Generator
    """
    scale = np.floor(sigma) + 1
    found, missing = np.empty(count), np.arange(count)
    while missing.size:
        size, success = missing.size, -np.expm1(-1 / scale)
        x = (rng.geometric(success, size) - rng.geometric(success, size)).astype(float)
        kept = rng.random(size) < np.exp(-0.5 * ((np.abs(x) - sigma**2 / scale) / sigma) ** 2)
        found[missing[kept]] = x[kept]
        missing = missing[~kept]
    return found


def _product_error(a: float, b: np.ndarray, product: np.ndarray) -> np.ndarray:
    """a·b − product, exactly (Dekker), for the rounded product."""
    a_high = _SPLIT * a - (_SPLIT * a - a)
    b_high = _SPLIT * b - (_SPLIT * b - b)
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


ENTRY = entry("discrete_gaussian", "Discrete Gaussian", DiscreteGaussian, DiscreteGaussian.card)
