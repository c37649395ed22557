"""The profile of every mechanism whose worst pair is two unit normal laws a distance Δ apart."""

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy import special

from dpcore.mechanisms.sampled_sums import REACH, STEP
from dpcore.numerics import LARGEST_ROOT, LAST_DIGITS, LOG_SQRT_2PI, log_mills_difference, log_normal, mills
from dpcore.profiles import Moment, Nodes, PrivacyProfile

# Largest number of Newton steps towards ε(δ). Eight are enough where δ ≤ 0.9; doubled, ε at δ = 1 − 1e-9 is no closer.
_STEPS = 50


def log_shifted_normal(epsilon: np.ndarray | float, shift: np.ndarray | float) -> np.ndarray:
    r"""log H_{e^ε}(N(shift, 1)‖N(0, 1)) for ε ≥ 0 and shift ≥ 0, broadcast.

    With a = ε/Δ − Δ/2, b = a + Δ and the Mills ratio R, δ = φ(a)(R(a) − R(b)); the difference is integrated as a
    positive slope when Δ ≤ 1, and δ near 1 is taken from its complement.
    """
    epsilon, shift = np.broadcast_arrays(np.asarray(epsilon, dtype=float), np.asarray(shift, dtype=float))
    finite = np.isfinite(epsilon) & (shift > 0)
    width = np.where(finite, shift, 1.0)
    with np.errstate(over="ignore"):
        a = np.minimum(np.where(finite, epsilon, 1.0) / width, LARGEST_ROOT) - width / 2
        log_density = log_normal(a)
    result = log_density + log_mills_difference(np.maximum(a, -1.0), width)
    near_one = (a < 0) & (width > 1)
    if near_one.any():
        low, high = a[near_one], a[near_one] + width[near_one]
        missed = np.exp(log_density[near_one]) * (mills(-low) + mills(high))
        result = np.array(result)
        result[near_one] = np.log1p(-np.minimum(missed, 1.0))
    return np.where(finite, result, -np.inf)


def shifted_normal_epsilon(log_delta: float, shift: np.ndarray) -> np.ndarray:
    """Smallest ε ≥ 0 with δ(ε) ≤ δ of unit normal laws at these distances (n,).

    Newton steps from ε = Δ²/2 + Δ√(2 log(1/δ)) ≥ ε(δ): as log δ(ε) is concave, each ends above ε(δ) too.
    """
    if log_delta == -np.inf:
        return np.where(shift > 0, np.inf, 0.0)
    seen = log_shifted_normal(0.0, shift) > log_delta
    result, shift = np.zeros(shift.shape), shift[seen]
    epsilon = shift * (shift / 2 + np.sqrt(-2 * log_delta))
    for _ in range(_STEPS):
        missing, a = log_shifted_normal(epsilon, shift) - log_delta, epsilon / shift - shift / 2
        with np.errstate(all="ignore"):  # d log δ/dε = −φ(a)R(a + Δ)/δ, R the Mills ratio
            step = missing * np.exp(missing + log_delta + a * a / 2 + LOG_SQRT_2PI) / mills(a + shift)
        step = np.where(step < 0, step, 0.0)
        epsilon = epsilon + step
        if (-step <= LAST_DIGITS * epsilon).all():
            break
    result[seen] = epsilon
    return result


class ShiftedNormal(PrivacyProfile):
    r"""The profile of N(0, 1) against N(Δ, 1).

    .. math:: δ(ε) = Φ(Δ/2 − ε/Δ) − e^ε Φ(−Δ/2 − ε/Δ), \quad D_α = αΔ²/2
    """

    if TYPE_CHECKING:  # a field or a property of the subclass

        @property
        @abstractmethod
        def shift(self) -> float:
            """Δ, dimensionless."""

    symmetric: ClassVar[bool] = True

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return log_shifted_normal(epsilon, self.shift)

    def _tradeoff(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return special.ndtr(-special.ndtri(alpha) - self.shift)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return 0.5 * alpha * self.shift * self.shift

    def log_moment(self, direction: str) -> tuple[Moment, int]:
        return lambda s: 0.5 * self.shift**2 * s * (s + 1), 1

    @property
    def sums(self) -> Nodes:
        return self._nodes

    def _nodes(self, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
        """Log weights and losses of a trapezoid rule on the law without the record."""
        step = STEP / max(1.0, self.shift)
        x = np.arange(self.shift * low - REACH, self.shift * high + REACH, step)
        return np.log(step) + log_normal(x), self.shift * x - 0.5 * self.shift**2
