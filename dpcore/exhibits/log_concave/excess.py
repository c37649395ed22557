"""What δ is in a picture: the area by which one density rises above e^ε times the other."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.exhibits.log_concave.pair import StronglyLogConcave
from dpcore.profiles.curves import Curve

# Points of each curve, which the browser gets at all positions of a slider. Doubled, kinks are sharper by what a pixel shows.
_POINTS = 161
_DENSE = 3.0  # how much denser the points are in the middle; doubled, curves that lie apart from it have corners
_NEAREST, _LOWEST = 5.0, 0.5  # least ends of the axes of x and of the density
_NEGLIGIBLE = 0.01  # share of its peak up to which a density need not be in sight at the ends of the axis
_STEP = 1.1  # factor by which the end of the axis of the density moves
_TALLEST = 2.5  # multiple of the peak of a density up to which e^ε times the other is in sight


@dataclass(frozen=True, eq=False)
class Excess:
    """One density, e^ε times the other, and δ: the area by which the first is higher."""

    held: Curve
    allowed: Curve
    delta: float

    def beside(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Where the names of both curves stand: halfway up their outer sides, `held` to the right unless it lies left."""
        sign = 1 if _middle(self.held) >= _middle(self.allowed) else -1
        return _side(self.held, sign), _side(self.allowed, -sign)


def excesses(pairs: Sequence[StronglyLogConcave], epsilon: float, direction: str) -> tuple[list[Excess], float, float]:
    """The excess of each pair on one axis, and the ends of the axes of x and of the density, which move in steps.

    Parameters
    ----------
    pairs : pairs of densities
    epsilon : ε ≥ 0, nats
    direction : "add" compares P with e^ε Q, "remove" Q with e^ε P
    """
    far, high = _NEAREST, _LOWEST
    while any(_sticks_out(pair, far) for pair in pairs):
        far *= 2
    x = far * np.sinh(np.linspace(-_DENSE, _DENSE, _POINTS)) / np.sinh(_DENSE)
    found = [_excess(pair, epsilon, direction, x) for pair in pairs]
    while any(max(one.held.y.max(), min(one.allowed.y.max(), _TALLEST * one.held.y.max())) > high for one in found):
        high *= _STEP
    return found, far, high


def _excess(pair: StronglyLogConcave, epsilon: float, direction: str, x: np.ndarray) -> Excess:
    held, other = pair.density(x) if direction == "add" else pair.density(x)[::-1]
    names = ("without", "with") if direction == "add" else ("with", "without")
    delta = float(pair.delta(epsilon, direction=direction))
    return Excess(Curve(names[0], x, held), Curve(names[1], x, math.exp(epsilon) * other), delta)


def _sticks_out(pair: StronglyLogConcave, far: float) -> bool:
    x = np.linspace(-far, far, _POINTS)
    return any(max(one[0], one[-1]) > _NEGLIGIBLE * one.max() for one in pair.density(x))


def _middle(curve: Curve) -> float:
    """Mean of a density."""
    return float(np.trapezoid(curve.x * curve.y, curve.x) / np.trapezoid(curve.y, curve.x))


def _side(curve: Curve, sign: int) -> tuple[float, float]:
    """The last point towards one side at which a curve is at least half as high as its peak."""
    last = np.flatnonzero(curve.y >= curve.y.max() / 2)[-1 if sign > 0 else 0]
    return float(curve.x[last]), float(curve.y[last])
