"""The bound of Kifer, Smith and Thakurta, and the answer of a bound that does not apply."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore.numerics import LARGEST_ROOT
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.references import FormulaCard


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
    card: ClassVar[FormulaCard] = FormulaCard(
        title="Objective perturbation, bound of 2012",
        latex=(
            r"\delta(\varepsilon)=\min\left\{1,\;2e^{\varepsilon/2-\varepsilon^2/(8\Delta^2)}\right\}"
            r"\quad(\varepsilon\ge 2\kappa)",
        ),
        symbols={r"\Delta": "gradient bound L divided by noise σ", r"\kappa": "curvature bound β divided by λ"},
        assumptions=("generalised linear model", "exact minimiser", "says nothing for ε < 2β/λ"),
        references=("kifer-smith-thakurta-2012", "redberg-koskela-wang-2023"),
    )

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return self.log_bound(epsilon, np.asarray(self.shift), np.asarray(self.curvature))

    @staticmethod
    def log_bound(epsilon: np.ndarray, shift: np.ndarray, curvature: np.ndarray) -> np.ndarray:
        """The curve for arrays of ε ≥ 0, Δ and κ, broadcast."""
        ratio = np.minimum(epsilon / shift, LARGEST_ROOT)
        value = np.log(2) + ratio * (shift / 2 - ratio / 8)
        value = np.where(np.isposinf(epsilon), -np.inf, np.minimum(value, 0.0))
        return np.where(epsilon >= 2 * curvature, value, 0.0)
