"""Gradient descent and its accelerated form: baselines whose cost theory predicts, step size from a curvature bound."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore import validation
from dpcore.errors import UnsupportedError
from dpcore.glm.problem import Problem
from dpcore.glm.solver import Path, Solver, curvatures


@dataclass(frozen=True)
class GradientDescent(Solver):
    r"""Gradient descent with the fixed step 1/S.

    .. math:: θ ← θ − \tfrac1S ∇J(θ), \qquad S = \sum_i β_f‖x_i‖² + λ\max_j w_j

    Needs O((S/λ) log(1/τ)) passes over the data.

    Parameters
    ----------
    max_passes : int ≥ 1

    References: redberg-koskela-wang-2023 (appendix G).
    """

    max_passes: int = 100_000

    title: ClassVar[str] = "gradient descent"

    def __post_init__(self) -> None:
        validation.at_least_one("max_passes", self.max_passes)

    def run(self, path: Path, tol: float, rng: np.random.Generator) -> None:
        _descend(path, tol, self.max_passes, _smoothness(path.problem, self.title), momentum=0.0)


@dataclass(frozen=True)
class AcceleratedGradient(GradientDescent):
    r"""Nesterov's accelerated gradient descent for strongly convex objectives, S as in `GradientDescent`.

    .. math:: θ_{k+1} = η_k − \tfrac1S ∇J(η_k), \quad
              η_{k+1} = θ_{k+1} + \frac{\sqrt κ − 1}{\sqrt κ + 1}(θ_{k+1} − θ_k), \quad κ = \frac{S}{λ\min_j w_j}

    Needs O(√(S/λ) log(1/τ)) passes over the data.

    References: redberg-koskela-wang-2023 (appendix G).
    """

    title: ClassVar[str] = "accelerated gradient descent"

    def run(self, path: Path, tol: float, rng: np.random.Generator) -> None:
        largest = _smoothness(path.problem, self.title)
        smallest = path.problem.strong_convexity
        if smallest == 0:
            raise UnsupportedError(f"{self.title} needs a strongly convex objective: use lam > 0 and weights > 0")
        root = np.sqrt(largest / smallest)
        _descend(path, tol, self.max_passes, largest, momentum=(root - 1) / (root + 1))


def _smoothness(problem: Problem, title: str) -> float:
    """S, an upper bound of the largest eigenvalue of ∇²J."""
    return float(curvatures(problem, title).sum() + problem.penalty.max())


def _descend(path: Path, tol: float, max_passes: int, smoothness: float, momentum: float) -> None:
    theta = point = path.theta
    best = np.inf
    for _ in range(max_passes):
        gradient = path.gradient(point)
        norm = path.record(float(np.linalg.norm(gradient)))
        if norm < best:
            best, path.theta = norm, point
        if norm <= tol:
            break
        path.iterations += 1
        previous, theta = theta, point - gradient / smoothness
        point = theta + momentum * (theta - previous)
