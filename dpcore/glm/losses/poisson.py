"""Poisson loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore.glm.losses.base import ClippedMean, PredictorBounded, predictor_bound, refuse
from dpcore.references import FormulaCard


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

    card: ClassVar[FormulaCard] = FormulaCard(
        title="Poisson loss",
        latex=(
            r"f(u;y)=e^u-yu\quad(|u|\le U,\ \text{linear beyond})",
            r"|f'|\le\max\{e^U,B-e^{-U}\},\qquad 0\le f''\le e^U",
        ),
        symbols={"u": "linear predictor xᵀθ", "y": "count, 0 ≤ y ≤ B", "U": "bound on the predictor"},
        references=("li-liu-napp",),
        code="dpcore.glm.losses.Poisson",
    )

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

    def _predictor_at(self, slope: np.ndarray, y: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(slope + y, 0.0))

    def slope_bound(self, target_bound: np.ndarray = 1.0) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.maximum(np.exp(self.predictor_bound), target_bound - np.exp(-self.predictor_bound))

    def curvature_bound(self, target_bound: np.ndarray = 1.0, limit: np.ndarray = np.inf) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.minimum(np.exp(self.predictor_bound), target_bound + limit)

    def clipped_mean(self, y: np.ndarray) -> ClippedMean:
        with np.errstate(over="ignore"):
            low, high = np.exp([-self.predictor_bound, self.predictor_bound])
        return ClippedMean("exponential", 1.0, y, low - y, high - y)

    def check_target(self, y: np.ndarray) -> None:
        refuse(y, y < 0, "the Poisson loss needs counts >= 0; clip the target or choose another loss")
