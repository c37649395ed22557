"""Huber loss."""

from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.glm.losses.base import ClippedMean, Loss, Reals
from dpcore.glm.losses.scores import MSE
from dpcore.glm.losses.targets import NUMERIC
from dpcore.references import formula_card


@dataclass(frozen=True)
class Huber(Loss):
    r"""Huber loss: squared up to a threshold k, linear beyond; r = u − y.

    .. math:: f(u; y) = r²/2 \;\text{ for } |r| ≤ k, \quad k|r| − k²/2 \;\text{ beyond}, \qquad L_f = k, \quad β_f = 1

    Parameters
    ----------
    threshold : k > 0, in the units of y
    """

    threshold: float = 1.0

    title = "Huber"
    model = "Huber regression"
    residual = "bounded residual"
    target = NUMERIC
    scores = (MSE,)
    card = formula_card(__file__, "huber")

    def __post_init__(self) -> None:
        validation.set_checked(self, threshold=validation.positive)

    def value(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        residual = np.abs(u - y)
        inside = np.minimum(residual, self.threshold)
        return inside**2 / 2 + self.threshold * (residual - inside)

    def derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.clip(u - y, -self.threshold, self.threshold)

    def second_derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.where(np.abs(u - y) <= self.threshold, 1.0, 0.0)

    def predictor_at(self, slope: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.where(slope < -self.threshold, -np.inf, np.where(slope > self.threshold, np.inf, y + slope))

    def slope_bound(self, target_bound: Reals = 1.0) -> Reals:
        return self.threshold

    def curvature_bound(self, target_bound: Reals = 1.0, limit: Reals = np.inf) -> Reals:
        return 1.0

    def kinks(self, y: np.ndarray) -> list[np.ndarray]:
        return [y - self.threshold, y + self.threshold]

    def clipped_mean(self, y: np.ndarray) -> ClippedMean:
        limit = np.full(y.shape, self.threshold)
        return ClippedMean("identity", 1.0, y, -limit, limit)


LOSS = Huber()
