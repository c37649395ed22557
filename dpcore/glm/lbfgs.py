"""Limited-memory BFGS from SciPy, finished by Newton's method where it stalls."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import optimize

from dpcore import validation
from dpcore.glm.newton import Newton
from dpcore.glm.solver import Path, Solver


@dataclass(frozen=True)
class LBFGS(Solver):
    """L-BFGS-B until ‖∇J‖ ≤ tol or until rounding of J ends its line search, then Newton steps if still needed.

    Parameters
    ----------
    memory : int ≥ 1, number of correction pairs
    max_iterations : int ≥ 1
    """

    memory: int = 10
    max_iterations: int = 5000

    title: ClassVar[str] = "L-BFGS"

    def __post_init__(self) -> None:
        validation.at_least_one("memory", self.memory)
        validation.at_least_one("max_iterations", self.max_iterations)

    def run(self, path: Path, tol: float, rng: np.random.Generator) -> None:
        best = np.inf

        def objective(theta: np.ndarray) -> tuple[float, np.ndarray]:
            nonlocal best
            value, gradient = path.value_and_gradient(theta)
            norm = path.record(float(np.linalg.norm(gradient)))
            if norm < best:
                best, path.theta = norm, theta.copy()
            return value, gradient

        def stop_early(intermediate_result: optimize.OptimizeResult) -> None:
            path.iterations += 1
            if best <= tol:
                raise StopIteration

        with np.errstate(over="ignore", invalid="ignore"):
            optimize.minimize(
                objective,
                path.theta,
                jac=True,
                method="L-BFGS-B",
                callback=stop_early,
                options={
                    "maxcor": self.memory,
                    "maxiter": self.max_iterations,
                    "maxfun": 2 * self.max_iterations,
                    "ftol": 0.0,
                    "gtol": tol / np.sqrt(path.problem.n_features),
                },
            )
        if best > tol:
            Newton().run(path, tol, rng)
