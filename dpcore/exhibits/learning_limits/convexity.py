"""A function of one variable, its tangent, and the curves between which its constants keep it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.profiles import Bound
from dpcore.profiles.curves import POINTS, Curve
from dpcore.references import formula_card

HALF_WIDTH = 4.0
SHAPE_HANDLES = (-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0)
SHAPE_HIGHEST = 10.0
VALLEY = (6.0, 3.5, 2.0, 1.2, 1.0, 1.2, 1.6, 2.4, 3.6)
_FINE = 16_001  # points of a grid that contains every place where the curvature of a drawn function changes
_DENT = -1e-9  # a curvature below this is negative beyond rounding


CONVEXITY_CARD = formula_card(__file__, "convexity")


@dataclass(frozen=True)
class Shape:
    """A function of one variable on [−4, 4] with its exact slope and curvature."""

    name: str
    value: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray], np.ndarray]
    curvature: Callable[[np.ndarray], np.ndarray]


SHAPES: dict[str, Shape] = {
    "logistic": Shape(
        "Logistic loss",
        lambda x: np.logaddexp(0.0, -2 * x),
        lambda x: -2 * expit(-2 * x),
        lambda x: 4 * expit(2 * x) * expit(-2 * x),
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


def drawn_shape(heights: Sequence[float]) -> Shape:
    r"""The quadratic spline that nine handles define: its curvature around a handle is the bend of their polygon there.

    .. math:: f'' = c_{i-1} - 2c_i + c_{i+1} \text{ on } |x - x_i| < \tfrac12, \quad
              f'(x_i + \tfrac12) = c_{i+1} - c_i, \quad f(x_i + \tfrac12) = \tfrac12(c_i + c_{i+1})

    The pieces next to the outer handles extend to the ends. So f is convex exactly where the polygon is. Its constants
    are the smallest bend, the largest bend, and the slope of the steepest side or end.

    Parameters
    ----------
    heights : nine numbers c_i in [0, 10] at `SHAPE_HANDLES`
    """
    c = np.array([validation.real("heights", height) for height in heights])
    if len(c) != len(SHAPE_HANDLES) or c.min() < 0 or c.max() > SHAPE_HIGHEST:
        raise ParameterError(
            f"heights must be {len(SHAPE_HANDLES)} numbers from 0 to {SHAPE_HIGHEST:g}, got {tuple(heights)!r}"
        )
    start, side, bend = (c[:-2] + c[1:-1]) / 2, np.diff(c)[:-1], np.diff(c, 2)

    def piece(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x = np.asarray(x, dtype=float)
        i = np.clip(np.floor(x + HALF_WIDTH - 0.5).astype(int), 0, len(bend) - 1)
        return i, x - (i + 0.5 - HALF_WIDTH)

    def value(x: np.ndarray) -> np.ndarray:
        i, past = piece(x)
        return start[i] + side[i] * past + bend[i] / 2 * past**2

    def slope(x: np.ndarray) -> np.ndarray:
        i, past = piece(x)
        return side[i] + bend[i] * past

    return Shape("Your own drawing", value, slope, lambda x: bend[piece(x)[0]])


@dataclass(frozen=True, eq=False)
class Sandwich:
    """The curves around f at x, the true constants, the claims that fail and where, and where f is not convex."""

    function: Curve
    tangent: Curve
    below: Curve
    above: Curve
    cone: tuple[Curve, Curve]
    convexity: float
    smoothness: float
    lipschitz: float
    dents: tuple[tuple[float, float], ...]
    failures: dict[str, float]
    slope: float

    @property
    def window(self) -> tuple[float, float]:
        """A range of heights that contains f with some room."""
        low, high = float(self.function.y.min()), float(self.function.y.max())
        return low - 0.4 * (high - low), high + 0.4 * (high - low)

    def height(self, at: float) -> float:
        """f at a point, interpolated between grid points."""
        return float(np.interp(at, self.function.x, self.function.y))


def sandwich(
    shape: str | Shape, ridge: float, x: float, convexity: float, smoothness: float, lipschitz: float
) -> Sandwich:
    r"""f plus a ridge, and the parabolas and the cone of the claimed constants, which touch it at x.

    .. math:: f(x) + f'(x)(y−x) + \tfrac{λ}{2}(y−x)² ≤ f(y) ≤ f(x) + f'(x)(y−x) + \tfrac{β}{2}(y−x)²,
              \quad |f(y) − f(x)| ≤ L|y−x|

    Parameters
    ----------
    shape : name in `SHAPES`, or a `Shape` such as `drawn_shape` makes
    ridge : λ₀ ≥ 0, adds (λ₀/2)y²
    x : float in [−4, 4], where the curves touch
    convexity, smoothness, lipschitz : claimed λ, β, L ≥ 0

    Returns
    -------
    Sandwich, whose `failures` maps a failed claim to the y nearest to x where it fails.

    References: lecture-10 (Convexity), redberg-koskela-wang-2023 (Definition J.3).
    """
    base = shape if isinstance(shape, Shape) else SHAPES[validation.choice("shape", shape, SHAPES)]
    y = np.linspace(-HALF_WIDTH, HALF_WIDTH, POINTS)
    f = base.value(y) + ridge / 2 * y**2
    place = np.array(x)
    at, slope = float(base.value(place) + ridge / 2 * x**2), float(base.slope(place) + ridge * x)
    gap = y - x
    tangent = at + slope * gap
    below, above = tangent + convexity / 2 * gap**2, tangent + smoothness / 2 * gap**2
    broken = {"strongly convex": below - f, "smooth": f - above, "Lipschitz": np.abs(f - at) - lipschitz * np.abs(gap)}
    failures = {
        name: float(y[excess > 1e-9][np.abs(gap[excess > 1e-9]).argmin()])
        for name, excess in broken.items()
        if (excess > 1e-9).any()
    }
    cone = Curve("L-cone", y, at + lipschitz * np.abs(gap)), Curve("L-cone", y, at - lipschitz * np.abs(gap))
    curves = Curve("f", y, f), Curve("tangent", y, tangent)
    parabolas = Curve("λ-parabola", y, below, Bound.LOWER), Curve("β-parabola", y, above, Bound.UPPER)
    least, largest, steepest, dents = constants(base, ridge)
    return Sandwich(*curves, *parabolas, cone, least, largest, steepest, dents, failures, slope)


@dataclass(frozen=True)
class Chord:
    """The chord of f between x and z, the y where f is highest above it (None if nowhere), and how high it is there."""

    curve: Curve
    failure: float | None
    excess: float


def chord(shape: Shape, ridge: float, x: float, z: float) -> Chord:
    r"""The chord of f plus a ridge, and whether f is nowhere above it, as the first definition of convexity demands.

    .. math:: f(αx + (1−α)z) ≤ αf(x) + (1−α)f(z), \quad 0 ≤ α ≤ 1

    Parameters
    ----------
    shape : a `Shape`
    ridge : λ₀ ≥ 0, adds (λ₀/2)y²
    x, z : ends of the chord

    References: lecture-10 (Convexity).
    """
    y = np.linspace(x, z, POINTS)
    f = shape.value(y) + ridge / 2 * y**2
    straight = np.linspace(f[0], f[-1], POINTS)
    above = f - straight
    worst = int(above.argmax())
    failed = bool(above[worst] > 1e-9)
    return Chord(Curve("chord", y, straight), float(y[worst]) if failed else None, float(max(above[worst], 0.0)))


def minimiser(shape: Shape, ridge: float) -> tuple[float, float]:
    """The minimiser of f plus a ridge on [−4, 4], to 5e-4, and the slope there, which is not 0 if it is an end."""
    fine = np.linspace(-HALF_WIDTH, HALF_WIDTH, _FINE)
    least = float(fine[int((shape.value(fine) + ridge / 2 * fine**2).argmin())])
    return least, float(shape.slope(np.array(least)) + ridge * least)


def constants(shape: Shape, ridge: float) -> tuple[float, float, float, tuple[tuple[float, float], ...]]:
    """Constants of f plus (ridge/2)y² on [−4, 4].

    These are the smallest and the largest curvature, the steepest slope, and the intervals where the curvature is
    negative.
    """
    fine = np.linspace(-HALF_WIDTH, HALF_WIDTH, _FINE)
    curvature = shape.curvature(fine) + ridge
    dented = np.flatnonzero(np.diff(np.concatenate([[False], curvature < _DENT, [False]]).astype(int)))
    dents = tuple((float(fine[a]), float(fine[b - 1])) for a, b in dented.reshape(-1, 2))
    steepest = float(np.abs(shape.slope(fine) + ridge * fine).max())
    return float(curvature.min()), float(curvature.max()), steepest, dents
