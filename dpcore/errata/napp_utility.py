"""Errata of the paper on noise-augmented training: its utility theory, and recycling."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import integrate, optimize, special, stats

from dpcore.errata.record import Erratum, Kind
from dpcore.glm import Problem
from dpcore.learners.napp.retrieval import recycle
from dpcore.learners.napp.weights import Regularizer, Weighting
from dpcore.mechanisms import Parameter

_SOURCE = "li-liu-napp"
_SIGNAL = 2.0  # Σxy of a one-dimensional design with Σx² = 1


def _coverage(shape: float, failure: float, scale: float, *, rate: bool) -> float:
    """P[X < a b log(a/π)] for a gamma variable of shape a whose second parameter b is read as a rate or as a scale."""
    return float(special.gammainc(shape, scale * shape * np.log(shape / failure) * (scale if rate else 1 / scale)))


def _covered(scale: float, shape: float, failure: float) -> float:
    """The same probability with b as a scale, by quadrature of the density."""
    end, peak = shape * scale * np.log(shape / failure), (shape - 1) * scale
    edges = sorted({0.0, min(peak, end), end})
    pieces = [integrate.quad(stats.gamma(shape, scale=scale).pdf, *ends)[0] for ends in pairwise(edges)]
    return float(sum(pieces))


def _iterate(step: float, strength: float, floor: float, noise: float) -> tuple[float, float]:
    """(θ, m) of iteration t of the printed weights m = max{Λ/|θ|, Λ₀}, from m = Λ₀, for Σx² = 1 and Σxy = 2."""
    weight, theta = floor, 0.0
    for t in range(int(step)):
        weight = max(strength / max(abs(theta), 1e-150), floor) if t else floor
        theta = (_SIGNAL - noise) / (1 + 2 * weight)
    return theta, weight


def _lemma_7(step: float, strength: float, floor: float, noise: float, *, printed: bool) -> float:
    theta, weight = _iterate(step, strength, floor, noise)
    best = max(_SIGNAL - strength, 0.0)
    gap = weight * best**2 - strength * best
    if printed:
        return noise**2 / (2 * weight) + gap
    return noise**2 / (4 * weight) + gap - (weight * theta**2 - strength * abs(theta))


def _lasso_excess(step: float, strength: float, floor: float, noise: float) -> float:
    """J(θ^(t)) − min J for J = ½(θ − 2)² + Λ|θ|, the minimum by search."""

    def risk(theta: float) -> float:
        return 0.5 * (theta - _SIGNAL) ** 2 + strength * abs(theta)

    found = optimize.minimize_scalar(risk, bounds=(-3, 3), method="bounded", options={"xatol": 1e-12})
    return risk(_iterate(step, strength, floor, noise)[0]) - float(found.fun)


def _ridge_setting(epsilon: float, share: float, failure: float) -> tuple[float, float]:
    """(Λ₀, N): the floor, and the norm that one coefficient's Laplace noise exceeds with probability π (ζ = 1)."""
    return 1 / (2 * (1 - share) * epsilon), np.log(1 / failure) / (share * epsilon)


def _theorem_8(epsilon: float, share: float, n: float, failure: float, *, printed: bool) -> float:
    """n times the bound for n records (1, 1) and no target regulariser: 1/k = 1/(2Λ₀), R(θ̂) = Λ₀, n cancels."""
    floor, norm = _ridge_setting(epsilon, share, failure)
    return norm**2 * (1 / (2 * floor) + floor) if printed else norm**2 / (2 * floor) + floor


def _ridge_excess(epsilon: float, share: float, n: float, failure: float) -> float:
    """n times the excess of the fit at |b| = N, the worse sign."""
    floor, norm = _ridge_setting(epsilon, share, failure)
    X, y = np.ones((int(n), 1)), np.ones(int(n))
    fits = [float((X.T @ y - b)[0] / ((X.T @ X)[0, 0] + 2 * floor)) for b in (-norm, norm)]
    return max(0.5 * float(np.square(X[:, 0] * theta - y).sum()) for theta in fits)


def _printed_norm(failure: float, p: float, spent: float, delta: float) -> float:
    """S.6's bound on ‖b‖ in units of the σ of Eq. (4)."""
    return np.sqrt(2 * p * -np.log(failure) * (spent + np.log(2 / delta)) / (spent - np.log(delta)))


def _safe_norm(failure: float, p: float) -> float:
    log = -np.log(failure)
    return np.sqrt(p + 2 * np.sqrt(p * log) + 2 * log)


