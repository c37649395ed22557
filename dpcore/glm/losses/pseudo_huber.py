"""Pseudo-Huber loss."""

from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.glm.losses.base import Loss, Reals
from dpcore.glm.losses.scores import MSE
from dpcore.glm.losses.targets import NUMERIC
from dpcore.references import formula_card


@dataclass(frozen=True)
class PseudoHuber(Loss):
    r"""Pseudo-Huber loss: squared for small residuals r = u − y, linear for large ones, smooth in between.

    .. math:: f(u; y) = k²\left(\sqrt{1 + (r/k)²} − 1\right), \qquad f' = \frac{r}{\sqrt{1 + (r/k)²}}, \quad
              f'' = \left(1 + (r/k)²\right)^{−3/2}, \qquad L_f = k, \quad β_f = 1

    L_f is approached and not attained. β_f is attained at r = 0, whatever the limit on |f'|. As f' passes through 0 at
    u = y, the loss is not monotone.

    Parameters
    ----------
    threshold : k > 0, in the units of y
    """

    threshold: float = 1.0

    title = "Pseudo-Huber"
    model = "Pseudo-Huber regression"
    residual = "bounded residual"
    target = NUMERIC
    scores = (MSE,)
    card = formula_card(__file__, "pseudo_huber")

    def __post_init__(self) -> None:
        validation.set_checked(self, threshold=validation.positive)

    def value(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        residual = np.abs(u - y)
        return residual * (residual / (1.0 + np.hypot(1.0, residual / self.threshold)))

    def derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        residual = u - y
        return residual / np.hypot(1.0, residual / self.threshold)

    def second_derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        square = 1.0 + np.square((u - y) / self.threshold)
        return 1.0 / (square * np.sqrt(square))

    @property
    def bend_rate(self) -> float:  # type: ignore[override]
        """3|r|/(k² + r²), largest at |r| = k."""
        return 1.5 / self.threshold

    def third_derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        far = (u - y) / self.threshold
        return -3.0 * far / self.threshold * np.hypot(1.0, far) ** -5.0

    def predictor_at(self, slope: np.ndarray, y: np.ndarray) -> np.ndarray:
        share = np.asarray(slope) / self.threshold
        inside = np.clip(share, -1.0, 1.0)
        with np.errstate(divide="ignore"):
            return y + slope / np.sqrt((1.0 - inside) * (1.0 + inside))

    def slope_bound(self, target_bound: Reals = 1.0) -> Reals:
        return self.threshold

    def curvature_bound(self, target_bound: Reals = 1.0, limit: Reals = np.inf) -> Reals:
        return 1.0


LOSS = PseudoHuber()
