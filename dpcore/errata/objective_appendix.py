"""Errata of the paper on objective perturbation: Lemma 3.4 and its Appendices G and J."""

from __future__ import annotations

import math

from scipy import integrate, stats
from scipy.optimize import brentq

from dpcore.errata.record import Erratum, Kind
from dpcore.mechanisms import Gaussian, Parameter

_SOURCE = "redberg-koskela-wang-2023"
_RHO = Parameter("rho", "ρ", "zCDP of the output noise ρ", 0.5, 1e-3, 1.0)
_LAMBDA = Parameter("lam", "λ", "Regularisation λ", 0.1, 0.01, 10.0)
_REACH = 12.0  # standard deviations
_SMALLEST = 1e-12


def _linear_pair_delta(epsilon: float, moved: float) -> float:
    """δ between the minimisers −(x + b) and −b of a linear loss and of none, b ~ N(0, 1) along x, ‖x‖ = `moved`, by quadrature."""
    if moved < _SMALLEST:
        return 0.0
    edge = -(epsilon / moved + moved / 2)  # the densities' ratio is e^ε there

    def gap(theta: float) -> float:
        return math.exp(-((theta + moved) ** 2) / 2) - math.exp(epsilon - theta**2 / 2)

    start = min(edge, -moved) - _REACH
    return integrate.quad(gap, start, edge, epsabs=1e-13, limit=200)[0] / math.sqrt(2 * math.pi)


def _renyi_of_order_2(shift: float) -> float:
    """D₂(N(Δ, 1)‖N(0, 1)), by quadrature."""
    square = integrate.quad(
        lambda x: math.exp(-((x - shift) ** 2) + x * x / 2 - shift**2),
        2 * shift - _REACH,
        2 * shift + _REACH,
        limit=300,
    )[0]
    return shift**2 + math.log(square / math.sqrt(2 * math.pi))


def _needed_variance(rho: float, gamma: float, lam: float) -> float:
    """Least variance at which two stops of ‖∇‖ ≤ γ on (λ/2)θ² have D₂ ≤ 2ρ."""
    reach = 2 * gamma / lam
    ends = [brentq(lambda t, side=side: lam * t - side * gamma, -reach, reach, xtol=1e-15) for side in (-1.0, 1.0)]
    shift = brentq(lambda s: _renyi_of_order_2(s) - 2 * rho, 1e-6, 10.0, xtol=1e-14)
    return float(((ends[1] - ends[0]) / shift) ** 2)


def _mean_distance(lam: float, d: float, rho: float) -> float:
    """E‖θ̂ − θ*‖/γ, θ_T stopped γ/λ away from θ* and noise 2γ²/(λ²ρ), by quadrature of the noncentral χ law."""
    scale, apart = math.sqrt(2 / rho) / lam, rho / 2  # apart: (γ/λ)² over the noise's variance
    law = stats.ncx2(d, apart)
    top = math.sqrt(apart) + math.sqrt(d) + _REACH
    mean = integrate.quad(lambda r: 2 * r * r * law.pdf(r * r), 0, top, limit=200, points=[math.sqrt(d)])[0]
    return scale * float(mean)


def _both_squares(t: float) -> float:
    """E exp((t/2)(x² + y²)) for independent standard normal x, y, by quadrature over the radius."""
    width = (1 - t) ** -0.5
    return integrate.quad(lambda r: r * math.exp((t - 1) * r * r / 2), 0, _REACH * width, limit=200)[0]


