"""Smoothed hinge loss."""

from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.glm.losses.base import ClippedMean, Loss, Reals
from dpcore.glm.losses.scores import ACCURACY, AUC
from dpcore.glm.losses.targets import BINARY
from dpcore.references import formula_card


@dataclass(frozen=True)
class SmoothedHinge(Loss):
    r"""Hinge loss of a label y ∈ {−1, +1} with a quadratic piece of width w; m = yu is the margin.

    .. math:: f(u; y) = \begin{cases} 0 & m > 1 \\ (1−m)²/(2w) & 1−w < m ≤ 1 \\ 1 − m − w/2 & m ≤ 1−w \end{cases}
              \qquad L_f = 1, \quad β_f = 1/w

    Parameters
    ----------
    width : w > 0, in units of the margin

    References: li-liu-napp (w = 1).
    """

    width: float = 1.0

    title = "Smoothed hinge"
    model = "Smoothed-hinge classifier"
    residual = "pull on its margin"
    target = BINARY
    scores = (ACCURACY, AUC)
    monotone = True
    augmentable = True
    card = formula_card(__file__, "smoothed_hinge")

    def __post_init__(self) -> None:
        validation.set_checked(self, width=validation.positive)

    def value(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        short = np.maximum(1.0 - y * u, 0.0)
        inside = np.minimum(short, self.width)
        return inside**2 / (2 * self.width) + (short - inside)

    def derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        return -y * np.clip((1.0 - y * u) / self.width, 0.0, 1.0)

    def second_derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        short = 1.0 - y * u
        return np.where((short > 0) & (short <= self.width), 1 / self.width, 0.0)

    def predictor_at(self, slope: np.ndarray, y: np.ndarray) -> np.ndarray:
        share = -y * slope
        return y * np.where(share < 0, np.inf, np.where(share >= 1, -np.inf, 1 - self.width * share))

    def slope_bound(self, target_bound: Reals = 1.0) -> Reals:
        return 1.0

    def curvature_bound(self, target_bound: Reals = 1.0, limit: Reals = np.inf) -> Reals:
        return 1 / self.width

    def kinks(self, y: np.ndarray) -> list[np.ndarray]:
        return [y, y * (1 - self.width)]

    def clipped_mean(self, y: np.ndarray) -> ClippedMean:
        return ClippedMean("identity", 1 / self.width, y, -(1 + y) / 2, (1 - y) / 2)


LOSS = SmoothedHinge()
