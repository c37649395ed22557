"""The Rényi bound for losses that are not generalised linear models."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from dpcore.numerics import WINDOW, WINDOW_NODES, gauss_legendre
from dpcore.profiles.renyi import RenyiCurve
from dpcore.references import FormulaCard


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
    card: ClassVar[FormulaCard] = FormulaCard(
        title="Objective perturbation, bound for losses that are not GLMs",
        latex=(
            r"D_\alpha=d\,\ell+\tfrac{\Delta^2}{2}+\tfrac{1}{\alpha-1}\log\mathbb{E}\,e^{(\alpha-1)\Delta\chi_d}",
            r"\mathbb{E}\,e^{t\chi_d}={}_1F_1\!\left(\tfrac d2,\tfrac12,\tfrac{t^2}2\right)"
            r"+t\sqrt2\,\tfrac{\Gamma((d+1)/2)}{\Gamma(d/2)}\,"
            r"{}_1F_1\!\left(\tfrac{d+1}2,\tfrac32,\tfrac{t^2}2\right)",
        ),
        symbols={
            r"\Delta": "gradient bound L divided by noise σ",
            "d": "number of parameters",
            r"\ell": "−log(1−β/λ) as published, needs λ > β; log(1+β/λ) also holds, for every λ > 0",
        },
        assumptions=("convex, twice differentiable loss", "exact minimiser"),
        references=("redberg-koskela-wang-2023", "canonne-kamath-steinke-2020"),
    )

    def _renyi(self, alpha: np.ndarray, direction: str) -> np.ndarray:
        order = np.asarray(alpha, dtype=float) - 1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = log_chi_moment(order * self.shift, self.dimension) / order
        log_expected = special.gammaln((self.dimension + 1) / 2) - special.gammaln(self.dimension / 2)
        limit = self.shift * np.sqrt(2) * np.exp(log_expected)
        value = np.where(order * self.shift < 1e-15, limit, mean)
        return self.dimension * self.log_jump + self.shift**2 / 2 + value
