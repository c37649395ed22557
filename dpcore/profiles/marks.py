"""One attack in three views: a point of the privacy profile, of the trade-off curve, and of the Rényi curve."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import elementwise

from dpcore import validation
from dpcore.profiles.curves import Curve
from dpcore.profiles.profile import PrivacyProfile
from dpcore.profiles.renyi import log_delta_at_order

_STEP = 1e-3  # step of the differences for the slope of δ, as a share of the scale on which δ falls
_STENCIL = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))  # places in steps, and weights, of these differences
_TOLERANCES = {"xatol": 1e-10, "xrtol": 0.0, "fatol": 0.0, "frtol": 0.0}  # of the search for the best log(α − 1)


@dataclass(frozen=True, eq=False)
class Attacks:
    """The best attacks at some ε: those that attain δ(ε), by their two errors."""

    epsilon: np.ndarray
    delta: np.ndarray
    false_alarms: np.ndarray
    misses: np.ndarray


def attacks(mechanism: PrivacyProfile, epsilon: Any, direction: str = "both") -> Attacks:
    r"""Where the trade-off curve f has slope −e^ε, so that its tangent there is one point of the privacy profile.

    .. math:: α = −\frac{dδ}{d e^ε}, \quad f(α) = 1 − δ(ε) − e^ε α

    Where the directions differ and one is shown, δ(ε) is a tangent of the curve with the errors exchanged: the slope
    is −e^{−ε} and δ = 1 − α − e^ε f(α). At a corner of the curve, which has many tangents, the point is the corner.
    """
    epsilon = validation.real_array("epsilon", epsilon, low=0.0)
    start = float(mechanism.delta(0.0, direction=direction))
    scale = float(mechanism.epsilon(0.1 * start, direction=direction))
    step = _STEP * (scale if 0 < scale < 1 else 1.0)
    delta = np.asarray(mechanism.delta(epsilon, direction=direction))
    around = {k: np.asarray(mechanism.delta(epsilon + k * step, direction=direction)) for k, _ in _STENCIL}
    slope = sum(weight * around[k] for k, weight in _STENCIL) / step
    rest, factor = 1.0 - delta, np.exp(epsilon)
    # δ is convex in e^ε, so its slope lies between those of two secants.
    right, left = factor * np.expm1(step), -factor * np.expm1(-step)
    steep = np.clip(-slope / factor, (delta - around[1]) / right, (around[-1] - delta) / left)
    steep = np.clip(steep, 0.0, rest / factor)
    flat = rest - factor * steep
    if mirrored(mechanism, direction):
        return Attacks(epsilon, delta, flat, steep)
    return Attacks(epsilon, delta, steep, flat)


def mirrored(mechanism: PrivacyProfile, direction: str) -> bool:
    """Whether δ(ε) of this direction is a tangent of slope −e^{−ε} of its trade-off curve, and of none with slope −e^ε."""
    return direction != "both" and not mechanism.symmetric


def best_order(
    curve: Curve, mechanism: PrivacyProfile, epsilon: Any, direction: str = "both"
) -> tuple[np.ndarray, np.ndarray]:
    r"""The order α whose divergence bounds δ(ε) best, and D_α there.

    .. math:: \min_α \; (α−1)\left(D_α − ε + \log(1 − 1/α)\right) − \log α

    nan where that order lies beyond the curve. Without a closed form it is one of the sampled orders.

    Parameters
    ----------
    curve : Rényi divergences against their orders, as drawn
    mechanism : whose curve it is
    epsilon : float or array, nats
    direction : as of the curve

    References: canonne-kamath-steinke-2020.
    """
    epsilon = np.atleast_1d(validation.real_array("epsilon", epsilon, low=0.0))
    order, divergence = curve.x[1:] - 1, curve.y[1:]
    values = log_delta_at_order(order[:, None], divergence[:, None], epsilon)
    best = np.nan_to_num(values, nan=np.inf).argmin(axis=0)
    inside = (best > 0) & (best < order.size - 1)
    at = np.clip(best, 1, order.size - 2)
    if not mechanism.has_closed_renyi:
        return np.where(inside, 1 + order[at], np.nan), np.where(inside, divergence[at], np.nan)

    def bound(log_order: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
        excess = np.exp(log_order)
        return log_delta_at_order(excess, mechanism.renyi(1 + excess, direction=direction), epsilon)

    bracket = tuple(np.log(order)[at + k] for k in (-1, 0, 1))
    found = elementwise.find_minimum(bound, bracket, args=(epsilon,), tolerances=_TOLERANCES)
    alpha = 1 + np.exp(np.where(inside & np.isfinite(found.x), found.x, np.log(order)[at]))
    return np.where(inside, alpha, np.nan), np.where(inside, mechanism.renyi(alpha, direction=direction), np.nan)
