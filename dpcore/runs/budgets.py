"""What nothing reveals more than: of mechanisms that keep a budget, and of discrete Laplace noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpcore import validation
from dpcore.mechanisms import RandomizedResponse
from dpcore.numerics import log1mexp
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.profiles.renyi import RenyiCurve
from dpcore.runs.run import Sides, Steps


@dataclass(frozen=True)
class WithinBudget(PrivacyProfile):
    r"""Whatever is (ε₀, δ₀)-DP. Upper bound, which δ₀ of failing entirely and else randomised response attain.

    .. math:: δ(ε) = δ₀ + (1 − δ₀) \frac{[e^{ε₀} − e^ε]_+}{1 + e^{ε₀}}

    Parameters
    ----------
    budget : float ≥ 0, ε₀ in nats
    failure : float in [0, 1), δ₀

    References: kairouz-oh-viswanath-2017.
    """

    budget: float
    failure: float = 0.0

    bound: ClassVar[Bound] = Bound.UPPER
    symmetric: ClassVar[bool] = True

    def __post_init__(self) -> None:
        validation.set_checked(self, budget=validation.non_negative, failure=validation.probability)

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        below = np.minimum(epsilon - self.budget, 0.0)
        with np.errstate(divide="ignore"):
            kept = np.log1p(-self.failure) + log1mexp(below) - np.log1p(np.exp(-self.budget))
            return np.logaddexp(np.log(self.failure), kept)

    def _inverse(self, excess: Any, targets: tuple[np.ndarray, ...], direction: str) -> np.ndarray:
        """The closed form: at δ₀ itself ε₀, below it no finite ε."""
        delta = targets[1] if len(targets) > 1 else np.exp(targets[0])
        rest = np.minimum((delta - self.failure) / (1 - self.failure) * (1 + np.exp(-self.budget)), 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(rest < 0, np.inf, np.maximum(self.budget + np.log1p(-np.maximum(rest, 0.0)), 0.0))


@dataclass(frozen=True)
class Concentrated(RenyiCurve):
    r"""Whatever is (ξ, ρ)-zCDP. Upper bound.

    .. math:: D_α \le ξ + ρα \quad (α > 1)

    Parameters
    ----------
    rho : float > 0
    xi : float ≥ 0

    References: canonne-kamath-steinke-2020.
    """

    rho: float
    xi: float = 0.0

    symmetric: ClassVar[bool] = True

    def __post_init__(self) -> None:
        validation.set_checked(self, rho=validation.positive, xi=validation.non_negative)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return self.xi + self.rho * alpha


def added(steps: Steps) -> Steps:
    """The steps with one concentrated budget for all of them, since these add up exactly."""
    kept = [(m, k) for m, k in steps if (getattr(m, "rho", None), getattr(m, "xi", None)) == (None, None)]
    budgets = [(m, k) for m, k in steps if (m, k) not in kept]
    if not budgets:
        return steps
    rho, xi = (sum(k * getattr(m, name) for m, k in budgets) for name in ("rho", "xi"))
    return (*kept, (Concentrated(rho, xi), 1))


def discrete_laplace(scale: float, sensitivity: int = 1) -> Sides:
    r"""Noise on whole numbers with P(x) ∝ e^{−|x|/b}: at sensitivity 1 its losses are ±1/b, those of randomised response.

    At a larger sensitivity Δ no pure mechanism with the largest loss Δ/b reveals more than randomised response, and
    neighbours at distance 1 bound it from below.

    Parameters
    ----------
    scale : float > 0, b
    sensitivity : int ≥ 1, Δ
    """
    scale = validation.positive("scale", scale)
    above, below = RandomizedResponse(sensitivity / scale), RandomizedResponse(1 / scale)
    return Sides(((above, 1),), ((below, 1),))
