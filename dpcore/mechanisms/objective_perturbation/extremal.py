r"""The loss that attains the tight profile, as curves one can look at.

With u the noise (in units of σ) under one data set and T(u) under the other, T(u) = u − e(u): the record moves the noise
by e ∈ [0, Δ], and e falls at most at the rate κ. This module finds the extremal e(u) by direct search and quadrature; it
shares no code with the fast evaluation and is meant for pictures.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from dpcore import validation

_STEPS = 1_200  # number of steps of e from 0 to Δ


@dataclass(frozen=True)
class ExtremalMap:
    """The extremal shift against the noise, and the integrand whose area is δ.

    u, e : noise and shift along the moving part, e from 0 to Δ; the shift is Δ left of it and 0 right of it.
    reward : N̂(u(e), e); ∫ reward de = δ.
    join : shift at which the freely optimal part ends and the ramp begins (Δ if there is no ramp, 0 if all is ramp).
    delta : the area, a numerical estimate.
    """

    u: np.ndarray
    e: np.ndarray
    reward: np.ndarray
    join: float
    delta: float


def _reward(u: np.ndarray, e: np.ndarray, epsilon: float, kappa: float) -> np.ndarray:
    """N̂(u, e) = κ⁻¹[(1+κ)φ(u−e) − e^ε φ(u)]_+ up to u = ε/e + e/2, and φ(ε/e − e/2) beyond; 0 at u = ∞."""
    with np.errstate(divide="ignore", invalid="ignore"):
        edge = np.where(e > 0, epsilon / e, np.inf if epsilon > 0 else 0.0) + e / 2
        inside = np.maximum((1 + kappa) * _density(u - e) - np.exp(epsilon) * _density(u), 0.0) / kappa
        return np.where(np.isinf(u), 0.0, np.where(u < edge, inside, _density(edge - e)))


def _density(u: np.ndarray) -> np.ndarray:
    """φ(u) = e^{−u²/2}/√(2π)."""
    return np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi)


def extremal_removal(epsilon: float, shift: float, kappa: float) -> ExtremalMap:
    """The extremal monotone loss for M(Z ∪ z) against M(Z).

    Parameters
    ----------
    epsilon : float ≥ 0, nats
    shift : float > 0, Δ = L/σ
    kappa : float > 0, β/λ
    """
    epsilon = validation.non_negative("epsilon", epsilon)
    shift, kappa = validation.positive("shift", shift), validation.positive("kappa", kappa)
    e = shift * np.linspace(0.0, 1.0, _STEPS + 1)
    excess = epsilon - np.log1p(kappa)
    free = np.array([_free_optimum(x, excess) if x > 0 and excess > 0 else np.inf for x in e])

    heads = np.minimum.accumulate(free + e / kappa)

    def path(c: float) -> np.ndarray:
        return (np.maximum(heads, c) if excess > 0 else c) - e / kappa

    def area(c: float) -> float:
        return float(np.trapezoid(_reward(path(c), e, epsilon, kappa), e))

    if excess > 0:
        candidates = np.geomspace(1.0, 1.0 + heads[1] - heads[-1], 121) - 1.0 + heads[-1]
    else:
        reach = 8 + shift * (1 + 1 / kappa)
        candidates = np.linspace(-reach, reach, 161)
    areas = [area(c) for c in candidates]
    best = int(np.argmax(areas))
    low, high = candidates[max(best - 1, 0)], candidates[min(best + 1, len(candidates) - 1)]
    c = candidates[best]
    if high > low:
        found = minimize_scalar(lambda c: -area(c), bounds=(low, high), method="bounded", options={"xatol": 1e-10})
        c = found.x if -found.fun > areas[best] else c
    u = path(c)
    values = _reward(u, e, epsilon, kappa)
    join = float(e[np.argmax(heads <= c)]) if excess > 0 and heads[-1] < c else (shift if excess > 0 else 0.0)
    return ExtremalMap(u, e, values, join, float(np.trapezoid(values, e)))


def _free_optimum(e: float, excess: float) -> float:
    """u* = T + e with e(T + e/2) − log(1 + e/T) = ε' (the unique root in T)."""

    def gap(log_t: float) -> float:
        t = np.exp(log_t)
        return e * (t + e / 2) - np.log1p(e / t) - excess

    return float(np.exp(brentq(gap, -700.0, 700.0 if e < 1e-3 else 80.0))) + e
