"""The linearised Rényi bound of appendix C.1 of Redberg, Koskela and Wang."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore.mechanisms.objective_perturbation.tight_roots import root_between
from dpcore.profiles import Bound
from dpcore.profiles.renyi import RenyiCurve
from dpcore.references import FormulaCard


@dataclass(frozen=True)
class LinearisedBound(RenyiCurve):
    r"""A Rényi bound that replaces |bᵀθ''| by its linearisation, optimised over Hölder exponents 1/p + 1/q = 1.

    .. math:: D_α = ℓ + \frac{Δ²}{2} + \min_q \left\{ \frac{p(α−1)Δ²}{2}
              − \frac{\log(1 − 2q(α−1)κ)}{2q(α−1)} \right\}

    Finite for α < 1 + 1/(2κ). The proof treats a Hessian at an intermediate point as independent of the noise: that is
    rigorous in one dimension and for quadratic losses; otherwise the bound is a claim.

    Parameters
    ----------
    shift : float > 0, Δ = L/σ.
    curvature : float > 0, κ = β/λ.
    log_jump : float ≥ 0, ℓ = −log(1−κ) as published, or log(1+κ).
    dimension : int or None; 1 makes it a proven bound.

    References: redberg-koskela-wang-2023 (Appendix C.1), canonne-kamath-steinke-2020.
    """

    shift: float
    curvature: float
    log_jump: float
    dimension: int | None = None

    symmetric: ClassVar[bool] = True
    card: ClassVar[FormulaCard] = FormulaCard(
        title="Objective perturbation, linearised Rényi bound",
        latex=(
            r"D_\alpha=\ell+\tfrac{\Delta^2}{2}+\min_{1/p+1/q=1}\left\{\tfrac{p(\alpha-1)\Delta^2}{2}"
            r"-\tfrac{\log\left(1-2q(\alpha-1)\kappa\right)}{2q(\alpha-1)}\right\}",
        ),
        symbols={
            r"\Delta": "gradient bound L divided by noise σ",
            r"\kappa": "curvature bound β divided by λ",
            r"\ell": "−log(1−β/λ) as published, or log(1+β/λ)",
        },
        assumptions=("proven for one parameter or a quadratic loss only", "exact minimiser"),
        references=("redberg-koskela-wang-2023", "canonne-kamath-steinke-2020"),
    )

    @property
    def bound(self) -> Bound:
        return Bound.UPPER if self.dimension == 1 else Bound.CLAIMED

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        order = np.asarray(alpha, dtype=float) - 1.0
        if self.curvature == 0:
            return self.log_jump + 0.5 * alpha * self.shift**2
        result = np.full(order.shape, np.inf)
        low = 2 * order * self.curvature
        usable = (low < 1) & (order > 0)
        if usable.any():
            result[usable] = self._optimised(order[usable], low[usable])
        result = np.where(order == 0, self.curvature, result)
        return self.log_jump + self.shift**2 / 2 + result

    def _optimised(self, order: np.ndarray, low: np.ndarray) -> np.ndarray:
        """Minimum over w = 1/q ∈ (low, 1), a convex function; its derivative changes sign once."""

        def slope(s: np.ndarray, order: np.ndarray, low: np.ndarray) -> np.ndarray:
            w = low + (1 - low) * s
            ratio = low / w
            curve = (np.log1p(-ratio) + ratio / (1 - ratio)) / (2 * order)
            return order * self.shift**2 / (2 * (1 - w) ** 2) - curve

        s = root_between(slope, np.zeros_like(order), np.ones_like(order), order, low)
        w = np.clip(low + (1 - low) * s, low * (1 + 1e-12), np.nextafter(1.0, 0.0))
        return order * self.shift**2 / (2 * (1 - w)) - w * np.log1p(-low / w) / (2 * order)
