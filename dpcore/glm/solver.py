"""What a solver must supply, and the count of the evaluations it makes."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from dpcore.errors import UnsupportedError
from dpcore.glm.problem import Problem


@dataclass
class Path:
    """Where a solver has got to, and what it cost. One evaluation is the gradient of one record's loss.

    `history` holds (evaluations, ‖∇J‖) pairs; `reason` says why the solver gave up, empty if it did not.
    """

    problem: Problem
    theta: np.ndarray
    evaluations: int = 0
    hessians: int = 0
    iterations: int = 0
    history: list[tuple[int, float]] = field(default_factory=list)
    reason: str = ""

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """∇J(θ), counted."""
        self.evaluations += self.problem.n_samples
        return self.problem.gradient(theta)

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """J(θ) and ∇J(θ), counted."""
        self.evaluations += self.problem.n_samples
        return self.problem.value_and_gradient(theta)

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """∇²J(θ), counted."""
        self.hessians += 1
        return self.problem.hessian(theta)

    def record(self, norm: float) -> float:
        """Note a gradient norm against the evaluations so far."""
        self.history.append((self.evaluations, norm))
        return norm


def norm(vector: np.ndarray) -> float:
    """‖v‖, without the overhead of the general function."""
    return math.sqrt(vector @ vector)


class Solver(ABC):
    """Minimises a `Problem`. Subclasses are frozen dataclasses whose fields are the solver's options."""

    title: ClassVar[str]

    @abstractmethod
    def run(self, path: Path, tol: float, rng: np.random.Generator) -> None:
        """Move `path.theta` until ‖∇J‖ ≤ tol, or give up and say why in `path.reason`."""


def curvatures(problem: Problem, title: str) -> np.ndarray:
    """β_f‖x‖² of each row (n_samples,), for a solver that takes its step from them.

    Raises
    ------
    UnsupportedError
        If the loss has no curvature bound.
    """
    bounds = problem.record_curvatures()
    if not np.isfinite(bounds).all():
        raise UnsupportedError(
            f"{title} takes its step from a curvature bound, and the loss {problem.loss!r} has none: give it a "
            "predictor_bound, clip the gradients, or use solver='newton'"
        )
    return bounds
