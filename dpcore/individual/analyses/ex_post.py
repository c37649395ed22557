"""What one published θ says about each record: the realised log ratio of objective perturbation, for any smooth GLM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
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
    problem, theta, sigma = _checked(dataset, theta, sigma, lam, loss, clip)
    slope, bend, leverage, along = _at(problem, theta, dataset.X, dataset.y)
    rest = 1 - bend * leverage
    for row in np.flatnonzero(rest < NEARLY_DECISIVE):
        X, y = np.delete(dataset.X, row, axis=0), np.delete(dataset.y, row)
        others = Problem(problem.loss, X, y, lam=lam, clip=clip)
        rest[row] = 1 / (1 + bend[row] * _leverage(others, theta, dataset.X[row : row + 1])[0])
    volume = -np.log(rest)
    size, alignment = _terms(dataset.X, slope, along, sigma)
    return ExPost(volume + size + alignment, volume, size, alignment)


def ex_post_added(
    dataset: Dataset, theta: Any, X: np.ndarray, y: np.ndarray, *, sigma: float, lam: float, loss: Any = "logistic"
) -> ExPost:
    r"""Realised loss of records that are not in the data set, log p_{Z∪z}(θ)/p_Z(θ), for θ released from the data set.

    .. math:: \log\frac{p_{Z∪z}(θ)}{p_Z(θ)} = \log(1 + f''μ) − \frac{f'^2‖x‖²}{2σ²} + \frac{f'\, b_Z^⊤x}{σ²}

    Parameters
    ----------
    dataset : the rows it was released from
    theta : the release (n_features,)
    X, y : arrays (n_records, n_features) and (n_records,)
    sigma, lam : noise σ and penalty λ of the release
    loss : name in `LOSSES`, or a `Loss`

    Raises
    ------
    ParameterError

    References: redberg-koskela-wang-2023.
    """
    problem, theta, sigma = _checked(dataset, theta, sigma, lam, loss)
    X, y = validation.real_array("X", X), validation.real_array("y", y)
    if X.ndim != 2 or X.shape[1] != dataset.n_features or y.shape != (len(X),):
        raise ParameterError(f"X must have {dataset.n_features} columns and y one entry per row of X")
    slope, bend, leverage, along = _at(problem, theta, X, y)
    volume = np.log1p(bend * leverage)
    size, alignment = _terms(X, slope, along, sigma)
    return ExPost(volume - size + alignment, volume, -size, alignment)


def _checked(
    dataset: Dataset, theta: Any, sigma: float, lam: float, loss: Any, clip: float | None = None
) -> tuple[Problem, np.ndarray, float]:
    problem = Problem(loss, dataset.X, dataset.y, lam=validation.positive("lam", lam), clip=clip)
    return problem, problem.vector("theta", theta), validation.positive("sigma", sigma)


def _at(problem: Problem, theta: np.ndarray, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, ...]:
    """f', f'', xᵀ(∇²J)⁻¹x and b_Zᵀx of records at θ."""
    u = X @ theta
    along = -X @ problem.gradient(theta)
    loss = clipped(problem.loss, problem.clip, X)
    return loss.derivative(u, y), loss.second_derivative(u, y), _leverage(problem, theta, X), along


def _leverage(problem: Problem, theta: np.ndarray, X: np.ndarray) -> np.ndarray:
    """xᵀ(∇²J)⁻¹x of records at θ."""
    factor = linalg.cholesky(problem.hessian(theta), lower=True)
    return np.square(linalg.solve_triangular(factor, X.T, lower=True)).sum(axis=0)


def _terms(X: np.ndarray, slope: np.ndarray, along: np.ndarray, sigma: float) -> tuple[np.ndarray, np.ndarray]:
    scaled = slope / sigma
    return 0.5 * np.square(scaled) * np.square(X).sum(axis=1), scaled * along / sigma
