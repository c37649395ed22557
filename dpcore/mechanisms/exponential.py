"""The exponential mechanism as a bounded-range mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from dpcore import validation
from dpcore.mechanisms.entry import entry
from dpcore.mechanisms.pairs import Family, Pair, on_outcomes
from dpcore.numerics import PANEL_NODES, gauss_legendre, log1mexp
from dpcore.profiles import Moment, PrivacyProfile
from dpcore.references import FormulaCard, formula_card


def _log_sinhc(u: np.ndarray | float) -> np.ndarray:
    """log(sinh(u)/u) for u > 0. It loses digits where u is small."""
    return u + log1mexp(-2 * u) - np.log(2 * u)


def _langevin(u: np.ndarray) -> np.ndarray:
    """coth(u) − 1/u, the derivative of log(sinh(u)/u), for u > 0."""
    small = u < 0.1
    z = np.square(np.where(small, u, 0.0))
    series = u / 3 * (1 - z / 15 * (1 - z * 2 / 21 * (1 - z / 10 * (1 - z * 10 / 99))))
    large = np.where(small, 1.0, u)
    return np.where(small, series, 1 / np.tanh(large) - 1 / large)


@dataclass(frozen=True, init=False, repr=False)
class ExponentialMechanism(PrivacyProfile):
    r"""Worst case over every ε₀-bounded-range mechanism, the exponential mechanism among them. Exact for the class.

    .. math:: δ(ε) = \frac{(1 − e^{(ε−ε₀)/2})²}{1 − e^{−ε₀}}, \quad |ε| ≤ ε₀

    The Rényi curve and the trade-off curve are those of the pair with this profile, which dominates the class.

    Parameters
    ----------
    epsilon : float > 0
        ε₀ in nats: scores are weighted by exp(ε₀·score/(range of the score's change)). Kept as `pure_epsilon`.

    References: dong-durfee-rogers-2020.
    """

    pure_epsilon: float

    symmetric: ClassVar[bool] = True
    card: ClassVar[FormulaCard] = formula_card(__file__, "exponential_mechanism")

    def __init__(self, epsilon: float) -> None:
        object.__setattr__(self, "pure_epsilon", validation.moderate("epsilon", epsilon))

    def __repr__(self) -> str:
        return f"ExponentialMechanism(epsilon={self.pure_epsilon!r})"

    def pair(self) -> Pair:
        return self._two_outcomes(0.5 * self.pure_epsilon)

    def pair_family(self) -> Family:
        return Family(self._two_outcomes, 0.0, self.pure_epsilon, "two-outcome mechanisms")

    def _two_outcomes(self, top: float) -> Pair:
        """Two outcomes whose log ratios of absent to present are t = `top` and t − ε₀.

        The probabilities follow, because those of each law sum to 1.
        """
        low = top - self.pure_epsilon
        present = -np.expm1(low) / (np.exp(top) - np.exp(low))
        absent = np.exp(top) * present
        return on_outcomes(
            np.array([absent, 1 - absent]),
            np.array([present, 1 - present]),
            lambda x: x[:, 0],
            "two outcomes whose odds the record shifts by ε₀",
        )

    def with_noise(self, share: float) -> ExponentialMechanism:
        return ExponentialMechanism(self.pure_epsilon / validation.positive("share", share))

    def log_moment(self, direction: str) -> tuple[Moment, int]:
        half = self.pure_epsilon / 2

        def log_moment(s: np.ndarray) -> np.ndarray:
            u = 2 * s + 1
            return (u - 1) * half + np.log(np.expm1(-2 * u * half) / (u * np.expm1(-2 * half)))

        return log_moment, 1

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        below = np.minimum((epsilon - self.pure_epsilon) / 2, 0.0)
        return 2 * log1mexp(below) - log1mexp(-self.pure_epsilon)

    def _tradeoff(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return special.expit(-special.logit(alpha) - self.pure_epsilon)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        low = self.pure_epsilon / 2
        high = (2 * alpha - 1) * low
        nodes, weights = gauss_legendre(PANEL_NODES)
        slopes = _langevin(low + (high - low)[..., None] * nodes)
        mean_slope = slopes @ weights  # this form does not cancel as α → 1 or ε₀ → 0
        with np.errstate(divide="ignore", invalid="ignore"):
            direct = (_log_sinhc(high) - _log_sinhc(low)) / (alpha - 1)
        return np.where(high - low < 1.0, self.pure_epsilon * mean_slope, direct)


ENTRY = entry("exponential", "Exponential", ExponentialMechanism, ExponentialMechanism.card)
