"""Special functions and quadrature in log space, accurate where the textbook forms cancel or overflow."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import special
from scipy.integrate import tanhsinh

LOG_SQRT_2PI = 0.5 * np.log(2 * np.pi)
_ASYMPTOTIC_FROM = 50.0  # beyond, six terms of the asymptotic series of 1 - t R(t) are exact to 1e-17
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)  # exact to round-off for the Mills slope on a unit interval


def log1mexp(x: np.ndarray) -> np.ndarray:
    """log(1 − e^x) for x ≤ 0, accurate at both ends."""
    with np.errstate(divide="ignore"):
        return np.where(x > -np.log(2), np.log(-np.expm1(np.minimum(x, 0.0))), np.log1p(-np.exp(x)))


def mills(t: np.ndarray) -> np.ndarray:
    """Mills ratio R(t) = Φ(−t)/φ(t); overflows to inf below about −37."""
    return np.sqrt(np.pi / 2) * special.erfcx(t / np.sqrt(2))


def mills_slope(t: np.ndarray) -> np.ndarray:
    """−R'(t) = 1 − t R(t) > 0, with the asymptotic series where the difference cancels."""
    t = np.asarray(t, dtype=float)
    far = t > _ASYMPTOTIC_FROM
    near = np.where(far, 0.0, t)
    inverse = 1.0 / np.square(np.where(far, t, _ASYMPTOTIC_FROM))
    series = inverse * (1 - inverse * (3 - inverse * (15 - inverse * (105 - inverse * (945 - inverse * 10395)))))
    return np.where(far, series, 1 - near * mills(near))


def log_mills_difference(a: np.ndarray, width: np.ndarray) -> np.ndarray:
    """log(R(a) − R(a + width)) for a ≥ −1 and 0 < width: an integral of a positive slope when width ≤ 1."""
    a, width = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(width, dtype=float))
    narrow = width <= 1
    span = np.where(narrow, width, 1.0)
    nodes = a[..., None] + span[..., None] * (0.5 + 0.5 * _NODES)
    integral = 0.5 * span * (mills_slope(nodes) @ _WEIGHTS)
    wide = np.where(narrow, 1.0, mills(a) - mills(a + np.where(narrow, 1.0, width)))
    with np.errstate(divide="ignore"):
        far = a > 1e6  # there R(t) = 1/t to twelve digits and the difference has the closed form width/(a b)
        closed = np.log(width) - np.log(np.maximum(a, 1.0)) - np.log(np.maximum(a, 1.0) + width)
        return np.where(far, closed, np.log(np.where(narrow, integral, np.maximum(wide, 0.0))))


def expm1_residual(x: np.ndarray) -> np.ndarray:
    """e^x − 1 − x ≥ 0 without cancellation near 0."""
    x = np.asarray(x, dtype=float)
    small = np.abs(x) < 0.3
    z = np.where(small, x, 0.0)
    series = np.zeros_like(z)
    for k in range(16, 2, -1):
        series = (1.0 + series) * z / k
    series = 0.5 * z * z * (1.0 + series)
    with np.errstate(over="ignore"):
        return np.where(small, series, np.expm1(x) - x)


def log_integral(log_f: Callable[..., np.ndarray], low: np.ndarray, high: np.ndarray, *args: np.ndarray) -> np.ndarray:
    """log ∫ f over [low, high], elementwise, for f ≥ 0 given by its logarithm (tanh-sinh in log space)."""
    with np.errstate(all="ignore"):
        result = tanhsinh(log_f, low, high, args=args, log=True, rtol=np.log(1e-14), maxlevel=10)
    return np.where(low < high, np.real(result.integral), -np.inf)
