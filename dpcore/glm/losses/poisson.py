"""Poisson loss."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from dpcore.glm.losses.base import ClippedMean, PredictorBounded, Reals, predictor_bound
from dpcore.glm.losses.scores import PredictionScore
from dpcore.glm.losses.targets import COUNT
from dpcore.references import formula_card


def _deviance(u: np.ndarray, y: np.ndarray) -> np.ndarray:
    """2 mean(y log y − y − yu + e^u), twice the log-likelihood lost against a perfect fit, per row."""
    return 2 * (special.xlogy(y, y) - y - y * u + np.exp(u)).mean(axis=1)


def _expected_deviance(mean: np.ndarray, variance: np.ndarray, y: np.ndarray) -> float:
    """`_deviance` where e^u has the mean of a log-normal law."""
    with np.errstate(over="ignore"):
        return float(2 * (special.xlogy(y, y) - y - y * mean + np.exp(mean + variance / 2)).mean())


@dataclass(frozen=True)
class Poisson(PredictorBounded):
    r"""Negative Poisson log-likelihood of a count y ≥ 0 with mean e^u, without its constant log y!.

    .. math:: f(u; y) = e^u − yu, \qquad L_f = \max(e^U, B − e^{−U}), \quad β_f = e^U

    Limiting |f'| < s leaves a curvature of at most B + s, as f'' = f' + y.

    Parameters
    ----------
    predictor_bound : U > 0
        Beyond |u| ≤ U the loss goes on linearly. Without it (inf) one record's gradient and curvature have no bound.

    References: li-liu-napp.
    """

    predictor_bound: float = np.inf

    title = "Poisson"
    model = "Poisson regression"
    residual = "residual on the scale of counts"
    target = COUNT
    bend_rate = 1.0
    scores = (PredictionScore("deviance", "mean Poisson deviance", False, _deviance, expected=_expected_deviance),)
    augmentable = True
    card = formula_card(__file__, "poisson")

    def __post_init__(self) -> None:
        object.__setattr__(self, "predictor_bound", predictor_bound(self.predictor_bound))

    def _value(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.exp(u) - y * u

    def _derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.exp(u) - y

    def _second_derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.exp(np.broadcast_arrays(u, y)[0])

    def third_derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        return self.second_derivative(u, y)

    def _predictor_at(self, slope: np.ndarray, y: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(slope + y, 0.0))

    def slope_bound(self, target_bound: Reals = 1.0) -> Reals:
        with np.errstate(over="ignore"):
            return np.maximum(np.exp(self.predictor_bound), target_bound - np.exp(-self.predictor_bound))

    def curvature_bound(self, target_bound: Reals = 1.0, limit: Reals = np.inf) -> Reals:
        with np.errstate(over="ignore"):
            return np.minimum(np.exp(self.predictor_bound), target_bound + limit)

    def clipped_mean(self, y: np.ndarray) -> ClippedMean:
        with np.errstate(over="ignore"):
            low, high = np.exp([-self.predictor_bound, self.predictor_bound])
        return ClippedMean("exponential", 1.0, y, low - y, high - y)

    def predicted_mean(self, u: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.exp(u)


LOSS = Poisson()
