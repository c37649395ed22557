"""Squared loss."""

from dataclasses import dataclass

import numpy as np

from dpcore.glm.losses.base import ClippedMean, PredictorBounded, Reals, predictor_bound
from dpcore.glm.losses.scores import MSE
from dpcore.glm.losses.targets import NUMERIC
from dpcore.references import formula_card


@dataclass(frozen=True)
class Squared(PredictorBounded):
    r"""Squared loss with the factor ½, so that λ is the ridge penalty of (XᵀX + λI)⁻¹Xᵀy.

    .. math:: f(u; y) = \tfrac12 (u − y)², \qquad L_f = U + B, \quad β_f = 1

    Parameters
    ----------
    predictor_bound : U > 0
        Beyond |u| ≤ U the loss goes on linearly. Without it (inf) one record's gradient has no bound.

    References: wang-2019.
    """

    predictor_bound: float = np.inf

    title = "Squared"
    model = "Linear regression"
    target = NUMERIC
    scores = (MSE,)
    augmentable = True
    card = formula_card(__file__, "squared")

    def __post_init__(self) -> None:
        object.__setattr__(self, "predictor_bound", predictor_bound(self.predictor_bound))

    def _value(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        return 0.5 * np.square(u - y)

    def _derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        return u - y

    def _second_derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.ones(np.broadcast(u, y).shape)

    def _predictor_at(self, slope: np.ndarray, y: np.ndarray) -> np.ndarray:
        return y + slope

    def slope_bound(self, target_bound: Reals = 1.0) -> Reals:
        return self.predictor_bound + target_bound

    def curvature_bound(self, target_bound: Reals = 1.0, limit: Reals = np.inf) -> Reals:
        return 1.0

    def clipped_mean(self, y: np.ndarray) -> ClippedMean:
        return ClippedMean("identity", 1.0, y, -self.predictor_bound - y, self.predictor_bound - y)


LOSS = Squared()
