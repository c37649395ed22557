"""Gradient clipping of a GLM loss, as the loss whose gradient is the clipped one."""

from dataclasses import dataclass, replace

import numpy as np

from dpcore.glm.losses.base import ClippedMean, Loss, Reals

_FARTHEST = 1e300  # stands for an infinite predictor or slope
_KEPT = ("title", "model", "residual", "target", "scores", "monotone", "bend_rate")  # taken over from the clipped loss


@dataclass(frozen=True, eq=False)
class Clipped(Loss):
    r"""The convex loss whose derivative is f' clipped to ±s, s = C/‖x‖ for a record's gradient norm C.

    .. math:: f_C(u) = \begin{cases} f(u_L) − s(u − u_L) & u < u_L \\ f(u) & u_L ≤ u ≤ u_H \\
              f(u_H) + s(u − u_H) & u > u_H \end{cases}
              \qquad f'(u_L) = −s, \quad f'(u_H) = s

    The two constants f(u_L), f(u_H) make it continuous; the source prints it without them. Where |f'| > s everywhere,
    f_C is the line through f(0).

    Parameters
    ----------
    loss : Loss
    limit : s > 0, array that broadcasts against u; inf for a record that is not clipped
    known : `ends` of the targets that `value` is asked for, where they have been computed before

    References: redberg-koskela-wang-2023 (Theorem F.2, corrected).
    """

    loss: Loss
    limit: np.ndarray
    known: np.ndarray | None = None

    def __post_init__(self) -> None:
        for name in _KEPT:
            object.__setattr__(self, name, getattr(self.loss, name))

    def value(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        low, high, before, after = np.moveaxis(self.ends(y) if self.known is None else self.known, -1, 0)
        near = np.clip(u, low, high)
        beyond = u - near
        return self.loss.value(near, y) + np.where(beyond < 0, before, after) * beyond

    def ends(self, y: np.ndarray) -> np.ndarray:
        """u_L, u_H and the slopes before and after them, finite, along a last axis.

        Where |f'| > s everywhere, u_L = u_H = 0.
        """
        low, high = (self.loss.predictor_at(end * self.limit, y) for end in (-1, 1))
        nowhere = (low == np.inf) | (high == -np.inf)
        low, high = (np.where(nowhere, 0.0, np.clip(end, -_FARTHEST, _FARTHEST)) for end in (low, high))
        slopes = (np.clip(self.derivative(end, y), -_FARTHEST, _FARTHEST) for end in (low, high))
        return np.stack(np.broadcast_arrays(low, high, *slopes), axis=-1)

    def derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.clip(self.loss.derivative(u, y), -self.limit, self.limit)

    def second_derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        inside = np.abs(self.loss.derivative(u, y)) < self.limit
        return np.where(inside, self.loss.second_derivative(u, y), 0.0)

    def third_derivative(self, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        inside = np.abs(self.loss.derivative(u, y)) < self.limit
        return np.where(inside, self.loss.third_derivative(u, y), 0.0)

    def predictor_at(self, slope: np.ndarray, y: np.ndarray) -> np.ndarray:
        u = self.loss.predictor_at(slope, y)
        return np.where(slope < -self.limit, -np.inf, np.where(slope > self.limit, np.inf, u))

    def slope_bound(self, target_bound: Reals = 1.0) -> Reals:
        return np.minimum(self.limit, self.loss.slope_bound(target_bound))

    def curvature_bound(self, target_bound: Reals = 1.0, limit: Reals = np.inf) -> Reals:
        return self.loss.curvature_bound(target_bound, np.minimum(self.limit, limit))

    def peak(self, y: np.ndarray) -> np.ndarray:
        return self.loss.peak(y)

    def kinks(self, y: np.ndarray) -> list[np.ndarray]:
        return [*self.loss.kinks(y), *(self.loss.predictor_at(end * self.limit, y) for end in (-1, 1))]

    def clipped_mean(self, y: np.ndarray) -> ClippedMean | None:
        free = self.loss.clipped_mean(y)
        if free is None:
            return None
        return replace(
            free, low=np.clip(free.low, -self.limit, self.limit), high=np.clip(free.high, -self.limit, self.limit)
        )

    def predicted_mean(self, u: np.ndarray) -> np.ndarray:
        return self.loss.predicted_mean(u)
