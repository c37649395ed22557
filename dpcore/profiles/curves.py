"""Sampled curves of a mechanism, on grids that show where it changes: what figures draw and exports carry."""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.profiles.profile import Bound, PrivacyProfile

# Number of points of a sampled curve: fewer than 400, and more than a 1920-pixel screen resolves along a smooth line.
POINTS = 241


@dataclass(frozen=True)
class Curve:
    """Named points (x, y), and what they are: `bound`, or `note` where a note says it better."""

    name: str
    x: np.ndarray
    y: np.ndarray
    bound: Bound = Bound.EXACT
    note: str = field(default="", compare=False)

    @property
    def empty(self) -> bool:
        """Whether the curve has no point to draw: the bound gives no guarantee anywhere."""
        return not np.isfinite(self.y).any()

    def __post_init__(self) -> None:
        if np.shape(self.x) != np.shape(self.y):
            raise ParameterError(f"x and y must have the same shape, got {np.shape(self.x)} and {np.shape(self.y)}")


def delta_curve(
    name: str, mechanism: PrivacyProfile, epsilon_max: float, *, direction: str = "both", points: int = POINTS
) -> Curve:
    """δ(ε) on [0, epsilon_max]; a point where the mechanism reaches δ = 0 is left out of the curve (nan).

    Parameters
    ----------
    name : in the legend
    mechanism : its profile
    epsilon_max : right end, nats
    direction : "both", "add" or "remove"
    points : how many ε
    """
    epsilon = np.linspace(0.0, validation.positive("epsilon_max", epsilon_max), points)
    if mechanism.log_delta(epsilon_max, direction=direction) == -np.inf:  # sample the approach to a pure-DP edge
        edge = float(mechanism.epsilon(0.0, direction=direction))
        epsilon = np.unique(np.concatenate([epsilon, edge * (1 - np.geomspace(1e-12, 0.1, 24))]))
    delta = mechanism.delta(epsilon, direction=direction)
    return Curve(name, epsilon, np.where(delta > 0, delta, np.nan), mechanism.bound)


def guarantee_curve(
    name: str, mechanism: PrivacyProfile, epsilon_max: float, *, points: int = POINTS, note: str = ""
) -> Curve:
    """δ(ε) where the bound says something (δ < 1), nan where it gives no guarantee.

    Parameters
    ----------
    name : in the legend
    mechanism : its profile
    epsilon_max : right end, nats
    points : how many ε
    note : shown with the curve
    """
    epsilon = np.linspace(0.0, validation.positive("epsilon_max", epsilon_max), points)
    return said(Curve(name, epsilon, mechanism.delta(epsilon), mechanism.bound, note))


def said(curve: Curve) -> Curve:
    """δ(ε) where it says something (δ < 1), nan elsewhere."""
    return replace(curve, y=np.where((curve.y > 0) & (curve.y < 1), curve.y, np.nan))


def ratio(curve: Curve, reference: Curve) -> Curve:
    """y of one curve divided by that of another on the same grid."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return Curve(curve.name, curve.x, curve.y / reference.y, curve.bound, curve.note)


def peak(curve: Curve) -> tuple[float, float]:
    """The point (x, y) with the largest finite y; nan where no y is finite."""
    if curve.empty:
        return float("nan"), float("nan")
    at = int(np.nanargmax(np.where(np.isfinite(curve.y), curve.y, np.nan)))
    return float(curve.x[at]), float(curve.y[at])


def tradeoff_curve(name: str, mechanism: PrivacyProfile, *, direction: str = "both", points: int = POINTS) -> Curve:
    """Type-II against type-I error, denser near both ends."""
    half = np.geomspace(1e-4, 0.5, points // 2)
    alpha = np.concatenate([[0.0], half, 1 - half[-2::-1], [1.0]])
    return Curve(name, alpha, mechanism.tradeoff(alpha, direction=direction), mechanism.bound)


def renyi_curve(
    name: str, mechanism: PrivacyProfile, alpha_max: float, *, direction: str = "both", points: int = 81, note: str = ""
) -> Curve:
    """Rényi divergence on orders from 1 to alpha_max, geometric in α − 1.

    Parameters
    ----------
    name : in the legend
    mechanism : its profile
    alpha_max : largest order, > 1
    direction : "both", "add" or "remove"
    points : how many orders
    note : shown with the curve
    """
    alpha = 1 + np.concatenate([[0.0], np.geomspace(0.01, validation.positive("alpha_max", alpha_max - 1), points - 1)])
    return Curve(name, alpha, mechanism.renyi(alpha, direction=direction), mechanism.bound, note)


def table(curves: list[Curve], x_name: str, y_name: str) -> pd.DataFrame:
    """The curves as one long table: mechanism, kind of curve, x, y."""
    frames = [
        pd.DataFrame({"mechanism": curve.name, "is": curve.bound.value, x_name: curve.x, y_name: curve.y})
        for curve in curves
    ]
    return pd.concat(frames, ignore_index=True)


Segment = tuple[list[float], list[float]]  # x and y of both ends


def pin(epsilon: float, delta: float, *, one_sided: bool = False) -> tuple[Segment, Segment]:
    """The lower envelope of a trade-off curve known only to satisfy (ε, δ)-DP, in one direction (`one_sided`) or both.

    It consists of the segments 1 − δ − e^ε α and e^{−ε}(1 − δ − α).
    One direction bounds P[accept] − e^ε P'[accept], and so gives only the line e^{−ε}(1 − δ − α).
    """
    rest, slope = 1.0 - delta, float(np.exp(-epsilon))
    if one_sided:
        return ([0.0, rest], [rest * slope, 0.0]), ([0.0, rest], [rest * slope, 0.0])
    corner = rest * slope / (1 + slope)
    return ([0.0, corner], [rest, corner]), ([corner, rest], [corner, 0.0])
