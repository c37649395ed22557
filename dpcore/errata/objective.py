"""Numbers of the errata of objective perturbation: its theorems on privacy, and its Appendices G and J.

Each function returns the number as printed, as corrected, and computed without either, which is called “the third”.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import integrate, special, stats
from scipy.optimize import brentq

from dpcore.errata.record import Three
from dpcore.mechanisms import Gaussian, ObjectivePerturbation
from dpcore.numerics import panel_rule

_REACH, _NEAR = 40.0, 12.0  # lengths of long and of short ranges of integration, in standard deviations
_SMALLEST = 1e-12  # shift below which δ counts as 0
_ROWS = np.array([[0.8, -0.2, 0.1], [0.1, 0.9, 0.3], [-0.4, 0.2, 0.7]])  # three records beside the one that joins
_NODES = 4  # nodes on a panel of the tight curves
_LARGEST_ORDER = 50.0  # Rényi order for which the tight curves must reach far enough


def _density(x: float, mean: float = 0.0, width: float = 1.0) -> float:
    return math.exp(-0.5 * ((x - mean) / width) ** 2) / (width * math.sqrt(2 * math.pi))


def _crossing_delta(epsilon: float, shift: float, log_threshold: float) -> float:
    """Theorem 3.1 with the second branch taken at H_{exp(log_threshold)}; ε is already the shifted ε̂ + Δ²/2."""
    beyond, gaussian = epsilon - shift**2 / 2, Gaussian(1.0, shift)
    if beyond >= 0:
        return min(1.0, 2 * float(gaussian.delta(epsilon)))
    return -np.expm1(beyond) + np.exp(beyond) * 2 * float(gaussian.delta(log_threshold))


def _loss_variable_delta(epsilon: float, shift: float, kappa: float) -> float:
    """E[1 − e^{ε−ω}]₊ with ω = |log(1−β/λ)| + Δ²/2 + |N(0, Δ²)|, by quadrature."""
    start = -np.log1p(-kappa) + shift**2 / 2
    low = max(0.0, epsilon - start)
    integrand = lambda s: 2 * _density(s, 0, shift) * max(0.0, -np.expm1(epsilon - start - s))  # noqa: E731
    return float(integrate.quad(integrand, low, low + _REACH * shift, epsabs=1e-14, limit=300)[0])


def objpert_31_threshold(epsilon: float, shift: float, kappa: float) -> Three:
    moved = epsilon + np.log1p(-kappa)
    printed, corrected = (_crossing_delta(moved, shift, threshold) for threshold in (shift**2, shift**2 / 2))
    return printed, corrected, _loss_variable_delta(epsilon, shift, kappa)


def objpert_31_sign(epsilon: float, shift: float, kappa: float) -> Three:
    term = np.log1p(-kappa)
    printed, corrected = (_crossing_delta(moved, shift, shift**2 / 2) for moved in (epsilon - term, epsilon + term))
    return printed, corrected, _loss_variable_delta(epsilon, shift, kappa)


def _mean_absolute(shift: float) -> float:
    return shift * np.sqrt(2 / np.pi)


def _log_moment(rate: float, shift: float) -> float:
    """log E e^{t|X|} of X ~ N(0, Δ²), by quadrature around the peak."""
    peak = max(rate * shift**2, 0.0)
    weight = lambda s: 2 * _density(s, 0, shift) * np.exp(rate * (s - peak))  # noqa: E731
    value = integrate.quad(weight, 0, peak + 20 * shift, limit=300, points=[peak] if peak else None)[0]
    return float(rate * peak + np.log(value))


def _closed_log_moment(rate: float, shift: float) -> float:
    return float(np.log(2) + special.log_ndtr(rate * shift) + (rate * shift) ** 2 / 2)


def objpert_32_alpha1(shift: float) -> Three:
    return _log_moment(1.0, shift), _mean_absolute(shift), _log_moment(1e-4, shift) / 1e-4


def objpert_32_log(order: float, shift: float) -> Three:
    closed = _closed_log_moment(order - 1, shift)
    return np.exp(closed), closed / (order - 1), _log_moment(order - 1, shift) / (order - 1)


def objpert_d6(epsilon: float, shift: float) -> Three:
    closed = epsilon + _closed_log_moment(-1.0, shift)
    return np.exp(closed), -np.expm1(closed), 1 - np.exp(epsilon + _log_moment(-1.0, shift))


def _renyi_by_quadrature(order: float, shift: float) -> float:
    """D_α(N(Δ, 1)‖N(0, 1))."""
    peak = order * shift

    def integrand(x: float) -> float:
        scaled = np.exp(-0.5 * order * (x - shift) ** 2 - 0.5 * (1 - order) * x**2 - order * (order - 1) * shift**2 / 2)
        return scaled / np.sqrt(2 * np.pi)

    value = integrate.quad(integrand, peak - 12, peak + 12, limit=300)[0]
    return float(order * shift**2 / 2 + np.log(value) / (order - 1))


def objpert_rem3_3(order: float, shift: float) -> Three:
    half = order * shift**2 / 2
    return (half + order * half) / (order - 1), half, _renyi_by_quadrature(order, shift)


def objpert_L2(lipschitz: float, sigma: float) -> Three:
    """The third: the Kullback–Leibler divergence by quadrature."""
    log_ratio = lambda x: (x**2 - (x - lipschitz) ** 2) / (2 * sigma**2)  # noqa: E731
    span = (lipschitz - 12 * sigma, lipschitz + 12 * sigma)
    found = integrate.quad(lambda x: _density(x, lipschitz, sigma) * log_ratio(x), *span, limit=300)[0]
    return lipschitz / (2 * sigma**2), lipschitz**2 / (2 * sigma**2), found


def objpert_lemmaD6(shift: float, kappa: float) -> Three:
    """Mass of Q on [0, ∞) with (t ∓ L)² in its exponent, noise 1; the third: E_P[e^{−ω}], what Q must have where P lives."""
    printed, corrected = (
        (1 - kappa) * integrate.quad(lambda t, m=mean: 2 * _density(t, m), 0, _REACH)[0] for mean in (shift, -shift)
    )
    return printed, corrected, (1 - kappa) * np.exp(_log_moment(-1.0, shift) - shift**2 / 2)


def objpert_u2(u: float, lipschitz: float) -> Three:
    ratio = stats.norm.logpdf(u) - stats.norm.logpdf(u, -lipschitz)
    return lipschitz * u**2, lipschitz * u, abs(ratio - lipschitz**2 / 2)


def _objective(shift: float, kappa: float, bound: str, **options: Any) -> ObjectivePerturbation:
    return ObjectivePerturbation(sigma=1 / shift, lam=1 / kappa, lipschitz=1.0, smoothness=1.0, bound=bound, **options)


def objpert_plus(shift: float, kappa: float) -> Three:
    leading, middle, random = -np.log1p(-kappa), shift**2 / 2, _mean_absolute(shift)
    computed = float(_objective(shift, kappa, "renyi").renyi(1.0))
    return leading + middle * random, leading + middle + random, computed


def objpert_hessian_lambda(lam: float, curvature: float) -> Three:
    """The third: variance of a quadratic problem's minimiser under unit noise, from two solves."""
    step = 1e-3
    minimise = [-b / (curvature + lam) for b in (-step, step)]
    return (curvature + 1) ** -2.0, (curvature + lam) ** -2.0, ((minimise[1] - minimise[0]) / (2 * step)) ** 2


