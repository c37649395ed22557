"""Logistic loss."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from dpcore.glm.losses.base import ClippedMean, Loss, Reals, unlimited
from dpcore.glm.losses.scores import ACCURACY, AUC
from dpcore.glm.losses.targets import BINARY
from dpcore.references import formula_card


@dataclass(frozen=True)
class Logistic(Loss):
    r"""Logistic loss of a label y ∈ {−1, +1}.

    .. math:: f(u; y) = \log(1 + e^{−yu}), \qquad L_f = 1, \quad β_f = 1/4

    As f'' = |f'|(1 − |f'|), limiting |f'| < s ≤ 1/2 leaves a curvature of s(1 − s).
    """

    title = "Logistic"
    model = "Logistic regression"
    residual = "residual on the probability scale"
    target = BINARY
    scores = (ACCURACY, AUC)
    monotone = True
    augmentable = True
    bend_rate = 1.0
    card = formula_card(__file__, "logistic")

    def value(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        margin = y * u
        return np.log1p(np.exp(-np.abs(margin))) + np.maximum(-margin, 0.0)

    def derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        result = np.asarray(np.multiply(y, u, dtype=float))
        with np.errstate(over="ignore"):
            np.exp(result, out=result)  # in place: temporaries of a block would push each other out of the cache
        result += 1.0
        return np.divide(-y, result, out=result)[()]

    def second_derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        small = np.exp(-np.abs(u))
        return small / np.square(1.0 + small)

    def third_derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        return -np.tanh(0.5 * u) * self.second_derivative(u, y)

    def predictor_at(self, slope: np.ndarray, y: np.ndarray) -> np.ndarray:
        return -y * special.logit(np.clip(-y * slope, 0.0, 1.0))

    def slope_bound(self, target_bound: Reals = 1.0) -> Reals:
        return 1.0

    def curvature_bound(self, target_bound: Reals = 1.0, limit: Reals = np.inf) -> Reals:
        slope = np.minimum(limit, 0.5)
        return slope * (1 - slope)

    def clipped_mean(self, y: np.ndarray) -> ClippedMean:
        return ClippedMean("logistic", 1.0, (1 + y) / 2, *unlimited(y))


LOSS = Logistic()
