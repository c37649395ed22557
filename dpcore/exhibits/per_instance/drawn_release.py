"""One release by objective perturbation, and what it says about each row."""

import numpy as np

from dpcore.data.dataset import Dataset
from dpcore.errors import UnsupportedError
from dpcore.glm import Problem, solve
from dpcore.individual.analyses.ex_post import ExPost, ex_post
from dpcore.mechanisms.objective_perturbation import ObjectivePerturbation
from dpcore.mechanisms.releases import GlmRelease


def check_known(mechanism: GlmRelease) -> None:
    """Raise an UnsupportedError for a mechanism for which no closed form says what one θ reveals about a row."""
    if mechanism.release != ObjectivePerturbation.release:
        raise UnsupportedError(
            "What one θ says about each row is known in closed form for objective perturbation only; choose that mechanism."
        )


def released(dataset: Dataset, mechanism: GlmRelease, seed: int) -> tuple[np.ndarray, ExPost]:
    """θ = argmin Σf + (λ/2)‖θ‖² + bᵀθ with b ~ N(0, σ²I) drawn from a seed, and the realised loss of every row.

    The seed is for exploration only: a release with known noise protects nobody.

    Parameters
    ----------
    dataset : the rows
    mechanism : objective perturbation with the loss it names
    seed : seed of the noise

    Raises
    ------
    ParameterError, DataError, ConvergenceError
    UnsupportedError
        For another mechanism, whose density at one θ is not known in closed form.
    """
    check_known(mechanism)
    sigma = mechanism.level
    noise = sigma * np.random.default_rng(seed).standard_normal(dataset.n_features)
    problem = Problem(mechanism.loss, dataset.X, dataset.y, lam=mechanism.lam, clip=mechanism.clip, linear=noise)
    scale = max(1.0, float(np.linalg.norm(problem.gradient(np.zeros(dataset.n_features)))))
    theta = solve(problem, 1e-10 * scale).theta
    found = ex_post(dataset, theta, sigma=sigma, lam=mechanism.lam, loss=mechanism.loss, clip=mechanism.clip)
    return theta, found