def _two_rounds(strength: float, size: float, epsilon: float, share: float) -> tuple[float, float, float]:
    """(budget left after the first round, m of the first run, m of the second), noise −size pushing θ away from 0."""
    floor = 1 / (2 * (1 - share) * epsilon)

    def weight(noise: float, least: float) -> float:
        theta = min(noise + _SIGNAL - 2 * strength, strength / least)
        return strength / theta if theta < strength / least else least

    first = weight(size, floor)
    returned = (1 - share) * epsilon * (1 - floor / first)
    second = weight(size * share * epsilon / (share * epsilon + returned), first)
    return (1 - share) * epsilon - returned, first, second


def _second_round(strength: float, size: float, epsilon: float, share: float, *, printed: bool) -> float:
    left, first, second = _two_rounds(strength, size, epsilon, share)
    realised = 2 * second  # n_e ℓ″ V, the printed line 10 makes it the new Λ₀
    return left * max(0.0, 1 - (max(2 * first, realised) if printed else 2 * first) / realised)


def _recycled(strength: float, size: float, epsilon: float, share: float) -> float:
    """Budget left after the first round less 1/(2m), what the curvature of the second run needs, both from the app's algorithm."""
    weighting = Weighting(Regularizer("lasso", strength), 1 / (2 * (1 - share) * epsilon), "moor", printed=True)
    problem = Problem("squared", np.ones((1, 1)), np.array([_SIGNAL]), lam=0.0)
    ended = recycle(
        problem,
        weighting,
        np.array([-size]),
        rounds=1,
        noise_budget=share * epsilon,
        jacobian_budget=(1 - share) * epsilon,
    )
    needed = 1 / (2 * float(ended.settled.weights.min()))
    return max(0.0, (1 - share) * epsilon - ended.retrieved[0] - needed)


