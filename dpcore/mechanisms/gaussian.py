"""The Gaussian mechanism: exact profile without cancellation, for any noise from 1e-6 to 1e6 sensitivities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from dpcore import validation
from dpcore.numerics import LOG_SQRT_2PI, log_mills_difference, mills
from dpcore.profiles import PrivacyProfile
from dpcore.references import FormulaCard

_LARGEST_ROOT = 1e154  # its square is still a finite log δ: a Gaussian never looks like pure DP


def log_hockey_stick(epsilon: np.ndarray, shift: np.ndarray) -> np.ndarray:
    r"""log H_{e^ε}(N(shift, 1)‖N(0, 1)) for ε ≥ 0 and shift ≥ 0, broadcast.

    With a = ε/Δ − Δ/2, b = a + Δ and the Mills ratio R, δ = φ(a)(R(a) − R(b)); the difference is integrated as a
    positive slope when Δ ≤ 1, and δ near 1 is taken from its complement.
    """
    epsilon, shift = np.broadcast_arrays(np.asarray(epsilon, dtype=float), np.asarray(shift, dtype=float))
    finite = np.isfinite(epsilon) & (shift > 0)
    width = np.where(finite, shift, 1.0)
    with np.errstate(over="ignore"):
        a = np.minimum(np.where(finite, epsilon, 1.0) / width, _LARGEST_ROOT) - width / 2
        log_density = np.asarray(-0.5 * a * a - LOG_SQRT_2PI)
    result = log_density + log_mills_difference(np.maximum(a, -1.0), width)
    near_one = (a < 0) & (width > 1)
    if near_one.any():
        low, high = a[near_one], a[near_one] + width[near_one]
        missed = np.exp(log_density[near_one]) * (mills(-low) + mills(high))
        result = np.array(result)
        result[near_one] = np.log1p(-np.minimum(missed, 1.0))
    return np.where(finite, result, -np.inf)


@dataclass(frozen=True)
class Gaussian(PrivacyProfile):
    r"""Adds N(0, σ²I) to a quantity of ℓ2-sensitivity Δ₂. Exact.

    .. math:: δ(ε) = Φ(Δ/2 − ε/Δ) − e^ε Φ(−Δ/2 − ε/Δ), \quad Δ = Δ₂/σ

    Parameters
    ----------
    sigma : float > 0
        Standard deviation of the noise, in the units of the released quantity.
    sensitivity : float > 0
        ℓ2-sensitivity in the same units.

    References: balle-wang-2018, dong-roth-su-2022, mironov-2017.
    """

    sigma: float
    sensitivity: float = 1.0

    symmetric: ClassVar[bool] = True
    card: ClassVar[FormulaCard] = FormulaCard(
        title="Gaussian mechanism",
        latex=(
            r"\delta(\varepsilon)=\Phi\!\left(\tfrac{\Delta}{2}-\tfrac{\varepsilon}{\Delta}\right)"
            r"-e^{\varepsilon}\,\Phi\!\left(-\tfrac{\Delta}{2}-\tfrac{\varepsilon}{\Delta}\right)",
            r"T(\alpha)=\Phi\!\left(\Phi^{-1}(1-\alpha)-\Delta\right),\qquad D_\alpha=\tfrac{\alpha\Delta^2}{2}",
        ),
        symbols={r"\Delta": "sensitivity divided by noise σ", r"\Phi": "standard normal distribution function"},
        assumptions=("ℓ2-sensitivity bounded by the stated value for adding or removing one record",),
        references=("balle-wang-2018", "dong-roth-su-2022", "mironov-2017"),
        code="dpcore.mechanisms.gaussian.Gaussian",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", validation.positive("sigma", self.sigma))
        object.__setattr__(self, "sensitivity", validation.positive("sensitivity", self.sensitivity))
        validation.moderate("sensitivity/sigma", self.shift)

    @property
    def shift(self) -> float:
        """Δ = sensitivity/σ, dimensionless."""
        return self.sensitivity / self.sigma

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return log_hockey_stick(epsilon, self.shift)

    def _tradeoff(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return special.ndtr(-special.ndtri(alpha) - self.shift)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return 0.5 * alpha * self.shift**2
