"""The statement of the lecture notes on objective perturbation, with the constant its O(·) leaves open."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore.profiles import Bound, PrivacyProfile
from dpcore.references import FormulaCard


@dataclass(frozen=True)
class LectureBound(PrivacyProfile):
    r"""ε = d log(1+β/λ) + L²/2σ² + (L/σ)√(2 log(2/δ)), read as a curve.

    .. math:: δ(ε) = \min\{1, 2 e^{−(ε − d\log(1+κ) − Δ²/2)²/(2Δ²)}\} \text{ for } ε ≥ d\log(1+κ) + Δ²/2, \quad 1 \text{ below}

    The last step of its proof bounds the noise along the record's gradient, |∇ℓᵀb| ≤ σL√(2 log(2/δ)): that needs a gradient of
    fixed direction, a generalised linear model, for which d = 1 in the first term suffices.

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
    card: ClassVar[FormulaCard] = FormulaCard(
        title="Objective perturbation, bound of the lecture",
        latex=(
            r"\varepsilon=d\log(1+\kappa)+\tfrac{\Delta^2}{2}+\Delta\sqrt{2\log(2/\delta)}",
            r"\delta(\varepsilon)=\min\left\{1,\;2e^{-t^2/(2\Delta^2)}\right\},\quad "
            r"t=\varepsilon-d\log(1+\kappa)-\tfrac{\Delta^2}{2}\ge 0",
        ),
        symbols={
            r"\Delta": "gradient bound L divided by noise σ",
            r"\kappa": "curvature bound β divided by λ",
            "d": "number of parameters; d = 1 suffices for a generalised linear model",
        },
        assumptions=(
            "generalised linear model",
            "exact minimiser",
            "2 inside the logarithm, as in the last line of the proof",
        ),
        references=("lecture-10",),
    )

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        with np.errstate(over="ignore"):
            excess = (epsilon - self.dimension * np.log1p(self.curvature)) / self.shift - self.shift / 2
            return np.minimum(np.log(2) - np.maximum(excess, 0.0) ** 2 / 2, 0.0)
