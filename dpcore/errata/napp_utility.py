"""Numbers of the errata of noise-augmented training: its utility theory, and recycling."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import integrate, special, stats

from dpcore.errata.napp import SIGNAL, lasso, lasso_risk
from dpcore.errata.record import Three
from dpcore.glm import Problem
from dpcore.learners.napp.retrieval import recycle
from dpcore.learners.napp.weights import Regularizer, Weighting


def napp_lemma17(scale: float, shape: float, failure: float) -> Three:
    """P[X < a b log(a/π)] of a gamma variable of shape a, with b as a rate, as a scale, and that by quadrature."""
    reach = shape * np.log(shape / failure)
    end, peak = reach * scale, (shape - 1) * scale
    pieces = pairwise(sorted({0.0, min(peak, end), end}))
    covered = sum(integrate.quad(stats.gamma(shape, scale=scale).pdf, *ends)[0] for ends in pieces)
    return special.gammainc(shape, reach * scale**2), special.gammainc(shape, reach), covered


def napp_lemma7(step: float, strength: float, floor: float, noise: float) -> Three:
    """After iteration t of the printed weights m = max{Λ/|θ|, Λ₀}, from m = Λ₀, for Σx² = 1 and Σxy = 2."""
    weight, theta = floor, 0.0
    for t in range(int(step)):
        weight = max(strength / max(abs(theta), 1e-150), floor) if t else floor
        theta = (SIGNAL - noise) / (1 + 2 * weight)
    best = max(SIGNAL - strength, 0.0)
    gap = weight * best**2 - strength * best
    corrected = noise**2 / (4 * weight) + gap - (weight * theta**2 - strength * abs(theta))
    excess = lasso_risk(theta, strength) - lasso_risk(lasso(strength), strength)
    return noise**2 / (2 * weight) + gap, corrected, excess


def napp_thm8(epsilon: float, share: float, n: float, failure: float) -> Three:
    """n times the bound for n records (1, 1) and no target regulariser: 1/k = 1/(2Λ₀), R(θ̂) = Λ₀; refits at |b| = N."""
    floor = 1 / (2 * (1 - share) * epsilon)
    norm = np.log(1 / failure) / (share * epsilon)  # of one coefficient's Laplace noise, exceeded with probability π
    X, y = np.ones((int(n), 1)), np.ones(int(n))
    fits = [float((X.T @ y - b)[0] / ((X.T @ X)[0, 0] + 2 * floor)) for b in (-norm, norm)]
    excess = max(0.5 * float(np.square(X[:, 0] * theta - y).sum()) for theta in fits)
    return norm**2 * (1 / (2 * floor) + floor), norm**2 / (2 * floor) + floor, excess


def napp_gaussian_norm(failure: float, p: float, spent: float, delta: float) -> Three:
    log = -np.log(failure)
    printed = np.sqrt(2 * p * log * (spent + np.log(2 / delta)) / (spent - np.log(delta)))
    return printed, np.sqrt(p + 2 * np.sqrt(p * log) + 2 * log), np.sqrt(stats.chi2.isf(failure, p))


def _two_rounds(strength: float, size: float, epsilon: float, share: float) -> Three:
    """(budget left after the first round, m of the first run, m of the second), noise −size pushing θ away from 0."""
    floor = 1 / (2 * (1 - share) * epsilon)

    def weight(noise: float, least: float) -> float:
        theta = min(noise + SIGNAL - 2 * strength, strength / least)
        return strength / theta if theta < strength / least else least

    first = weight(size, floor)
    returned = (1 - share) * epsilon * (1 - floor / first)
    second = weight(size * share * epsilon / (share * epsilon + returned), first)
    return (1 - share) * epsilon - returned, first, second


def _recycled(strength: float, size: float, epsilon: float, share: float) -> float:
    """Budget left after the first round less 1/(2m), what the curvature of the second run needs, by the app's algorithm."""
    spent, rest = share * epsilon, (1 - share) * epsilon
    weighting = Weighting(Regularizer("lasso", strength), 1 / (2 * rest), "moor", printed=True)
    problem = Problem("squared", np.ones((1, 1)), np.array([SIGNAL]), lam=0.0)
    ended = recycle(problem, weighting, np.array([-size]), rounds=1, noise_budget=spent, jacobian_budget=rest)
    return max(0.0, rest - ended.retrieved[0] - 1 / (2 * float(ended.settled.weights.min())))


def napp_algorithm2(strength: float, size: float, epsilon: float, share: float) -> Three:
    left, first, second = _two_rounds(strength, size, epsilon, share)
    old = max(first, second)  # the printed line 10 overwrites the old Λ₀ with the new curvature
    printed, corrected = (left * max(0.0, 1 - one / second) for one in (old, first))
    return printed, corrected, _recycled(strength, size, epsilon, share)


def _noise_level(p: float) -> float:
    """p log(p/π): the bound on the spherical Laplace noise of Theorem 8 at ζ = rε = 1, π = 0.05."""
    return float(p * np.log(p / 0.05))


def napp_thm8_order(p: float) -> Three:
    return 2.0, 4.0, (_noise_level(p * p) / (p * _noise_level(p))) ** 2


def napp_thm10(p: float, delta: float) -> Three:
    size = p * (1 + np.log(2 / delta)) * np.log(20)
    of_laplace = 2 * _noise_level(p) ** 2 / _noise_level(p) ** 2  # C over the bound on ‖b‖²
    return 4 * size, 8 * size, of_laplace * (4 * size)