def objpert_det_loose(kappa: float) -> Three:
    """The third: largest |log det H' − log det H| over directions of one record, with and without three other records (λ = 1)."""
    largest = 0.0
    for rows in (_ROWS, 1e-6 * _ROWS):
        hessian = rows.T @ rows + np.eye(3)
        x = np.linalg.eigh(hessian)[1][:, 0]
        joined = hessian + kappa * np.outer(x, x)
        largest = max(largest, abs(np.linalg.slogdet(joined)[1] - np.linalg.slogdet(hessian)[1]))
    return -np.log1p(-kappa), np.log1p(kappa), largest


@lru_cache(maxsize=16)
def _tight_curves(shift: float, kappa: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(ε, log weights of a quadrature over it, log δ added, log δ removed) of the tight profile, far enough for every order."""
    jump = float(np.log1p(kappa))
    near = np.array([0.0, jump / 4, jump / 2, jump, 2 * jump, shift / 2])
    far = jump + _LARGEST_ORDER * shift**2 + 14 * shift
    edges = np.union1d(near, np.arange(shift, far + shift, shift / 2))
    epsilon, weights = (part.ravel() for part in panel_rule(edges, _NODES))
    mechanism = _objective(shift, kappa, "tight")
    return epsilon, np.log(weights), *(mechanism.log_delta(epsilon, direction=one) for one in ("add", "remove"))


def objpert_linearised(order: float, shift: float, kappa: float) -> Three:
    """The second: D_α of the tight profile, in the worse direction, from δ(ε) in both (Sason and Verdú)."""
    epsilon, weights, add, remove = _tight_curves(shift, kappa)
    logs = [
        special.logsumexp(weights + np.logaddexp((order - 1) * epsilon + one, other - order * epsilon))
        for one, other in ((add, remove), (remove, add))
    ]
    tight = np.logaddexp(0.0, np.log(order * (order - 1)) + max(logs)) / (order - 1)
    linearised = _objective(shift, kappa, "linearised", dimension=2)
    return float(linearised.renyi(order)), tight, _renyi_by_quadrature(order, shift)


def objpert_c1_scale(sigma: float, order: float, kappa: float, q: float) -> Three:
    """log E e^{tz²} with t = q(α−1)κ for z ~ N(0, σ²) and N(0, 1), ∞ where it diverges; the third by quadrature."""
    t = q * (order - 1) * kappa
    printed, corrected = (-0.5 * np.log1p(-2 * s) if 2 * s < 1 else np.inf for s in (t * sigma**2, t))
    if 2 * t >= 1:
        return printed, corrected, np.inf
    reach = 12 * (1 - 2 * t) ** -0.5
    mass = integrate.quad(lambda z: np.exp((t - 0.5) * z * z), -reach, reach, limit=300)[0]
    return printed, corrected, np.log(mass / np.sqrt(2 * np.pi))


def objpert_e2(theta: float, lam: float) -> Three:
    """−log(1 + 1/λ) + ½∇ℓ² + ∇J·∇ℓ for ℓ = ½(θ − 1)², J = (λ/2)θ², σ = 1; the third from two densities."""
    slope = theta - 1
    corrected = -np.log1p(1 / lam) + slope**2 / 2 + lam * theta * slope
    one, other = stats.norm(0.0, 1 / lam), stats.norm(1 / (lam + 1), 1 / (lam + 1))
    return abs(corrected), corrected, one.logpdf(theta) - other.logpdf(theta)


def objpert_34_all(length: float, epsilon: float, shift: float) -> Three:
    """The third: δ between the minimisers −(x + b) and −b of a linear loss and of none, b ~ N(0, 1) along x, by quadrature."""
    moved = length * shift
    printed, corrected = (float(Gaussian(1.0, size).delta(epsilon)) for size in (shift, max(moved, _SMALLEST)))
    if moved < _SMALLEST:
        return printed, corrected, 0.0
    edge = -(epsilon / moved + moved / 2)  # the densities' ratio is e^ε there
    gap = lambda t: math.exp(-((t + moved) ** 2) / 2) - math.exp(epsilon - t**2 / 2)  # noqa: E731
    found = integrate.quad(gap, min(edge, -moved) - _NEAR, edge, epsabs=1e-13, limit=200)[0]
    return printed, corrected, found / math.sqrt(2 * math.pi)


def objpert_g_noise(rho: float, gamma: float, lam: float) -> Three:
    """The third: least variance at which two stops of ‖∇‖ ≤ γ on (λ/2)θ² have D₂ ≤ 2ρ."""
    reach = 2 * gamma / lam
    ends = [brentq(lambda t, side=side: lam * t - side * gamma, -reach, reach, xtol=1e-15) for side in (-1.0, 1.0)]
    shift = brentq(lambda s: _renyi_by_quadrature(2.0, s) - 2 * rho, 1e-6, 10.0, xtol=1e-14)
    return gamma**2 / (2 * lam**2 * rho), 2 * gamma**2 / (lam**2 * rho), ((ends[1] - ends[0]) / shift) ** 2


def objpert_g_risk(lam: float, d: float, rho: float) -> Three:
    """The third: E‖θ̂ − θ*‖/γ, θ_T stopped γ/λ away from θ* and noise 2γ²/(λ²ρ), by quadrature of the noncentral χ law."""
    apart = rho / 2  # (γ/λ)² over the noise's variance
    law = stats.ncx2(d, apart)
    top = math.sqrt(apart) + math.sqrt(d) + _NEAR
    mean = integrate.quad(lambda r: 2 * r * r * law.pdf(r * r), 0, top, limit=200, points=[math.sqrt(d)])[0]
    printed, corrected = 1 + math.sqrt(d * math.log(d) / rho) / lam, (1 + math.sqrt(2 * d / rho)) / lam
    return printed, corrected, math.sqrt(2 / rho) / lam * float(mean)


def objpert_j15(t: float) -> Three:
    """The third: E exp((t/2)(x² + y²)) for independent standard normal x, y, by quadrature over the radius."""
    reach = _NEAR * (1 - t) ** -0.5
    mean = integrate.quad(lambda r: r * math.exp((t - 1) * r * r / 2), 0, reach, limit=200)[0]
    return (1 - t) ** -0.5, (1 - 2 * t) ** -0.5, mean


def objpert_sag(lipschitz: float) -> Three:
    """The third: of f = ½(Lθ₁² + λθ₂²) at (1, 0), λ = 1, from its difference quotient."""
    slope = lipschitz * (1.5**2 - 0.5**2) / 2
    return lipschitz**2, 2 * lipschitz**2, slope**2 / (lipschitz / 2)
