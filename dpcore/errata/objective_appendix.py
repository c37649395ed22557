"""Numbers of the errata of objective perturbation: Lemma 3.4 and its Appendices G and J."""

from __future__ import annotations

import math

from scipy import integrate, stats
from scipy.optimize import brentq

from dpcore.errata.objective import renyi_by_quadrature
from dpcore.errata.record import Three
from dpcore.mechanisms import Gaussian

_REACH = 12.0  # standard deviations
_SMALLEST = 1e-12


def objpert_34_all(length: float, epsilon: float, shift: float) -> Three:
    """The third: δ between the minimisers −(x + b) and −b of a linear loss and of none, b ~ N(0, 1) along x, by quadrature."""
    moved = length * shift
    printed, corrected = (float(Gaussian(1.0, size).delta(epsilon)) for size in (shift, max(moved, _SMALLEST)))
    if moved < _SMALLEST:
        return printed, corrected, 0.0
    edge = -(epsilon / moved + moved / 2)  # the densities' ratio is e^ε there
    gap = lambda t: math.exp(-((t + moved) ** 2) / 2) - math.exp(epsilon - t**2 / 2)  # noqa: E731
    found = integrate.quad(gap, min(edge, -moved) - _REACH, edge, epsabs=1e-13, limit=200)[0]
    return printed, corrected, found / math.sqrt(2 * math.pi)


def objpert_g_noise(rho: float, gamma: float, lam: float) -> Three:
    """The third: least variance at which two stops of ‖∇‖ ≤ γ on (λ/2)θ² have D₂ ≤ 2ρ."""
    reach = 2 * gamma / lam
    ends = [brentq(lambda t, side=side: lam * t - side * gamma, -reach, reach, xtol=1e-15) for side in (-1.0, 1.0)]
    shift = brentq(lambda s: renyi_by_quadrature(2.0, s) - 2 * rho, 1e-6, 10.0, xtol=1e-14)
    return gamma**2 / (2 * lam**2 * rho), 2 * gamma**2 / (lam**2 * rho), ((ends[1] - ends[0]) / shift) ** 2


def objpert_g_risk(lam: float, d: float, rho: float) -> Three:
    """The third: E‖θ̂ − θ*‖/γ, θ_T stopped γ/λ away from θ* and noise 2γ²/(λ²ρ), by quadrature of the noncentral χ law."""
    apart = rho / 2  # (γ/λ)² over the noise's variance
    law = stats.ncx2(d, apart)
    top = math.sqrt(apart) + math.sqrt(d) + _REACH
    mean = integrate.quad(lambda r: 2 * r * r * law.pdf(r * r), 0, top, limit=200, points=[math.sqrt(d)])[0]
    printed, corrected = 1 + math.sqrt(d * math.log(d) / rho) / lam, (1 + math.sqrt(2 * d / rho)) / lam
    return printed, corrected, math.sqrt(2 / rho) / lam * float(mean)


def objpert_j15(t: float) -> Three:
    """The third: E exp((t/2)(x² + y²)) for independent standard normal x, y, by quadrature over the radius."""
    reach = _REACH * (1 - t) ** -0.5
    mean = integrate.quad(lambda r: r * math.exp((t - 1) * r * r / 2), 0, reach, limit=200)[0]
    return (1 - t) ** -0.5, (1 - 2 * t) ** -0.5, mean


def objpert_sag(lipschitz: float) -> Three:
    """The third: of f = ½(Lθ₁² + λθ₂²) at (1, 0), λ = 1, from its difference quotient."""
    slope = lipschitz * (1.5**2 - 0.5**2) / 2
    return lipschitz**2, 2 * lipschitz**2, slope**2 / (lipschitz / 2)
