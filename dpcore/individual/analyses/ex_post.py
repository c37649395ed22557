"""What one published θ says about each record: the realised log ratio of objective perturbation, for any smooth GLM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.glm import Problem
from dpcore.individual.fit.glm import clipped
from dpcore.individual.fit.leverage import NEARLY_DECISIVE


@dataclass(frozen=True, eq=False)
class ExPost:
    r"""Realised privacy loss of each row at a published θ, shapes (n_samples,), nats.

    .. math:: \log\frac{p_Z(θ)}{p_{Z∖z}(θ)} = −\log(1 − f''μ_Z) + \frac{f'^2‖x‖²}{2σ²} + \frac{f'\, b_Z^⊤x}{σ²}, \quad
              b_Z = −∇J(θ; Z), \quad μ_Z = x^⊤(∇²J(θ; Z))^{-1}x

    Parameters
    ----------
    loss : the log ratio; positive where θ speaks for the row being in the data
    volume, size, alignment : its three terms in the order of the equation
    """

    loss: np.ndarray
    volume: np.ndarray
    size: np.ndarray
    alignment: np.ndarray


def ex_post(
    dataset: Dataset, theta: Any, *, sigma: float, lam: float, loss: Any = "logistic", clip: float | None = None
) -> ExPost:
    """Realised loss of every row of the data set, after θ was released by objective perturbation.

    Parameters
    ----------
    dataset : Dataset
    theta : array (n_features,), the exact minimiser of Σf + (λ/2)‖θ‖² + bᵀθ, b ~ N(0, σ²I)
    sigma, lam : noise and penalty of the release
    loss : name in `LOSSES`, or a `Loss`
    clip : the norm that gradients are clipped to, or None

    Raises
    ------
    ParameterError

    References: redberg-koskela-wang-2023 (Theorem E.2, Lemmas J.6, J.7), lecture-10 (Lemma 10.1).
    """
    problem = Problem(loss, dataset.X, dataset.y, lam=validation.positive("lam", lam), clip=clip)
    X, y, theta = problem.X, problem.y, problem.vector("theta", theta)
    model, u, sigma = clipped(problem.loss, clip, X), X @ theta, validation.positive("sigma", sigma)
    slope, bend = model.derivative(u, y) / sigma, model.second_derivative(u, y)
    rest = 1 - bend * _leverage(problem, theta, X)
    for row in np.flatnonzero(rest < NEARLY_DECISIVE):
        others = Problem(problem.loss, np.delete(X, row, axis=0), np.delete(y, row), lam=lam, clip=clip)
        rest[row] = 1 / (1 + bend[row] * _leverage(others, theta, X[row : row + 1])[0])
    volume, size = -np.log(rest), 0.5 * np.square(slope) * np.square(X).sum(axis=1)
    alignment = slope * (-X @ problem.gradient(theta)) / sigma
    return ExPost(volume + size + alignment, volume, size, alignment)


def _leverage(problem: Problem, theta: np.ndarray, X: np.ndarray) -> np.ndarray:
    """xᵀ(∇²J)⁻¹x of records at θ."""
    factor = linalg.cholesky(problem.hessian(theta), lower=True)
    return np.square(linalg.solve_triangular(factor, X.T, lower=True)).sum(axis=0)
