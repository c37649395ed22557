"""One release by objective perturbation, and what it says about each row."""

from __future__ import annotations

import numpy as np

from dpcore.data.dataset import Dataset
from dpcore.glm import Problem, solve
from dpcore.individual.analyses.ex_post import ExPost, ex_post


def released(dataset: Dataset, loss: str, sigma: float, lam: float, seed: int) -> tuple[np.ndarray, ExPost]:
    """θ = argmin Σf + (λ/2)‖θ‖² + bᵀθ with b ~ N(0, σ²I) drawn from a seed, and the realised loss of every row.

    The seed is for exploration: a release whose noise is known protects nobody.

    Parameters
    ----------
    dataset : the rows
    loss : name in `LOSSES`
    sigma, lam : noise and penalty
    seed : of the noise

    Raises
    ------
    ParameterError, DataError, ConvergenceError
    """
    noise = sigma * np.random.default_rng(seed).standard_normal(dataset.n_features)
    problem = Problem(loss, dataset.X, dataset.y, lam=lam, linear=noise)
    scale = max(1.0, float(np.linalg.norm(problem.gradient(np.zeros(dataset.n_features)))))
    theta = solve(problem, 1e-10 * scale).theta
    return theta, ex_post(dataset, theta, sigma=sigma, lam=lam, loss=loss)
