"""Other bounds on objective perturbation: that of 2012, the lecture's, a Gaussian lower bound, and no guarantee."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore.mechanisms.output_perturbation import GaussianShift
from dpcore.numerics import LARGEST_ROOT
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.references import FormulaCard, formula_card


@dataclass(frozen=True)
class NoGuarantee(PrivacyProfile):
    """δ = 1 for every ε: what a theorem says where its conditions fail."""

    bound: ClassVar[Bound] = Bound.UPPER
    symmetric: ClassVar[bool] = True

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return np.zeros(epsilon.shape)

    def _tradeoff(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return np.zeros(alpha.shape)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return np.full(alpha.shape, np.inf)


@dataclass(frozen=True)
class KiferBound(PrivacyProfile):
    r"""(ε, δ)-DP where λ ≥ 2β/ε and σ ≥ L√(8 log(2/δ) + 4ε)/ε, read as a curve.

    .. math:: δ(ε) = \min\{1, 2 e^{ε/2 − ε²/(8Δ²)}\} \text{ for } ε ≥ 2κ, \quad 1 \text{ below}

    Parameters
    ----------
    shift : float > 0, Δ = L/σ.
    curvature : float ≥ 0, κ = β/λ.

    References: kifer-smith-thakurta-2012, redberg-koskela-wang-2023 (Theorem 2.8).
    """

    shift: float
    curvature: float

    bound: ClassVar[Bound] = Bound.UPPER
    symmetric: ClassVar[bool] = True
    card: ClassVar[FormulaCard] = formula_card(__file__, "kifer_bound")

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return self.log_bound(epsilon, np.asarray(self.shift), np.asarray(self.curvature))

    @staticmethod
    def log_bound(epsilon: np.ndarray, shift: np.ndarray, curvature: np.ndarray) -> np.ndarray:
        """The curve for arrays of ε ≥ 0, Δ and κ, broadcast."""
        ratio = np.minimum(epsilon / shift, LARGEST_ROOT)
        value = np.log(2) + ratio * (shift / 2 - ratio / 8)
        value = np.where(np.isposinf(epsilon), -np.inf, np.minimum(value, 0.0))
        return np.where(epsilon >= 2 * curvature, value, 0.0)


@dataclass(frozen=True)
class LectureBound(PrivacyProfile):
    r"""ε = d log(1+β/λ) + L²/2σ² + (L/σ)√(2 log(2/δ)), read as a curve.

    .. math:: δ(ε) = \min\{1, 2 e^{−(ε − d\log(1+κ) − Δ²/2)²/(2Δ²)}\} \text{ for } ε ≥ d\log(1+κ) + Δ²/2, \quad 1 \text{ below}

    The last step of its proof bounds the noise along the record's gradient, |∇ℓᵀb| ≤ σL√(2 log(2/δ)). That needs a
    gradient of fixed direction, so a generalised linear model. For such a model d = 1 in the first term suffices.

    Parameters
    ----------
    shift : float > 0, Δ = L/σ.
    curvature : float ≥ 0, κ = β/λ.
    dimension : int ≥ 1, d.

    References: lecture-10 (Privacy of objective perturbation).
    """

    shift: float
    curvature: float
    dimension: int

    bound: ClassVar[Bound] = Bound.UPPER
    symmetric: ClassVar[bool] = True
    card: ClassVar[FormulaCard] = formula_card(__file__, "lecture_bound")

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        with np.errstate(over="ignore"):
            excess = (epsilon - self.dimension * np.log1p(self.curvature)) / self.shift - self.shift / 2
            return np.minimum(np.log(2) - np.maximum(excess, 0.0) ** 2 / 2, 0.0)


@dataclass(frozen=True)
class GaussianLowerBound(GaussianShift):
    r"""Lemma 3.4: with a linear loss, objective perturbation is the Gaussian mechanism of sensitivity L and noise σ.

    .. math:: δ(ε) ≥ Φ(Δ/2 − ε/Δ) − e^ε Φ(−Δ/2 − ε/Δ), \quad D_α ≥ αΔ²/2

    Parameters
    ----------
    shift : float > 0, Δ = L/σ.

    References: redberg-koskela-wang-2023 (Lemma 3.4), balle-wang-2018.
    """

    bound: ClassVar[Bound] = Bound.LOWER
    card: ClassVar[FormulaCard] = formula_card(__file__, "gaussian_lower_bound")
