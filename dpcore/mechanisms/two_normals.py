"""Two normal laws of different mean and variance, those of a ridge prediction without and with one record: δ to round-off."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from dpcore.numerics import (
    LARGEST,
    LARGEST_ROOT,
    NEGLIGIBLE,
    WINDOW,
    WINDOW_NODES,
    gauss_legendre,
    log1mexp,
    log_mills_difference,
    log_normal,
    mills,
)

# Where the ratio of two terms is below this, their difference loses digits: it is then computed as the integral of a
# positive integrand. Doubled, more differences are integrated.
_CANCELLING = 1.5
_LARGE = 0.75  # such a δ is computed from 1 − δ instead, where 1 − δ is below this


def log_two_normals(epsilon: Any, leverage: Any, shift: Any, direction: str) -> np.ndarray:
    r"""log δ(ε) between N(m, μ) and N(m/(1+μ), μ/(1+μ)), broadcast over ε ≥ 0, leverage μ ≥ 0 and shift m ≥ 0.

    These are the laws of √γ(y − xᵀθ) without and with the record. With q² = 1+μ and ℓ(t) = ½(t² − m²/q² − log q²)
    the log ratio,

    .. math::
        δ_\text{add} &= P[|t|>c] − e^ε P'[|t|>c], \quad c² = m²/q² + \log q² + 2ε \\
        δ_\text{remove} &= P'[|t|<c] − e^ε P[|t|<c], \quad c² = m²/q² + \log q² − 2ε

    each written as sums of positive terms (Mills ratios), or integrated where that is not possible.
    """
    epsilon, leverage, shift = np.broadcast_arrays(
        np.asarray(epsilon, dtype=float), np.asarray(leverage, dtype=float), np.asarray(shift, dtype=float)
    )
    # Beyond these values ε is too large to be of use.
    leverage, shift = np.minimum(leverage, LARGEST), np.minimum(shift, LARGEST_ROOT)
    seen = (leverage > 0) & np.isfinite(epsilon)
    kernel = _log_add if direction == "add" else _log_remove
    with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
        value = kernel(np.where(seen, epsilon, 1.0), np.where(seen, leverage, 1.0), shift)
    return np.where(seen, np.minimum(value, 0.0), -np.inf)


def _log_add(epsilon: np.ndarray, mu: np.ndarray, m: np.ndarray) -> np.ndarray:
    r"""log δ_add, each tail of |t| > c by itself.

    With a, b the ends c, −c in standard deviations of the law without the record,

    .. math:: δ_\text{add} = φ(a)\left[R(a) − R(a') + \tfrac{q−1}{q}R(a')\right]
              + φ(b)\left[R(b) − R(b') + \tfrac{q−1}{q}R(b')\right]

    a' = a + a_width and b' the same ends in those of the law with it; large δ from 1 − δ.
    """
    root, q = np.sqrt(mu), np.sqrt(1 + mu)
    excess = 2 * epsilon + np.log1p(mu)
    c = np.hypot(np.sqrt(excess), m / q)
    step = root / (q * (1 + q))
    a = (excess / root - (m / q) * (m / q) * root) / (c + m)
    a_width = step * (c * q + m)
    b = (c + m) / root
    b_width = step * q * q * excess / (c * q + m)
    log_gap = np.log(mu / (q * (1 + q)))
    upper = log_normal(a) + np.logaddexp(
        log_mills_difference(np.maximum(a, -1.0), a_width), log_gap + _log_mills(np.maximum(a + a_width, 0.0))
    )
    lower = log_normal(b) + np.logaddexp(log_mills_difference(b, b_width), log_gap + _log_mills(b + b_width))
    missed = special.ndtr(a) - special.ndtr(-b) + np.exp(log_normal(a)) * mills(np.maximum(a + a_width, 0.0)) / q
    missed = missed + np.exp(log_normal(b)) * mills(b + b_width) / q
    large = (a < 0) & (a_width > 1)
    return np.where(large, np.log1p(-np.clip(missed, 0.0, 1.0)), np.logaddexp(upper, lower))


def _log_remove(epsilon: np.ndarray, mu: np.ndarray, m: np.ndarray) -> np.ndarray:
    r"""log δ_remove, each end of |t| < c by itself, with Mills ratios R(t) = Φ(−t)/φ(t).

    On the set |t| < c the law with the record is the denser. Its ends are measured in standard deviations. From the mean of the
    law with the record, the end c is at −y and the end −c at the distance `far`. From the mean of the law without it,
    they are at −x and at the distance `near`. The densities meet there, where e^ε φ(x) = q φ(y) and
    e^ε φ(near) = q φ(far), so that

    .. math:: δ_\text{remove} = φ(y)\left[R(y) − R(x) − (q−1)R(x)\right]
              + φ(\text{far})\left[(q−1)R(\text{near}) + R(\text{near}) − R(\text{far})\right]

    Where a bracket cancels, large δ are taken from 1 − δ, and the others from a quadrature of a positive integrand.
    """
    root, q = np.sqrt(mu), np.sqrt(1 + mu)
    excess = np.log1p(mu) - 2 * epsilon
    square = excess + (m / q) ** 2
    somewhere = square > 0
    c = np.sqrt(np.where(somewhere, square, 1.0))
    step, log_gap = root / (q * (1 + q)), np.log(mu / (1 + q))  # the gap is q − 1
    y = -((m / q) * (m / q) * root + q * q * excess / root) / (m / q + c * q)
    from_y_to_x = step * (m + c * q)  # subtracting x and y, or far and near, would lose digits
    x = y + from_y_to_x
    far, near = (c * q + m / q) / root, (c + m) / root
    from_near_to_far = step * q * q * np.abs(excess) / (c * q + m)

    gain = log_mills_difference(np.maximum(y, -1.0), from_y_to_x)
    loss = log_gap + _log_mills(np.maximum(x, -1.0))
    sound = (y >= -1) & (gain > loss + np.log(_CANCELLING))
    upper = log_normal(y) + gain + log1mexp(np.minimum(loss - gain, 0.0))

    base = log_gap + _log_mills(near)
    change = log_mills_difference(np.minimum(near, far), from_near_to_far)  # far − near has the sign of `excess`
    cancelling = (excess < 0) & (base < change + np.log(_CANCELLING))
    difference = base + log1mexp(np.minimum(change - base, 0.0))
    added = (excess >= 0) | cancelling  # where the bracket cancels, an upper bound
    lower = np.where(added, np.logaddexp(base, change), difference) + log_normal(far)

    by_ends = sound & ~(cancelling & (lower > upper - NEGLIGIBLE))
    missed = special.ndtr(y) + special.ndtr(-far) + q * np.exp(log_normal(y)) * mills(np.maximum(x, -1.0))
    missed = missed - q * np.exp(log_normal(far)) * mills(near)  # 1 − δ = P'(outside) + e^ε P(inside)
    large = ~by_ends & (x >= -1) & (missed < _LARGE)
    value = np.where(cancelling, upper, np.logaddexp(upper, lower))
    value = np.where(large, np.log1p(-np.clip(missed, 0.0, 1.0)), value)
    rest = somewhere & ~by_ends & ~large
    if np.any(rest):
        length, curvature = 2 * c * q / root, mu / (q * q)
        value[rest] = _log_integral(y[rest], length[rest], curvature[rest])
    return np.where(somewhere, value, -np.inf)


def _log_integral(y: np.ndarray, length: np.ndarray, curvature: np.ndarray) -> np.ndarray:
    """log ∫_0^length φ(y+w)(1 − exp(−½·curvature·w(length−w))) dw over the window that carries the mass."""
    tilt = np.maximum(y, 0.0)
    start = np.clip(-y - WINDOW, 0.0, length)
    reach = np.where(y > 0, WINDOW**2 / (tilt + np.hypot(tilt, WINDOW)), WINDOW - np.minimum(y, 0.0))
    span = np.minimum(reach, length) - start
    nodes, weights = gauss_legendre(WINDOW_NODES)
    w = start[:, None] + span[:, None] * nodes
    exponent = np.where(y[:, None] > 0, -w * (y[:, None] + 0.5 * w), -0.5 * (y[:, None] + w) ** 2)
    factor = -np.expm1(-0.5 * curvature[:, None] * w * (length[:, None] - w))
    return log_normal(tilt) + np.log(span) + np.log((np.exp(exponent) * factor) @ weights)


def _log_mills(t: np.ndarray) -> np.ndarray:
    return np.log(mills(t))


def normal_renyi_terms(alpha: np.ndarray, ratio: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""D_α of N(m₁, 1) from N(m₂, s²), s² = ratio: the part without the means, and the factor of (m₁−m₂)².

    .. math:: D_α = \tfrac12\log s² + \frac{\log(s²/s_*²)}{2(α−1)} + \frac{α(m_1−m_2)²}{2s_*²}, \quad s_*² = αs² + 1 − α

    (at α = 1 the Kullback–Leibler divergence; inf where s*² ≤ 0).
    """
    with np.errstate(all="ignore"):
        mixed = alpha * ratio + (1 - alpha)
        plain = np.where(
            alpha == 1,
            0.5 * np.log(ratio) + 0.5 / ratio - 0.5,
            0.5 * np.log(ratio) + 0.5 * np.log(ratio / mixed) / (alpha - 1),
        )
        return np.where(mixed > 0, plain, np.inf), np.where(mixed > 0, 0.5 * alpha / mixed, np.inf)
