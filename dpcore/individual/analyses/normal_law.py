"""The normal law nearest to a release of any model: what it is worth on average, before it is drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import linalg

from dpcore.glm.losses import find
from dpcore.individual.fit.glm import clipped
from dpcore.individual.fit.leverage import Leverage
from dpcore.mechanisms.releases import GlmRelease

# With twice as many nodes the averages of smooth losses are the same to more digits than a score is told to.
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(16)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
# Spread of the predictors up to which H does not change over the noise; doubled, the change of H that is left out is four times as large.
_NARROW = 0.03
# Rounds at most, the change of H and of the predictors that ends them, and the share of the old H that is kept against swinging;
# doubled, the first is not reached, the second doubles what is left out, and with the third nothing would move.
_ROUNDS, _SETTLED, _KEPT = 40, 1e-3, 0.5
# Of a predictor, beyond which e^u says nothing; doubled, its square is still a number.
_FARTHEST = 60.0


def centred(mechanism: GlmRelease, fit: Leverage, X: np.ndarray, y: np.ndarray) -> Leverage:
    r"""The fit with μ for θ̂ and H̄ for H, so that `GlmRelease.nearby` is the spread of the normal law nearest to the release.

    .. math:: E_{N(μ, C)}\, ∇J(θ) = 0, \quad \bar H = E_{N(μ, C)}\, ∇²J(θ), \quad
              C = σ²\bar H^{-2} \text{ or } (γ\bar H)^{-1}

    Of a posterior sample it is the law of smallest Kullback–Leibler divergence to it; of objective perturbation the mean of
    ∇J is 0 and its covariance that of the noise, as they are for the release. Where the noise is small, μ = θ̂ and H̄ = H.

    Parameters
    ----------
    mechanism, fit : the release, and the fit it perturbs
    X, y : rows the fit was made from, or evenly spaced ones among them (n_rows, n_features), (n_rows,)

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
        for _ in range(_ROUNDS):
            mean, variance = predictors(mechanism, law, X)
            if np.sqrt(variance.mean()) < _NARROW:
                break
            u = np.clip(mean + np.sqrt(variance) * _NODES[:, None], -_FARTHEST, _FARTHEST)
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
    """Mean and variance of the predictor xᵀθ of each row (n_rows,), θ normal around a fit."""
    return X @ law.theta, np.square(X @ mechanism.nearby(law, np.eye(law.theta.size))).sum(axis=1)


def _scale(hessian: np.ndarray, lam: float, bend: np.ndarray, X: np.ndarray) -> float:
    """How many rows of the fit each of these stands for, by the trace of the Hessian."""
    own = float(bend @ np.square(X).sum(axis=1))
    rest = float(np.trace(hessian)) - lam * len(hessian)
    return rest / own if own > 0 and rest > 0 else 1.0
