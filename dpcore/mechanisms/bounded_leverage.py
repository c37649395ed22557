"""One posterior sample where the leverage and the residual of every record are bounded: the exact worst case."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import elementwise

from dpcore import validation
from dpcore.mechanisms.two_normals import log_two_normals
from dpcore.numerics import LARGEST
from dpcore.profiles import Bound, PrivacyProfile

# Where the search over μ starts: logs of μ as a share of its largest value 1/h. With twice as many, a value of δ takes
# longer.
_GRID = np.linspace(-14.0, 0.0, 71)


@dataclass(frozen=True)
class BoundedLeverageSample(PrivacyProfile):
    r"""Worst record of one posterior sample with μ ≤ 1/h and |r| ≤ r̄.

    .. math:: δ(ε) = \sup_{0 < μ ≤ 1/h} δ_{μ, \sqrt γ \bar r}(ε)

    The profile of a record grows with |r| but not always with μ, so the supremum over μ is searched.

    Parameters
    ----------
    gamma : inverse temperature > 0
    curvature : h > 0, lower bound on the eigenvalues of H
    residual : r̄ > 0

    References: wang-2019.
    """

    gamma: float
    curvature: float
    residual: float

    bound: ClassVar[Bound] = Bound.EXACT

    def __post_init__(self) -> None:
        validation.set_checked(self, **dict.fromkeys(("gamma", "curvature", "residual"), validation.positive))

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        flat, shift = epsilon.reshape(-1), np.sqrt(self.gamma) * self.residual

        def loss(position: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
            leverage = np.exp(np.minimum(position, 0.0)) / self.curvature
            return -np.maximum(log_two_normals(epsilon, leverage, shift, direction), -LARGEST)

        values = loss(_GRID, flat[:, None])
        best = np.maximum(values.argmin(axis=1), 1)
        right = np.where(best + 1 < _GRID.size, _GRID[np.minimum(best + 1, _GRID.size - 1)], 0.2)
        found = elementwise.find_minimum(
            loss, (_GRID[best - 1], _GRID[best], right), args=(flat,), tolerances={"xatol": 1e-7, "xrtol": 1e-7}
        )
        lowest = np.fmin(np.where(np.isfinite(found.f_x), found.f_x, np.inf), values.min(axis=1))
        return np.where(lowest >= LARGEST, -np.inf, -lowest).reshape(epsilon.shape)
