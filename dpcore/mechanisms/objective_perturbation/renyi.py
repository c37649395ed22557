"""Rényi bounds on objective perturbation: Theorem 3.2, its linearised form, and Theorem E.1 for losses that are no GLM."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from dpcore.mechanisms.objective_perturbation.hockey_stick import half_normal_renyi
from dpcore.mechanisms.objective_perturbation.tight_roots import root_between
from dpcore.numerics import WINDOW, WINDOW_NODES, gauss_legendre
from dpcore.profiles import Bound
from dpcore.profiles.renyi import RenyiCurve
from dpcore.references import FormulaCard, formula_card


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
    card: ClassVar[FormulaCard] = formula_card(__file__, "renyi_bound")

    @staticmethod
    def divergence(alpha: np.ndarray, shift: np.ndarray | float, log_jump: np.ndarray | float) -> np.ndarray:
        """D_α for arrays of α, Δ and ℓ, broadcast."""
        return log_jump + half_normal_renyi(alpha, shift)

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        return self.divergence(alpha, self.shift, self.log_jump)


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
    card: ClassVar[FormulaCard] = formula_card(__file__, "linearised_bound")

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


def log_chi_moment(rate: np.ndarray, dimension: int) -> np.ndarray:
    r"""log E e^{tχ_d} for t ≥ 0, where χ_d is the length of a standard normal vector of dimension d.

    .. math:: E e^{tχ_d} = \frac{2^{1−d/2}}{Γ(d/2)} ∫_0^∞ r^{d−1} e^{tr − r²/2} dr

    by Gauss–Legendre around the mode of the integrand, from which it falls at least as fast as a normal density; for small t through
    the positive integral of e^{tr} − 1.
    """
    rate = np.asarray(rate, dtype=float)
    flat = rate.reshape(-1)
    constant = (1 - dimension / 2) * np.log(2) - special.gammaln(dimension / 2)

    def log_sum(tilt: np.ndarray, gain: np.ndarray | None) -> np.ndarray:
        mode = (tilt + np.sqrt(tilt**2 + 4 * (dimension - 1))) / 2
        low = np.maximum(mode - WINDOW, 0.0)
        span = mode + WINDOW - low
        nodes, weights = gauss_legendre(WINDOW_NODES)
        r = low[:, None] + span[:, None] * nodes
        exponent = (dimension - 1) * np.log(r) + r * (tilt[:, None] - r / 2)
        top = exponent.max(axis=1, keepdims=True)
        factor = np.exp(exponent - top) * (1.0 if gain is None else np.expm1(gain[:, None] * r))
        with np.errstate(divide="ignore"):
            return top[:, 0] + np.log(span * (factor * weights).sum(axis=1)) + constant

    small = flat < 1
    value = np.empty(flat.shape)
    if small.any():
        value[small] = np.log1p(np.exp(log_sum(np.zeros(small.sum()), flat[small])))
    if not small.all():
        value[~small] = log_sum(flat[~small], None)
    return value.reshape(rate.shape)


@dataclass(frozen=True)
class NonGlmBound(RenyiCurve):
    r"""Theorem E.1: any convex loss with gradient bound L and curvature bound β, in d parameters.

    .. math:: D_α = dℓ + \frac{Δ²}{2} + \frac{1}{α−1} \log E\, e^{(α−1)Δχ_d}

    with ℓ = −log(1−β/λ) as published, or log(1+β/λ). At α = 1 it is the limit dℓ + Δ²/2 + ΔE[χ_d].

    Parameters
    ----------
    shift : float > 0, Δ = L/σ.
    log_jump : float ≥ 0, ℓ.
    dimension : int ≥ 1, d.

    References: redberg-koskela-wang-2023 (Theorem E.1), canonne-kamath-steinke-2020.
    """

    shift: float
    log_jump: float
    dimension: int

    symmetric: ClassVar[bool] = True
    card: ClassVar[FormulaCard] = formula_card(__file__, "non_glm_bound")

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        order = np.asarray(alpha, dtype=float) - 1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = log_chi_moment(order * self.shift, self.dimension) / order
        log_expected = special.gammaln((self.dimension + 1) / 2) - special.gammaln(self.dimension / 2)
        limit = self.shift * np.sqrt(2) * np.exp(log_expected)
        value = np.where(order * self.shift < 1e-15, limit, mean)
        return self.dimension * self.log_jump + self.shift**2 / 2 + value
