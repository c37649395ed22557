"""Hockey-stick divergence of two densities given by potentials on an interval: plain adaptive quadrature."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq


def hockey_stick_of_potentials(
    first: Callable[[np.ndarray], np.ndarray],
    second: Callable[[np.ndarray], np.ndarray],
    epsilon: float,
    low: float,
    high: float,
    breaks: Sequence[float] = (),
) -> float:
    """H_{e^ε}(P‖Q) for p ∝ e^{−first}, q ∝ e^{−second} on [low, high]."""
    grid = np.union1d(np.linspace(low, high, 401), [b for b in breaks if low < b < high])
    shift = [float(np.min(one(grid))) for one in (first, second)]

    def masses(one, offset):
        return sum(
            quad(lambda x: float(np.exp(offset - one(np.array([x]))[0])), a, b, epsabs=0, epsrel=1e-11)[0]
            for a, b in zip(grid[:-1:10], np.append(grid[10::10], high)[: len(grid[:-1:10])], strict=True)
        )

    log_p, log_q = (np.log(masses(one, offset)) for one, offset in zip((first, second), shift, strict=True))

    def log_ratio(x):
        x = np.atleast_1d(np.asarray(x, dtype=float))
        return (shift[0] - first(x) - log_p) - (shift[1] - second(x) - log_q) - epsilon

    gaps = log_ratio(grid)
    crossings = [
        brentq(lambda x: log_ratio(x)[0], grid[i], grid[i + 1], xtol=1e-15)
        for i in np.flatnonzero(np.sign(gaps[:-1]) * np.sign(gaps[1:]) < 0)
    ]
    nodes, weights = np.polynomial.legendre.leggauss(10)
    edges = np.union1d(grid, crossings)
    width = np.diff(edges)
    x = (edges[:-1, None] + width[:, None] * (0.5 + 0.5 * nodes)).ravel()
    p = np.exp(shift[0] - first(x) - log_p)
    q = np.exp(shift[1] - second(x) - log_q)
    return float(0.5 * np.repeat(width, 10) * np.tile(weights, len(width)) @ np.maximum(p - np.exp(epsilon) * q, 0.0))