RECORDS = (
    Erratum(
        "napp-lemma17", _SOURCE, "S.6, Lemma 17",
        r"X\sim\mathrm{Gamma}(a,\ \text{rate }b):\ P(X<ab\log\tfrac a\pi)\ge1-\pi",
        r"X\sim\mathrm{Gamma}(a,\ \text{scale }b):\ \text{the same}",
        "Read as a rate, the bound fails for small b.", "probability that the bound holds (needed: 1 − π)",
        "quadrature of the gamma density with that scale",
        (
            Parameter("scale", "b", "Second parameter b", 0.5, 0.1, 5.0), Parameter("shape", "a", "Shape a", 5, 1, 20, "integer"),
            Parameter("failure", "π", "Failure probability π", 0.05, 0.001, 0.5),
        ),
        lambda scale, shape, failure: _coverage(shape, failure, scale, rate=True),
        lambda scale, shape, failure: _coverage(shape, failure, scale, rate=False),
        _covered,
        "With b as a rate the bound holds with probability {printed}; as a scale with {corrected}.",
    ),
    Erratum(
        "napp-lemma7", _SOURCE, "Lemma 7 and its proof, S.5",
        r"n\big(J(\hat\theta^*)-J(\hat\theta)\big)\le\tfrac{\|b\|^2}{k}+R^{(t)}(\hat\theta)-\Lambda R(\hat\theta)",
        r"\tfrac{\|b\|^2}{2k}+(R^{(t)}-\Lambda R)(\hat\theta)-(R^{(t)}-\Lambda R)(\hat\theta^*)",
        "The proof drops the last term, taking it for positive. While the weights still move it need not be, and the printed bound "
        "can even fall below zero. R is read as ΛR, as in Table 3.",
        "excess risk (one dimension, sum form)", "the iteration itself, and the lasso by search",
        (
            Parameter("step", "t", "Iteration t", 2, 1, 10, "integer"),
            Parameter("strength", "Λ", "Lasso weight Λ", 0.5, 0.05, 0.9),
            Parameter("floor", "Λ₀", "Floor Λ₀", 0.05, 0.01, 2.0), Parameter("noise", "b", "Noise b", 0.1, 0.0, 1.0, "linear"),
        ),
        lambda step, strength, floor, noise: _lemma_7(step, strength, floor, noise, printed=True),
        lambda step, strength, floor, noise: _lemma_7(step, strength, floor, noise, printed=False),
        _lasso_excess,
        "The printed bound is {printed}; the excess is {computed}.", kind=Kind.FAILS,
    ),
    Erratum(
        "napp-thm8", _SOURCE, "Theorem 8, Eqs. (18) and (19)",
        r"\tfrac{N^2}n\Big[\tfrac1k+R^{(t)}(\hat\theta)-\Lambda R(\hat\theta)\Big]",
        r"\tfrac1n\Big[\tfrac{N^2}k+R^{(t)}(\hat\theta)-\Lambda R(\hat\theta)\Big]",
        "N bounds ‖b‖, and only the first term contains b. As printed the loss by over-regularising vanishes with the noise.",
        "excess risk at ‖b‖ = N (n records (1, 1), sum form)", "refitting with the noise of that size",
        (
            Parameter("epsilon", "ε", "Privacy loss ε", 20.0, 1.0, 100.0),
            Parameter("share", "r", "Share of ε spent on noise, r", 0.95, 0.1, 0.99, "linear"),
            Parameter("n", "n", "Number of records n", 5, 1, 50, "integer"),
            Parameter("failure", "π", "Failure probability π", 0.05, 0.001, 0.5),
        ),
        lambda epsilon, share, n, failure: _theorem_8(epsilon, share, n, failure, printed=True),
        lambda epsilon, share, n, failure: _theorem_8(epsilon, share, n, failure, printed=False),
        _ridge_excess,
        "The printed bound is {printed}; the excess is {computed}.", kind=Kind.FAILS,
    ),
    Erratum(
        "napp-gaussian-norm", _SOURCE, "S.6, Gaussian noise",
        r"\|b\|\le\sigma\sqrt{2p\log\tfrac1\pi}\,\sqrt{\tfrac{r\epsilon+\log(2/\delta)}{r\epsilon+\log(1/\delta)}}",
        r"\|b\|\le\sigma\sqrt{p+2\sqrt{p\log\tfrac1\pi}+2\log\tfrac1\pi}",
        "For more than a few coefficients it is too small from π ≈ 0.6 on, where the tail bound it quotes does not apply; for small π "
        "it is too large, because p and log(1/π) add up instead of multiplying. Its log(2/δ) is log(1/δ) in Eq. (4).",
        "bound on ‖b‖/σ at failure probability π", "the exact quantile of the χ² law",
        (
            Parameter("failure", "π", "Failure probability π", 0.8, 0.01, 0.99, "linear"),
            Parameter("p", "p", "Number of coefficients p", 20, 1, 100, "integer"),
            Parameter("spent", "rε", "Budget of the noise rε", 0.5, 0.1, 8.0),
            Parameter("delta", "δ", "δ of (ε, δ)", 1e-4, 1e-10, 0.1),
        ),
        _printed_norm, lambda failure, p, spent, delta: _safe_norm(failure, p),
        lambda failure, p, spent, delta: np.sqrt(stats.chi2.isf(failure, p)),
        "Printed {printed}; the quantile is {computed}; {corrected} is safe.", kind=Kind.FAILS,
    ),
    Erratum(
        "napp-algorithm2", _SOURCE, "Algorithm 2, lines 10 and 11",
        r"\Lambda_0\leftarrow n_e\ell''V;\quad \Delta_\epsilon=B\Big(1-\tfrac{\max\{\Lambda_0^{\mathrm{old}},\Lambda_0\}}{n_e\ell''V}\Big)",
        r"\Delta_\epsilon=B\Big(1-\tfrac{2\Lambda_0^{\mathrm{old}}}{n_e\ell''V}\Big);\quad\Lambda_0\leftarrow\tfrac12n_e\ell''V",
        "Λ₀ is overwritten before it is compared: the ratio is 1, nothing is retrieved, and the loop ends after one round, though "
        "the text speaks of later ones. That recycling is private at all is another matter: see napp-claims.",
        "budget retrieved in the second round", "the app's Algorithm 2: the budget left, less what the curvature reached needs",
        (
            Parameter("strength", "Λ", "Lasso weight Λ", 0.75, 0.1, 0.9),
            Parameter("size", "|b|", "Noise away from 0, |b|", 1.0, 0.05, 2.0),
            Parameter("epsilon", "ε", "Privacy loss ε", 4.0, 1.0, 20.0),
            Parameter("share", "r", "Share of ε spent on noise, r", 0.5, 0.1, 0.9, "linear"),
        ),
        lambda strength, size, epsilon, share: _second_round(strength, size, epsilon, share, printed=True),
        lambda strength, size, epsilon, share: _second_round(strength, size, epsilon, share, printed=False),
        _recycled,
        "Printed {printed}; the second round leaves {computed} nats unused.",
    ),
)  # fmt: skip
