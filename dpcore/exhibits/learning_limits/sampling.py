"""What drawing from e^{−kf} costs compared with minimising f: exact excess on a few bodies, and the bound d/k."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve
from dpcore.references import formula_card

_LARGEST = 1e6  # largest k; beyond it Bessel functions of high order lose their digits
_SMALL = 1e-4  # for smaller rates a coordinate is nearly uniform, and its excess is taken from a series

SAMPLING_CARD = formula_card(__file__, "sampling")


def _cone(d: int, k: np.ndarray) -> np.ndarray:
    """Height above the apex: s^{d−1}e^{−ks} on [0, 1], a truncated gamma law."""
    return d / k * special.gammainc(d + 1, k) / special.gammainc(d, k)


def _bowl(d: int, k: np.ndarray) -> np.ndarray:
    """‖x‖²/2 on the unit ball: k‖x‖²/2 has a truncated gamma law of shape d/2."""
    return d / (2 * k) * special.gammainc(d / 2 + 1, k / 2) / special.gammainc(d / 2, k / 2)


def _ball(d: int, k: np.ndarray) -> np.ndarray:
    """x₁ on the unit ball: density e^{−kx}(1 − x²)^{(d−1)/2}, whose mean is −I_{d/2+1}(k)/I_{d/2}(k)."""
    return 1 - special.ive(d / 2 + 1, k) / special.ive(d / 2, k)


def _cube(d: int, k: np.ndarray) -> np.ndarray:
    """Σx_i/√d on the unit cube: coordinates are independent exponentials of rate κ = k/√d, truncated at 1."""
    rate = k / np.sqrt(d)
    with np.errstate(over="ignore"):
        one = np.where(rate < _SMALL, 0.5 - rate / 12, 1 / rate - 1 / np.expm1(rate))
    return np.sqrt(d) * one


@dataclass(frozen=True)
class Body:
    """A convex body and a function f on it: name, f in words, whether f is linear, and E f − min f for arrays of k."""

    title: str
    words: str
    linear: bool
    excess: Callable[[int, np.ndarray], np.ndarray]


BODIES: dict[str, Body] = {
    "cone": Body("Cone", "height in a cone of height 1, from its apex", True, _cone),
    "ball": Body("Ball", "one coordinate on the unit ball", True, _ball),
    "cube": Body("Cube", "the diagonal direction of the unit cube, from a corner", True, _cube),
    "bowl": Body("Bowl", "‖x‖²/2 on the unit ball", False, _bowl),
}


def excess_of_draw(body: str, d: int, k: Any) -> np.ndarray:
    r"""E f − min f under e^{−kf} on the body, exactly; never above d/k.

    Parameters
    ----------
    body : name in `BODIES`
    d : int ≥ 1, dimension
    k : floats in (0, 1e6], inverse temperature

    Raises
    ------
    ParameterError

    References: lecture-12 (Theorem 2, Lemma 2).
    """
    found = BODIES[validation.choice("body", body, BODIES)]
    d, k = validation.at_least_one("d", d), validation.real_array("k", k, low=np.finfo(float).tiny, high=_LARGEST)
    with np.errstate(invalid="ignore", over="ignore"):
        excess = np.asarray(found.excess(d, k))
    if not np.isfinite(excess).all():
        raise ParameterError(
            f"k is too small for d = {d}: the law on the {found.title.lower()} cannot be told from uniform"
        )
    return excess


def sampling_curves(d: int, k: Any) -> list[Curve]:
    """E f − min f on each body against k, and as the last curve the bound d/k.

    Parameters
    ----------
    d : dimension
    k : increasing inverse temperatures
    """
    k = np.asarray(k, dtype=float)
    return [
        *(Curve(body.title, k, excess_of_draw(name, d, k), Bound.EXACT) for name, body in BODIES.items()),
        Curve("Bound d/k", k, d / k, Bound.UPPER),
    ]
