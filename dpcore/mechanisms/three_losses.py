"""Mechanisms whose privacy loss takes three values only: ε₀, 0 and −ε₀."""

from typing import ClassVar

import numpy as np

from dpcore.numerics import log1mexp
from dpcore.profiles import Moment, PrivacyProfile


class ThreeLosses(PrivacyProfile):
    r"""A loss of ε₀ with probability p, of −ε₀ with probability p e^{−ε₀}, and else of 0. Exact.

    .. math:: δ(ε) = p \, [1 − e^{ε − ε₀}]_+

    A subclass gives ε₀ (`pure_epsilon`), log p (`log_truth`) and `rest`, where P(loss = 0) = `rest` · p e^{−ε₀}.
    """

    pure_epsilon: float
    symmetric: ClassVar[bool] = True

    @property
    def log_truth(self) -> float:
        """log p."""
        raise NotImplementedError

    @property
    def rest(self) -> float:
        """P(loss = 0) in units of P(loss = −ε₀)."""
        raise NotImplementedError

    def log_moment(self, direction: str) -> tuple[Moment, int]:
        budget, rest = self.pure_epsilon, self.rest
        return (
            lambda s: (
                self.log_truth + s * budget + np.log1p(np.exp(-(2 * s + 1) * budget) + rest * np.exp(-(s + 1) * budget))
            ),
            1,
        )

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        below = np.minimum(epsilon - self.pure_epsilon, 0.0)
        return self.log_truth + log1mexp(below)

    def _tradeoff(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        with np.errstate(divide="ignore", over="ignore"):
            steep = -np.expm1(self.pure_epsilon + np.log(alpha))
        middle = -np.expm1(self._log_delta(np.array(0.0), direction)) - alpha
        return np.maximum(np.maximum(steep, middle), np.exp(-self.pure_epsilon) * (1 - alpha))

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        order, budget = alpha - 1.0, self.pure_epsilon
        # e^{(α−1)D} − 1 = p (e^{(α−1)ε₀} − 1) (1 − e^{−αε₀}), a product of positive factors
        constant = self.log_truth + np.log(-np.expm1(-alpha * budget))
        exponent = order * budget
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            log_growth = np.where(
                exponent < 1, np.log(np.expm1(np.minimum(exponent, 1.0))), exponent + log1mexp(-exponent)
            )
            log_excess = constant + log_growth
            value = np.where(
                log_excess < 0, np.log1p(np.exp(np.minimum(log_excess, 0.0))), np.logaddexp(0.0, log_excess)
            )
            return np.where(order == 0, budget * np.exp(constant), value / order)