RECORDS = (
    Erratum(
        "objpert-34-all", _SOURCE, "Lemma 3.4, “for all … neighboring datasets”",
        r"\text{for all }Z\simeq Z':\ H_\alpha\ge H_\alpha(N(0,\sigma^2)\,\|\,N(L,\sigma^2))",
        r"\text{there are }Z\simeq Z':\ H_\alpha\ge H_\alpha(N(0,\sigma^2)\,\|\,N(L,\sigma^2))",
        "A lower bound on the worst pair is not one on every pair: read as printed, no record could be better protected than the "
        "worst, and per-instance privacy would be empty.",
        "δ(ε) of the proof's own linear loss, with a record of length ‖x‖", "quadrature of the two minimisers' densities",
        (
            Parameter("length", "‖x‖/L", "Length of the record over L", 0.5, 0.0, 1.0, "linear"),
            Parameter("epsilon", "ε", "Privacy loss ε", 0.5, 0.0, 3.0, "linear"),
            Parameter("shift", "L/σ", "Lipschitz constant over noise, L/σ", 1.0, 0.05, 5.0),
        ),
        lambda length, epsilon, shift: float(Gaussian(1.0, shift).delta(epsilon)),
        lambda length, epsilon, shift: float(Gaussian(1.0, max(length * shift, _SMALLEST)).delta(epsilon)),
        lambda length, epsilon, shift: _linear_pair_delta(epsilon, length * shift),
        "Printed at least {printed} for every pair; this pair has {computed}.",
    ),
    Erratum(
        "objpert-g-noise", _SOURCE, "Appendix G, output noise",
        r"\hat\theta=\theta_T+N\big(0,\tfrac{\gamma^2}{2\lambda^2\rho}I\big)",
        r"\hat\theta=\theta_T+N\big(0,\tfrac{2\gamma^2}{\lambda^2\rho}I\big)",
        "Two runs that stop at ‖∇‖ ≤ γ can end 2γ/λ apart, once on either side of the minimiser. The printed noise is sized for γ/λ "
        "and spends 4ρ.",
        "variance of the output noise that ρ asks for", "two stops on either side of a minimiser, and quadrature of their divergence",
        (_RHO, Parameter("gamma", "γ", "Gradient norm at the stop γ", 0.01, 1e-4, 1.0), _LAMBDA),
        lambda rho, gamma, lam: gamma**2 / (2 * lam**2 * rho), lambda rho, gamma, lam: 2 * gamma**2 / (lam**2 * rho),
        _needed_variance,
        "Printed {printed}; ρ asks for {computed}: the printed noise spends 4ρ.", kind=Kind.FAILS,
    ),
    Erratum(
        "objpert-g-risk", _SOURCE, "Appendix G, excess risk",
        r"nG\gamma\Big(1+\tfrac1\lambda\sqrt{\tfrac{d\log d}\rho}\Big)", r"\tfrac{nG\gamma}\lambda\Big(1+\sqrt{\tfrac{2d}\rho}\Big)",
        "A gradient of norm γ leaves a distance of γ/λ, not γ; and log d is 0 for d = 1, where the noise is not. The corrected form is "
        "for the noise that ρ asks for. γ chosen by the display is too large.",
        "expected excess over nGγ, for losses G‖θ − θ*‖", "quadrature of the distance's law",
        (_LAMBDA, Parameter("d", "d", "Dimension d", 2, 1, 20, "integer"), _RHO),
        lambda lam, d, rho: 1 + math.sqrt(d * math.log(d) / rho) / lam, lambda lam, d, rho: (1 + math.sqrt(2 * d / rho)) / lam,
        _mean_distance,
        "Printed at most {printed}; it is {computed}, and never more than {corrected}.", kind=Kind.FAILS,
    ),
    Erratum(
        "objpert-j15", _SOURCE, "Lemma J.15, middle line",
        r"\mathbb{E}e^{\frac t2x^2}e^{\frac t2y^2}\le\sqrt{\mathbb{E}e^{\frac t2x^2}\,\mathbb{E}e^{\frac t2y^2}}=\mathbb{E}e^{tz^2}",
        r"\mathbb{E}e^{\frac t2x^2}e^{\frac t2y^2}\le\sqrt{\mathbb{E}e^{tx^2}\,\mathbb{E}e^{ty^2}}=\mathbb{E}e^{tz^2}",
        "Cauchy and Schwarz square both factors. The printed root is smaller than its left side and not equal to its right; the lemma "
        "itself holds.",
        "E exp(tx²/2) exp(ty²/2), independent x and y, σ = 1", "quadrature over the radius of (x, y)",
        (Parameter("t", "t", "Exponent t", 0.3, 0.02, 0.49, "linear"),),
        lambda t: (1 - t) ** -0.5, lambda t: (1 - 2 * t) ** -0.5, _both_squares,
        "The printed line allows {printed}; the mean is {computed}; with the squares it allows {corrected}.", kind=Kind.FAILS,
    ),
)  # fmt: skip
