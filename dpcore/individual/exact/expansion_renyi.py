"""Rényi divergences of records, the other rows being expanded to third order, by quadrature over the margin."""

from __future__ import annotations

import numpy as np

from dpcore.glm import Clipped, Loss
from dpcore.individual.exact.straight import bent
from dpcore.individual.fit.glm import Records
from dpcore.numerics import LOG_SQRT_2PI, log_sum

# Largest |asinh x| of an integral, where x is the margin in standard deviations. If the integrand still matters there,
# the integral counts as divergent. Doubled, that is looked for further out.
_FARTHEST = 9.0
# Nodes of a grid that searches for the integrand, nodes of the quadrature, and number of searches. With more of them,
# the window is narrower, the quadrature finer.
_COARSE, _FINE, _ZOOMS = 61, 97, 5
# An integrand this many nats below its peak is below round-off. Doubled, windows are wider.
_DEPTH = 42.0
# Nodes of all records and orders that are computed at once. Doubled, twice the memory.
_AT_ONCE = 1 << 16


def expansion_renyi(loss: Loss, records: Records, sigma: float, alpha: np.ndarray, direction: str) -> np.ndarray:
    r"""D_α of every record (n_records, n_orders), nats; inf where it diverges.

    Given m = o + log(1 + κ(m₋ − o + Sx))/κ, x ~ N(0, 1), the noise T is normal, and ω = a + BT is linear in it. So with
    β = α ("remove") or β = 1 − α ("add"),

    .. math:: (α − 1)D_α = \log E_x\,e^{β(a + Bτ) + β²B²v²/2}, \quad a = \log\left(1 + f''h_−\frac{dm}{dm_−}\right) − B²/2,
              \quad B = \frac{‖x‖}{σ}f'(m),
              \quad τ = −\frac{g}{S}x, \quad v = \frac sS, \quad S² = s² + g²

    At α = 1, D_α is the derivative of the right side in α.

    Parameters
    ----------
    loss : f, not clipped
    records : what the expansion knows of each record
    sigma : noise σ
    alpha : orders (n_orders,)
    direction : "add" or "remove"
    """
    result = np.zeros((records.y.size, alpha.size))
    seen = np.flatnonzero(records.norm > 0)
    step = max(1, _AT_ONCE // (alpha.size * _FINE))
    with np.errstate(all="ignore"):
        for start in range(0, seen.size, step):
            rows = seen[start : start + step]
            result[rows] = _of_some(loss, Records(*(v[rows] for v in vars(records).values())), sigma, alpha, direction)
    return result


def _of_some(loss: Loss, records: Records, sigma: float, alpha: np.ndarray, direction: str) -> np.ndarray:
    g, s, k = (
        part[:, None, None]
        for part in (sigma * records.leverage / records.norm, sigma * records.spread, records.norm / sigma)
    )
    S = np.hypot(s, g)
    own = Clipped(loss, records.limit[:, None, None]) if np.isfinite(records.limit).any() else loss
    margin, y, origin, skew = (
        part[:, None, None] for part in (records.margin, records.y, records.origin, records.skew)
    )
    beta = (alpha if direction == "remove" else 1 - alpha)[None, :, None]

    def log_terms(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """log of the integrand, and the mean of ω given the margin, under the tilted law of the noise."""
        moved, rate = bent(margin - origin + S * x, skew)
        m = origin + moved
        B, log_slope = k * own.derivative(m, y), np.log1p(own.second_derivative(m, y) * g * k * rate)
        a, mean, square = log_slope - 0.5 * B * B, -g / S * x, np.square(B * s / S)
        value = beta * (a + B * mean) + 0.5 * beta * beta * square - 0.5 * x * x - LOG_SQRT_2PI
        return np.where(np.isnan(value), -np.inf, value), a + B * mean + beta * square

    low, high = (np.full((records.y.size, alpha.size), side * _FARTHEST) for side in (-1, 1))
    for _ in range(_ZOOMS):
        u = low[..., None] + (high - low)[..., None] * np.linspace(0, 1, _COARSE)
        value = log_terms(np.sinh(u))[0] + np.log(np.cosh(u))
        top = value.max(axis=2, keepdims=True)
        inside = value > top - _DEPTH
        first = np.maximum(inside.argmax(axis=2) - 1, 0)
        last = np.minimum(_COARSE - inside[..., ::-1].argmax(axis=2), _COARSE - 1)
        low, high = (np.take_along_axis(u, at[..., None], axis=2)[..., 0] for at in (first, last))
    u = low[..., None] + (high - low)[..., None] * np.linspace(0, 1, _FINE)
    value, loss_there = log_terms(np.sinh(u))
    value = value + np.log(np.cosh(u)) + np.log((high - low) / (_FINE - 1))[..., None]
    total = log_sum(value)
    sign = 1.0 if direction == "remove" else -1.0
    first_order = sign * (np.exp(value) * np.nan_to_num(loss_there)).sum(axis=2)
    divergent = (np.abs(low) >= _FARTHEST) | (np.abs(high) >= _FARTHEST) | ~np.isfinite(total)
    found = np.where(alpha == 1, first_order, total / (alpha - 1))
    return np.where(divergent, np.inf, np.maximum(found, 0.0))
