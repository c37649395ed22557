"""Densities of what learners release, for whoever knows the data set and the plan: an audit's attacker."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from dpcore.data import Dataset
from dpcore.glm import Loss, Problem, solve
from dpcore.numerics import BLOCK, WINDOW


@dataclass(frozen=True, eq=False)
class OutputLaw:
    """Density of a learner's output on one data set.

    Parameters
    ----------
    log_density : outputs (count, d) → (count,)
    breaks : for one coefficient, increasing θ between which the density is smooth, and outside of which its mass is
        negligible; empty for several coefficients
    exact : whether outputs follow it to rounding; if not, it is good enough to tell two data sets apart
    """

    log_density: Callable[[np.ndarray], np.ndarray]
    breaks: tuple[float, ...] = ()
    exact: bool = True


@dataclass(frozen=True, eq=False)
class GaussianLaw:
    """N(centre, (F Fᵀ)⁻¹).

    Parameters
    ----------
    centre : array (d,)
    factor : array (d, d), lower Cholesky factor F of the precision
    """

    centre: np.ndarray
    factor: np.ndarray

    def log_density(self, outputs: np.ndarray) -> np.ndarray:
        """log density at outputs of shape (count, d)."""
        scaled = (outputs - self.centre) @ self.factor
        constant = float(np.log(np.diag(self.factor)).sum()) - 0.5 * len(self.centre) * np.log(2 * np.pi)
        return constant - 0.5 * np.square(scaled).sum(axis=1)

    def sample(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draws of shape (count, d)."""
        noise = rng.standard_normal((len(self.centre), count))
        return self.centre + linalg.solve_triangular(self.factor, noise, lower=True, trans="T").T

    def as_output(self) -> OutputLaw:
        """The law of a learner that releases one draw."""
        breaks: tuple[float, ...] = ()
        if len(self.centre) == 1:
            reach = WINDOW / self.factor[0, 0]
            breaks = (float(self.centre[0] - reach), float(self.centre[0] + reach))
        return OutputLaw(self.log_density, breaks)


def around_ridge(loss: Loss, dataset: Dataset, lam: float, gamma: float) -> GaussianLaw:
    """N(θ̂, (γH)⁻¹), the law of one posterior sample: confidential."""
    problem = Problem(loss, dataset.X, dataset.y, lam=lam)
    theta = closely_solved(problem)
    return GaussianLaw(theta, linalg.cholesky(gamma * problem.hessian(theta), lower=True))


def closely_solved(problem: Problem) -> np.ndarray:
    """argmin J, to about nine digits of the largest gradient that its rows can add up to."""
    return solve(problem, 1e-9 * max(1.0, problem.n_samples * float(np.abs(problem.y).max()))).theta


def minimiser_law(problem: Problem, sigma: float, *, exact: bool) -> OutputLaw:
    r"""Law of argmin J(θ) + bᵀθ, b ~ N(0, σ²I), which follows because the minimiser θ determines b = −∇J(θ).

    .. math:: p(θ) = \frac{\det ∇²J(θ)}{(2πσ²)^{d/2}} \exp\left(−\frac{‖∇J(θ)‖²}{2σ²}\right)

    Parameters
    ----------
    problem : J, without a linear term
    sigma : σ > 0
    exact : whether the output is the minimiser itself
    """
    d = problem.n_features
    constant = -d * np.log(sigma) - 0.5 * d * np.log(2 * np.pi)
    together = max(1, BLOCK // problem.X.size)

    def block(outputs: np.ndarray) -> np.ndarray:
        pull = problem.gradients(outputs, np.zeros_like(outputs))
        return constant + np.linalg.slogdet(problem.hessians(outputs))[1] - 0.5 * np.square(pull / sigma).sum(axis=1)

    def log_density(outputs: np.ndarray) -> np.ndarray:
        return np.concatenate([block(outputs[at : at + together]) for at in range(0, len(outputs), together)])

    return OutputLaw(log_density, _breaks(problem, sigma) if d == 1 else (), exact)


def _breaks(problem: Problem, sigma: float) -> tuple[float, ...]:
    """Ends of the density of one coefficient, and where some record's gradient starts to be clipped."""
    x, clip = problem.X[:, 0], np.inf if problem.clip is None else problem.clip
    reach = (WINDOW * sigma + clip * problem.n_samples) / problem.lam
    with np.errstate(divide="ignore", invalid="ignore"):
        limit = clip / np.abs(x)
        u = np.concatenate([problem.loss.predictor_at(side * limit, problem.y) for side in (-1.0, 1.0)])
        theta = u / np.concatenate([x, x])
    return tuple(np.unique([-reach, *theta[np.abs(theta) < reach], reach]))
