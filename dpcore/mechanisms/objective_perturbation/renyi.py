"""The Rényi bound of Redberg, Koskela and Wang."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore.mechanisms.objective_perturbation.hockey_stick import half_normal_renyi
from dpcore.profiles.renyi import RenyiCurve
from dpcore.references import FormulaCard


@dataclass(frozen=True)
class RenyiBound(RenyiCurve):
    r"""Theorem 3.2, converted to (ε, δ).

    .. math:: D_α = ℓ + \frac{Δ²}{2} + \frac{1}{α−1} \log E\, e^{(α−1)|N(0, Δ²)|}
              = ℓ + \frac{αΔ²}{2} + \frac{\log 2Φ((α−1)Δ)}{α−1}

    with ℓ = −log(1−β/λ) as published, or log(1+β/λ). At α = 1 it is the limit ℓ + Δ²/2 + Δ√(2/π).

    Parameters
    ----------
    shift : float > 0, Δ = L/σ.
    log_jump : float ≥ 0, ℓ.

    References: redberg-koskela-wang-2023 (Theorem 3.2), canonne-kamath-steinke-2020.
    """

    shift: float
    log_jump: float

    symmetric: ClassVar[bool] = True
    card: ClassVar[FormulaCard] = FormulaCard(
        title="Objective perturbation, Rényi bound",
        latex=(
            r"D_\alpha=\ell+\tfrac{\alpha\Delta^2}{2}+\tfrac{1}{\alpha-1}\log 2\,\Phi\!\left((\alpha-1)\Delta\right)",
            r"\log\delta(\varepsilon)=\min_{\alpha>1}\;(\alpha-1)\left(D_\alpha-\varepsilon"
            r"+\log(1-\tfrac1\alpha)\right)-\log\alpha",
        ),
        symbols={
            r"\Delta": "gradient bound L divided by noise σ",
            r"\ell": "−log(1−β/λ) as published, needs λ > β; log(1+β/λ) also holds, for every λ > 0",
        },
        assumptions=("generalised linear model", "exact minimiser", "the conversion is not the optimal one"),
        references=("redberg-koskela-wang-2023", "canonne-kamath-steinke-2020"),
    )

    @staticmethod
    def divergence(alpha: np.ndarray, shift: np.ndarray | float, log_jump: np.ndarray | float) -> np.ndarray:
        """D_α for arrays of α, Δ and ℓ, broadcast."""
        return log_jump + half_normal_renyi(alpha, shift)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return self.divergence(alpha, self.shift, self.log_jump)
