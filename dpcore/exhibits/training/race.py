"""Solvers side by side on the same objective: how far each has come after so many passes over the records."""

from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.data.samples.synthetic import logistic_gaussian
from dpcore.exhibits.training.solver_study import SOLVER_TITLES
from dpcore.glm import SAG, AcceleratedGradient, GradientDescent, Newton, Problem, Solver, solve

MOST_PASSES = 400  # a solver that needs more is drawn as far as that


@dataclass(frozen=True, eq=False)
class Runner:
    """One solver's way.

    Parameters
    ----------
    solver : key in `SOLVER_TITLES`
    passes : array, gradients of all records computed so far
    norm : array, ‖∇J‖ known then
    """

    solver: str
    passes: np.ndarray
    norm: np.ndarray

    @property
    def ends(self) -> tuple[float, float]:
        """Least and largest norm."""
        return float(self.norm.min()), float(self.norm.max())

    def needed(self, tol: float) -> float:
        """Passes until ‖∇J‖ ≤ tol; nan where it never was."""
        there = np.flatnonzero(self.norm <= tol)
        return float(self.passes[there[0]]) if there.size else float("nan")


def race(n: int = 2000, *, n_features: int = 10, lam: float = 1.0, tol: float = 1e-4, seed: int = 0) -> list[Runner]:
    """Every solver on one generated problem of logistic regression, from θ = 0 until ‖∇J‖ ≤ tol.

    Parameters
    ----------
    n, n_features, seed : of the generated data, whole numbers
    lam, tol : λ and ‖∇J‖ aimed at, sum form

    References: redberg-koskela-wang-2023 (Theorem G.1).
    """
    n = validation.at_least_one("n", n)
    data = logistic_gaussian(n, n_features, 4.0, np.random.default_rng(seed)).dataset
    problem, found = Problem("logistic", data.X, data.y, lam=lam), []
    solvers: dict[str, Solver] = {
        "sag": SAG(trace=True),
        "gradient_descent": GradientDescent(),
        "accelerated_gradient": AcceleratedGradient(),
        "newton": Newton(),
    }
    for name in SOLVER_TITLES:
        path = solve(problem, tol, solvers[name], rng=seed).history
        kept = path[path[:, 0] <= MOST_PASSES * n]
        found.append(Runner(name, kept[:, 0] / n, kept[:, 1]))
    return found
