"""Two densities drawn by hand: the user sets heights of their potentials, a projection makes these strongly convex."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.exhibits.log_concave.pair import TAIL_REACH, StronglyLogConcave
from dpcore.profiles.curves import Curve

HANDLES = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)
HIGHEST = 10.0
_BENDS = np.diff(np.eye(len(HANDLES)), 2, axis=0)
# For each subset of the bends, the linear map from heights to the multipliers λ that make these bends 0, (32, 5, 7).
# The empty subset is the first, so that a convex drawing is not changed.
_PUSHES = -np.linalg.pinv(_BENDS.T * np.array(list(np.ndindex(*[2] * len(_BENDS))))[:, None], rcond=1e-9)
TILTS = ((1.25, 0.5, 0.25, 0.5, 1.25, 2.5, 4.25), (4.25, 2.5, 1.25, 0.5, 0.25, 0.5, 1.25))


@dataclass(frozen=True)
class DrawnPair(StronglyLogConcave):
    r"""P ∝ e^{−F} and Q ∝ e^{−F̃}, with the μ-strongly convex F and F̃ nearest to the drawn ones. Exact, by quadrature.

    .. math:: F(x) = \tfrac μ2 x² + g(x), \quad g \text{ linear between handles and convex}, \quad
              \min_F \sum_i (F(x_i) - \text{drawn}_i)^2

    Beyond the outer handles g continues with its last slope. Directions are those of `LogConcavePair`.

    Parameters
    ----------
    mu : μ > 0
    first, second : drawn heights of F and F̃ at `HANDLES`, seven numbers in [0, 10] each
    half_width : B > 0, the densities live on [−B, B]; inf for the whole line

    References: lecture-12 (Theorem 1), gopi-lee-liu-2022.
    """

    mu: float = 0.5
    first: tuple[float, ...] = TILTS[0]
    second: tuple[float, ...] = TILTS[1]
    half_width: float = math.inf

    is_drawn: ClassVar[bool] = True

    def __post_init__(self) -> None:
        validation.set_checked(self, mu=validation.moderate, first=_heights, second=_heights)
        if self.half_width != math.inf:
            validation.set_checked(self, half_width=validation.positive)

    @property
    def projected(self) -> tuple[np.ndarray, np.ndarray]:
        """Heights of F and F̃ at the handles after the projection, (7,) each."""
        return np.array(_nearest(self.first, self.mu)), np.array(_nearest(self.second, self.mu))

    @property
    def moved_each(self) -> tuple[float, float]:
        """Largest change of a height of F and of F̃ by the projection."""
        first, second = (float(np.abs(new - old).max()) for new, old in zip(self.projected, self._drawn, strict=True))
        return first, second

    @property
    def moved(self) -> float:
        """Largest change of any height; if it is below 1e-9, the drawing is strongly convex already."""
        return max(self.moved_each)

    @property
    def drawn_convexity(self) -> float:
        """Largest μ for which no height would change: the smallest second difference of the drawn heights."""
        return float(min(np.diff(one, 2).min() for one in self._drawn))

    def potentials(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """F and F̃ at the points x."""
        x = np.asarray(x, dtype=float)
        first, second = (self._potential(x, heights) for heights in self.projected)
        return first, second

    def _potential(self, x: np.ndarray, heights: np.ndarray) -> np.ndarray:
        """The potential through some heights at the handles, with curvature μ between them."""
        return self.mu / 2 * x**2 + _through(x, heights - self.mu / 2 * np.square(HANDLES))

    def drawn_curves(self) -> tuple[Curve, Curve]:
        """The drawn potentials before the projection, with curvature μ between handles."""
        x = np.linspace(HANDLES[0], HANDLES[-1], 121)
        first, second = (self._potential(x, heights) for heights in self._drawn)
        return Curve("F drawn", x, first), Curve("F̃ drawn", x, second)

    def potential_curves(self) -> tuple[Curve, Curve]:
        """F and F̃ between the outer handles."""
        x = np.linspace(HANDLES[0], HANDLES[-1], 121)
        first, second = self.potentials(x)
        return Curve("F", x, first), Curve("F̃", x, second)

    @property
    def lipschitz(self) -> float:
        """Largest slope of F̃ − F on the set; it is a slope between two handles, since the parabolas cancel."""
        first, second = self.projected
        slopes = np.diff(second - first)
        inside = np.array(HANDLES[:-1]) < self.half_width, np.array(HANDLES[1:]) > -self.half_width
        return float(np.abs(slopes[inside[0] & inside[1]]).max())

    @property
    def kinks(self) -> tuple[float, ...]:
        """The handles."""
        return HANDLES

    @property
    def reach(self) -> float:
        """Twelve standard deviations beyond the farthest mode, or B if this is smaller."""
        parabola = self.mu / 2 * np.square(HANDLES)
        steepest = max(float(np.abs(np.diff(one - parabola)).max()) for one in self.projected)
        return min(self.half_width, HANDLES[-1] + TAIL_REACH / math.sqrt(self.mu) + steepest / self.mu)

    @property
    def _drawn(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array(self.first), np.array(self.second)


@lru_cache(maxsize=256)
def _nearest(heights: tuple[float, ...], mu: float) -> tuple[float, ...]:
    r"""The point of {second differences ≥ μ} nearest to the drawn heights in the sum of squares.

    .. math:: u = h + D^\top λ, \quad λ = \arg\min_{λ ≥ 0} \|(h - \tfrac μ2 x²) + D^\top λ\|, \quad D \text{ second differences}

    The nearest point makes a subset of the bends (second differences minus μ) 0, and leaves no bend and no multiplier λ
    negative. Rounding may turn a 0 into a tiny number of either sign, so the subset is taken whose smallest bend or
    multiplier is largest.
    """
    target = np.array(heights) - mu / 2 * np.square(HANDLES)
    pushes = _PUSHES @ target
    bends = (target + pushes @ _BENDS) @ _BENDS.T
    best = np.minimum(pushes, bends).min(axis=1).argmax()
    return tuple((np.array(heights) + pushes[best] @ _BENDS).tolist())


def _heights(name: str, heights: Sequence[float]) -> tuple[float, ...]:
    found = tuple(validation.real(name, height) for height in heights)
    if len(found) != len(HANDLES) or not all(0 <= height <= HIGHEST for height in found):
        raise ParameterError(f"{name} must be {len(HANDLES)} numbers from 0 to {HIGHEST:g}, got {found!r}")
    return found


def _through(x: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """The function that is linear between handles and continues with its outer slopes."""
    low, high = HANDLES[0], HANDLES[-1]
    inside = np.interp(x, HANDLES, heights)
    left, right = heights[1] - heights[0], heights[-1] - heights[-2]
    return inside + left * np.minimum(x - low, 0.0) + right * np.maximum(x - high, 0.0)
