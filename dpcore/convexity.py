"""A function under the magnifying glass: its tangent, and the curves that its constants squeeze it between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.curves import POINTS, Curve
from dpcore.profiles import Bound

HALF_WIDTH = 4.0


@dataclass(frozen=True)
class Shape:
    """A function of one variable on [−4, 4] with its slope and, exactly, its constants there."""

    name: str
    value: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray], np.ndarray]
    curvature: Callable[[np.ndarray], np.ndarray]


def _softplus(x: np.ndarray) -> np.ndarray:
    return np.logaddexp(0.0, -2 * x)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(2 * x))


SHAPES: dict[str, Shape] = {
    "logistic": Shape(
        "Logistic loss", _softplus, lambda x: -2 * _sigmoid(x), lambda x: 4 * _sigmoid(x) * (1 - _sigmoid(x))
    ),
    "huber": Shape(
        "Huber loss",
        lambda x: np.where(np.abs(x) < 1, x**2 / 2, np.abs(x) - 0.5),
        lambda x: np.clip(x, -1, 1),
        lambda x: (np.abs(x) < 1).astype(float),
    ),
    "wave": Shape(
        "Wave (not convex)",
        lambda x: 1 + np.sin(1.5 * x) / 1.5,
        lambda x: np.cos(1.5 * x),
        lambda x: -1.5 * np.sin(1.5 * x),
    ),
}


@dataclass(frozen=True, eq=False)
class Sandwich:
    """The curves around f at x, the true constants, and which of the claimed ones fail and where."""

    function: Curve
    tangent: Curve
    below: Curve
    above: Curve
    cone: tuple[Curve, Curve]
    convexity: float
    smoothness: float
    lipschitz: float
    failures: dict[str, float]

    @property
    def window(self) -> tuple[float, float]:
        """A range of heights that holds f with some room."""
        low, high = float(self.function.y.min()), float(self.function.y.max())
        return low - 0.4 * (high - low), high + 0.4 * (high - low)

    def height(self, at: float) -> float:
        """f at a point, between grid points by interpolation."""
        return float(np.interp(at, self.function.x, self.function.y))


def sandwich(shape: str, ridge: float, x: float, convexity: float, smoothness: float, lipschitz: float) -> Sandwich:
    r"""f plus a ridge, touched at x by the parabolas and the cone of the claimed constants.

    .. math:: f(x) + f'(x)(y−x) + \tfrac{λ}{2}(y−x)² ≤ f(y) ≤ f(x) + f'(x)(y−x) + \tfrac{β}{2}(y−x)²,
              \quad |f(y) − f(x)| ≤ L|y−x|

    Parameters
    ----------
    shape : name in `SHAPES`
    ridge : λ₀ ≥ 0, adds (λ₀/2)y²
    x : float in [−4, 4], where the curves touch
    convexity, smoothness, lipschitz : claimed λ, β, L ≥ 0

    Returns
    -------
    Sandwich, whose `failures` maps a failed claim to the y nearest to x where it fails.

    References: lecture-10.
    """
    base = SHAPES[validation.choice("shape", shape, SHAPES)]
    ridge = validation.non_negative("ridge", ridge)
    x = float(np.clip(validation.real("x", x), -HALF_WIDTH, HALF_WIDTH))
    claims = [
        validation.non_negative(name, value)
        for name, value in (("convexity", convexity), ("smoothness", smoothness), ("lipschitz", lipschitz))
    ]
    y = np.linspace(-HALF_WIDTH, HALF_WIDTH, POINTS)
    f = base.value(y) + ridge / 2 * y**2
    at, slope = float(base.value(np.float64(x)) + ridge / 2 * x**2), float(base.slope(np.float64(x)) + ridge * x)
    gap = y - x
    tangent = at + slope * gap
    below, above = tangent + claims[0] / 2 * gap**2, tangent + claims[1] / 2 * gap**2
    broken = {
        "strongly convex": below - f,
        "smooth": f - above,
        "Lipschitz": np.abs(f - at) - claims[2] * np.abs(gap),
    }
    failures = {
        name: float(y[excess > 1e-9][np.abs(gap[excess > 1e-9]).argmin()])
        for name, excess in broken.items()
        if (excess > 1e-9).any()
    }
    fine = np.linspace(-HALF_WIDTH, HALF_WIDTH, 20_001)
    curvature = base.curvature(fine) + ridge
    return Sandwich(
        Curve("f", y, f),
        Curve("tangent", y, tangent),
        Curve("λ-parabola", y, below, Bound.LOWER),
        Curve("β-parabola", y, above, Bound.UPPER),
        (Curve("L-cone", y, at + claims[2] * np.abs(gap)), Curve("L-cone", y, at - claims[2] * np.abs(gap))),
        float(curvature.min()),
        float(curvature.max()),
        float(np.abs(base.slope(fine) + ridge * fine).max()),
        failures,
    )
