"""The density to sample from, with the constants that a sampler's guarantee needs."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError

# Largest number of steps towards the minimiser, and the number of steps where U has a kink.
_OPTIMUM_STEPS, _SUBGRADIENT_STEPS = 20_000, 1_000


@dataclass(frozen=True, eq=False)
class Target:
    r"""The density ∝ e^{−U(x)} on the ball ‖x‖ ≤ R, U − (m/2)‖x‖² convex.

    Parameters
    ----------
    potential : function (n_points, dimension) → (n_points,), U
    gradient : function (n_points, dimension) → (n_points, dimension), a subgradient of U
    dimension : int ≥ 1
    strong_convexity : m > 0
    radius : R > 0, inf for the whole space
    smoothness : β ≥ 0: U − (m/2)‖x‖² has a β-Lipschitz gradient; inf where it has a kink
    lipschitz : M ≥ 0: U − (m/2)‖x‖² is M-Lipschitz; inf where it is not

    Raises
    ------
    ParameterError
        If a constant is outside its range, or neither smoothness nor lipschitz is finite.
    """

    potential: Callable[[np.ndarray], np.ndarray]
    gradient: Callable[[np.ndarray], np.ndarray]
    dimension: int
    strong_convexity: float
    radius: float = math.inf
    smoothness: float = math.inf
    lipschitz: float = math.inf

    def __post_init__(self) -> None:
        validation.set_checked(self, dimension=validation.at_least_one, strong_convexity=validation.moderate)
        for name in ("radius", "smoothness", "lipschitz"):
            value = getattr(self, name)
            if value != math.inf:
                check = validation.positive if name == "radius" else validation.non_negative
                object.__setattr__(self, name, check(name, value))
        if math.isinf(min(self.smoothness, self.lipschitz)):
            raise ParameterError("smoothness or lipschitz must be finite: the step of the sampler depends on it")

    @property
    def step_size(self) -> float:
        """η at which an exact step of the proximal sampler is accepted with a probability of order one."""
        d, m = max(self.dimension, 2), self.strong_convexity
        smooth = 1 / (self.smoothness * d) if self.smoothness else math.inf
        rough = 2 / (self.lipschitz**2 * self.dimension) if self.lipschitz else math.inf
        best = max(smooth if self.smoothness < math.inf else 0.0, rough if self.lipschitz < math.inf else 0.0)
        return min(best, 10 / m)

    def project(self, x: np.ndarray) -> np.ndarray:
        """Nearest points of the ball, shape (n_points, dimension)."""
        if math.isinf(self.radius):
            return x
        norm = np.linalg.norm(x, axis=1, keepdims=True)
        return x * np.minimum(1.0, self.radius / np.maximum(norm, np.finfo(float).tiny))

    def inside(self, x: np.ndarray) -> np.ndarray:
        """Whether each point lies in the ball."""
        return np.einsum("ij,ij->i", x, x) <= self.radius**2

    def optimum(self) -> np.ndarray:
        """A minimiser of U over the ball (dimension,), by projected (sub)gradient steps; coarse where U has a kink."""
        smooth, m = self.smoothness < math.inf, self.strong_convexity
        steps = 200 + int(30 * (1 + self.smoothness / m)) if smooth else _SUBGRADIENT_STEPS
        x = np.zeros((1, self.dimension))
        best, lowest = x, float(self.potential(x)[0])
        for step in range(min(_OPTIMUM_STEPS, steps)):
            length = 1 / (self.smoothness + m) if smooth else 2 / (m * (step + 2))
            moved = self.project(x - length * self.gradient(x))
            value = float(self.potential(moved)[0])
            if value < lowest:
                best, lowest = moved, value
            if np.abs(moved - x).max() <= 1e-13 * (1 + np.abs(x).max()):
                break
            x = moved
        return best[0]
