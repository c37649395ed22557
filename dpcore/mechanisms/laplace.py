"""The Laplace mechanism."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from dpcore import validation
from dpcore.mechanisms.entry import entry
from dpcore.mechanisms.pairs import Pair, on_line
from dpcore.numerics import NEGLIGIBLE, expm1_residual, log1mexp, quotient_residual
from dpcore.profiles import Moment, PrivacyProfile
from dpcore.profiles.profile import renyi_from_log_excess
from dpcore.references import FormulaCard, formula_card


@dataclass(frozen=True)
class Laplace(PrivacyProfile):
    r"""Adds Laplace noise of the given scale to a quantity of ℓ1-sensitivity Δ₁. Exact in one dimension.

    .. math:: δ(ε) = 1 − e^{(ε−Δ)/2} \text{ for } 0 ≤ ε < Δ, \; 0 \text{ beyond}, \quad Δ = Δ₁/\text{scale}

    Parameters
    ----------
    scale : float > 0, in the units of the released quantity.
    sensitivity : float > 0, the ℓ1-sensitivity in the same units.

    References: dwork-roth-2014, mironov-2017, dong-roth-su-2022.
    """

    scale: float
    sensitivity: float = 1.0

    symmetric: ClassVar[bool] = True
    card: ClassVar[FormulaCard] = formula_card(__file__, "laplace")

    def __post_init__(self) -> None:
        validation.set_checked(self, scale=validation.positive, sensitivity=validation.positive)
        validation.moderate("sensitivity/scale", self.shift)

    @property
    def shift(self) -> float:
        """Δ = sensitivity/scale, the pure-DP ε in nats."""
        return self.sensitivity / self.scale

    def pair(self) -> Pair:
        return on_line(
            lambda x: -np.abs(x) - np.log(2),
            lambda rng, size: rng.laplace(0.0, 1.0, size),
            self.scale,
            self.sensitivity,
        )

    def with_noise(self, share: float) -> Laplace:
        return replace(self, scale=self.scale * validation.positive("share", share))

    def log_moment(self, direction: str) -> tuple[Moment, int]:
        shift = self.shift
        return lambda s: s * shift + np.log((s + 1 + s * np.exp(-(2 * s + 1) * shift)) / (2 * s + 1)), 1

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        below = (epsilon - self.shift) - quotient_residual(self.sensitivity, self.scale)
        return log1mexp(np.minimum(below / 2, 0.0))

    def _tradeoff(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        with np.errstate(divide="ignore", over="ignore"):
            log_alpha = np.log(alpha)
            steep, middle = -np.expm1(log_alpha + self.shift), np.exp(-self.shift - log_alpha) / 4
        flat = np.exp(-self.shift) * (1 - alpha)
        return np.where(log_alpha + self.shift < -np.log(2), steep, np.where(alpha <= 0.5, middle, flat))

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        order, shift = alpha - 1.0, self.shift
        exponent = order * shift
        small = np.minimum(exponent, NEGLIGIBLE)  # beyond, the two terms of `direct` do not cancel
        with np.errstate(divide="ignore", invalid="ignore"):
            # `excess` is log((E[e^{(α−1)ω}] − 1)/(α(α−1))), from positive residuals, which cannot cancel
            first = np.where(order > 0, expm1_residual(small) / np.where(order > 0, order, 1.0), 0.0)
            excess = np.log((first + expm1_residual(-alpha * shift) / alpha) / (2 * alpha - 1))
            direct = np.logaddexp(
                exponent + np.log(alpha / (2 * alpha - 1)), -alpha * shift + np.log(order / (2 * alpha - 1))
            )
            return np.where(exponent < NEGLIGIBLE, renyi_from_log_excess(alpha, excess), direct / order)


ENTRY = entry("laplace", "Laplace", Laplace, Laplace.card)
