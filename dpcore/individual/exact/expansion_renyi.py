"""Rényi divergences of records, the other rows being expanded to third order, by quadrature over the margin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpcore.individual.exact.by_margin import ByMargin
from dpcore.numerics import BLOCK, NEGLIGIBLE, PANEL_NODES, gauss_legendre, log_sum

# Largest |asinh x| of an integral, where x is the margin in standard deviations. If the integrand still matters there,
# the integral counts as divergent. Doubled, that is looked for further out.
_FARTHEST = 9.0
# Nodes of a grid that searches for the integrand, and number of searches. Doubled, the window is hardly narrower.
_COARSE, _ZOOMS = 61, 5
# Number of panels of the quadrature, apart from those that begin where f bends. Doubled, it is as exact.
_PANELS = 8


def expansion_renyi(laws: ByMargin, alpha: np.ndarray, direction: str) -> np.ndarray:
    r"""D_α of every record (n_records, n_orders), nats; inf where it diverges.

    Given the margin, both laws are normal and v apart (`ByMargin`). So with β = α ("remove") or β = 1 − α ("add"),

    .. math:: (α − 1)D_α = \log E_x\,e^{βω_x + β(β − 1)v²/2}

    At α = 1, D_α is the derivative of the right side in α.

    Parameters
    ----------
    laws : the records
    alpha : orders (n_orders,)
    direction : "add" or "remove"
    """
    rows, orders = np.repeat(np.arange(laws.y.size), alpha.size), np.tile(alpha, laws.y.size)
    parts = np.array_split(np.arange(rows.size), 1 + rows.size * _PANELS * PANEL_NODES // BLOCK)
    with np.errstate(all="ignore"):
        found = np.concatenate([_of_some(laws, rows[part], orders[part], direction) for part in parts])
    return found.reshape(laws.y.size, alpha.size)


def relevant(
    log_integrand: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where integrands matter between `low` and `high`, and about where they are largest; all (n_integrals,)."""
    every = np.arange(low.size)
    for _ in range(_ZOOMS):
        at = np.linspace(low, high, _COARSE, axis=1)
        value = log_integrand(at)
        inside = value > value.max(axis=1, keepdims=True) - NEGLIGIBLE
        first = np.maximum(inside.argmax(axis=1) - 1, 0)
        last = np.minimum(_COARSE - inside[:, ::-1].argmax(axis=1), _COARSE - 1)
        low, high = at[every, first], at[every, last]
    return low, high, at[every, value.argmax(axis=1)]


def _of_some(laws: ByMargin, rows: np.ndarray, alpha: np.ndarray, direction: str) -> np.ndarray:
    sign = 1.0 if direction == "remove" else -1.0
    beta = (alpha if direction == "remove" else 1 - alpha)[:, None]

    def log_terms(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """log of the integrand over u = asinh x, and the mean of ω given the margin, under the tilted law."""
        log_density, loss, v = laws.at(rows, np.sinh(u), "add")
        value = log_density + beta * loss + 0.5 * beta * (beta - 1) * v * v + np.log(np.cosh(u))
        return np.where(np.isnan(value), -np.inf, value), loss + (beta - 0.5) * v * v

    ends = (np.full(rows.size, side * _FARTHEST) for side in (-1, 1))
    low, high, _ = relevant(lambda u: log_terms(u)[0], *ends)
    bends = laws.bend[:, None] + np.sinh(np.arange(-3, 4)) / laws.scale[:, None]
    marks = np.clip(np.arcsinh(np.column_stack([laws.kinks, bends])[rows]), low[:, None], high[:, None])
    cuts = np.sort(np.column_stack([np.linspace(low, high, _PANELS + 1, axis=1), marks]), axis=1)
    nodes, weights = gauss_legendre(PANEL_NODES)
    size = np.diff(cuts, axis=1)[:, :, None]
    value, loss_there = log_terms((cuts[:, :-1, None] + size * nodes).reshape(rows.size, -1))
    value = value + np.log(size * weights).reshape(rows.size, -1)
    total = log_sum(value)
    first_order = sign * (np.exp(value) * np.nan_to_num(loss_there)).sum(axis=1)
    divergent = (np.abs(low) >= _FARTHEST) | (np.abs(high) >= _FARTHEST) | ~np.isfinite(total)
    found = np.where(alpha == 1, first_order, total / (alpha - 1))
    return np.where(divergent, np.inf, np.maximum(found, 0.0))
