"""A convex loss that is no generalised linear model, and for which the analysis of such models is wrong."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from dpcore import validation
from dpcore.numerics import panel_rule
from dpcore.profiles import Bound, PrivacyProfile

_PANELS, _NODES = 2000, 8  # panels of the quadrature, and Gauss–Legendre nodes of each
_REACH = 12.0  # χ_d has negligible probability outside of √d ± this distance


@dataclass(frozen=True)
class RoundLoss(PrivacyProfile):
    r"""Objective perturbation of one record with the loss ℓ(θ) = L√(‖θ‖² + s²), s = L/β, against none, in d parameters.

    .. math:: \frac{λ‖θ‖}{σ} ∼ χ_d \text{ without the record}, \qquad
              \frac{λ‖θ‖}{σ} + Δ\frac{‖θ‖}{\sqrt{‖θ‖² + s²}} ∼ χ_d \text{ with it}, \quad Δ = L/σ

    since direction and length of θ separate. The gradient points along −b, not along a fixed x: bᵀ∇ℓ has the size
    LσE[χ_d], while it is at most Lσ√(2/π) for a generalised linear model with the same L and β. Exact, by quadrature.
    Direction "remove" means that the first law is the one with the record.

    Parameters
    ----------
    sigma, lam : noise and penalty, > 0
    lipschitz, smoothness : L and β, > 0: the largest gradient and curvature of ℓ
    dimension : d ≥ 1

    Raises
    ------
    ParameterError

    References: redberg-koskela-wang-2023 (Appendix E).
    """

    sigma: float
    lam: float
    lipschitz: float
    smoothness: float
    dimension: int

    bound: ClassVar[Bound] = Bound.EXACT

    def __post_init__(self) -> None:
        positive = dict.fromkeys(("sigma", "lam", "lipschitz", "smoothness"), validation.positive)
        validation.set_checked(self, **positive, dimension=validation.at_least_one)

    @property
    def pull(self) -> float:
        """E[χ_d]: the size of bᵀ∇ℓ/(Lσ) as s → 0; it is at most √(2/π) for a generalised linear model."""
        half = self.dimension / 2
        return float(np.sqrt(2) * np.exp(special.gammaln(half + 0.5) - special.gammaln(half)))

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        weight, absent, present = self._laws()
        log_p, log_q = (absent, present) if direction == "add" else (present, absent)
        flat = np.asarray(epsilon, dtype=float).reshape(-1)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            gain = [
                weight @ np.maximum(np.exp(log_p) - np.exp(one + log_q), 0.0) if np.isfinite(one) else 0.0
                for one in flat
            ]
            return np.log(np.array(gain)).reshape(np.shape(epsilon))

    def _laws(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Quadrature weights over r = λ‖θ‖/σ, and the log density of r without and with the record."""
        shift = self.lipschitz / self.sigma
        bend = shift * self.lam / self.smoothness
        middle = np.sqrt(self.dimension)
        edges = np.linspace(max(middle - _REACH - shift, 0.0), middle + _REACH, _PANELS + 1)
        points, weights = panel_rule(edges, _NODES)
        r, weight = points.reshape(-1), weights.reshape(-1)
        root = np.hypot(r, bend)
        moved = r + shift * r / root
        steeper = np.log1p(shift * bend**2 / root**3)
        return weight, self._log_chi(r), self._log_chi(moved) + steeper

    def _log_chi(self, r: np.ndarray) -> np.ndarray:
        d = self.dimension
        return (d - 1) * np.log(r) - r**2 / 2 + (1 - d / 2) * np.log(2) - special.gammaln(d / 2)
