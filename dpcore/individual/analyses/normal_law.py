"""The normal law nearest to a release of any model, for the average score of the release before it is drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import linalg

from dpcore.glm.losses import find
from dpcore.individual.exact.newton import MOST_STEPS
from dpcore.individual.fit.glm import clipped
from dpcore.individual.fit.leverage import Leverage
from dpcore.mechanisms.releases import GlmRelease
from dpcore.numerics import NEGLIGIBLE

# Gauss–Hermite nodes and weights of sum 1, for averages over a standard normal. With twice as many nodes, the averages
# of smooth losses are the same to more digits than are shown of a score.
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(16)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
# Root mean variance of the predictors xᵀθ below which H counts as constant over the noise. Doubled, the change of H
# that is left out is four times as large.
_NARROW = 0.03
# _SETTLED: relative change of H, and change of the predictors, below which iterations end. _KEPT: share of the old H that
# is kept in each iteration, against oscillation. Doubled, the first doubles the error that is left, and with the second
# H would not move.
_SETTLED, _KEPT = 1e-3, 0.5


def centred(mechanism: GlmRelease, fit: Leverage, X: np.ndarray, y: np.ndarray) -> Leverage:
    r"""The fit with μ for θ̂ and H̄ for H: `GlmRelease.nearby` then gives the spread of the nearest normal law.

    .. math:: E_{N(μ, C)}\, ∇J(θ) = 0, \quad \bar H = E_{N(μ, C)}\, ∇²J(θ), \quad
              C = σ²\bar H^{-2} \text{ or } (γ\bar H)^{-1}

    For a posterior sample it is the law of smallest Kullback–Leibler divergence to it. For objective perturbation, ∇J
    has mean 0 and the covariance of the noise, as it has for the release. If the noise is small, μ = θ̂ and H̄ = H.

    Parameters
    ----------
    mechanism, fit : the release, and the fit it perturbs
    X, y : the rows of the fit, or evenly spaced ones among them; shapes (n_rows, n_features), (n_rows,)

    Notes
    -----
    The averages are over the normal law of each predictor, by Gauss–Hermite quadrature.
    """
    if mechanism.is_normal:
        return fit
    loss, law = clipped(find(mechanism.loss), mechanism.clip, X), fit
    theta, hessian = fit.theta, fit.factor @ fit.factor.T
    scale = _scale(hessian, fit.lam, loss.second_derivative(X @ theta, y), X)
    at_fit = X.T @ loss.derivative(X @ theta, y)
    with np.errstate(over="ignore", under="ignore"):
        for _ in range(MOST_STEPS):
            mean, variance = predictors(mechanism, law, X)
            if np.sqrt(variance.mean()) < _NARROW:
                break
            u = np.clip(mean + np.sqrt(variance) * _NODES[:, None], -NEGLIGIBLE, NEGLIGIBLE)
            slope, bend = _WEIGHTS @ loss.derivative(u, y), _WEIGHTS @ loss.second_derivative(u, y)
            average = scale * (X.T * bend) @ X + fit.lam * np.eye(theta.size)
            gradient = scale * (X.T @ slope - at_fit) + fit.lam * (theta - fit.theta)
            step = linalg.solve(average, gradient, assume_a="pos")
            change = np.abs(average - hessian).max() / np.abs(hessian).max()
            theta, hessian = theta - step, _KEPT * hessian + (1 - _KEPT) * average
            law = replace(fit, theta=theta, factor=linalg.cholesky(hessian, lower=True))
            if change < _SETTLED and np.abs(X @ step).max() < _SETTLED:
                break
    return law


def predictors(mechanism: GlmRelease, law: Any, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the predictor xᵀθ of each row (n_rows,), for θ of the normal law around a fit."""
    return X @ law.theta, np.square(X @ mechanism.nearby(law, np.eye(law.theta.size))).sum(axis=1)


def _scale(hessian: np.ndarray, lam: float, bend: np.ndarray, X: np.ndarray) -> float:
    """How many rows of the fit each of these rows represents, from the trace of the Hessian."""
    own = float(bend @ np.square(X).sum(axis=1))
    rest = float(np.trace(hessian)) - lam * len(hessian)
    return rest / own if own > 0 and rest > 0 else 1.0
