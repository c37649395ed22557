"""Root finding from a good first guess, where each evaluation far from it is expensive."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import elementwise

_WIDENINGS = 60


def root_near(excess: Any, args: tuple[np.ndarray, ...], guess: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Smallest x ≥ 0 with excess(x, *args) ≤ 0 for a decreasing excess, from the safe side; inf if none is found.

    The guess is widened by growing steps to a bracket, so that nothing far from the root is evaluated.
    """
    guess, step, *rest = np.broadcast_arrays(guess, step, *args)
    args = tuple(rest)
    low, high = np.maximum(guess - step, 0.0), guess + step
    for _ in range(_WIDENINGS):
        short = excess(high, *args) > 0
        if not short.any():
            break
        low = np.where(short, high, low)
        step = np.where(short, 2 * step, step)
        high = np.where(short, high + step, high)
    none = excess(high, *args) > 0
    for _ in range(_WIDENINGS):
        far = (excess(low, *args) <= 0) & (low > 0)
        if not far.any():
            break
        high = np.where(far, low, high)
        step = np.where(far, 2 * step, step)
        low = np.where(far, np.maximum(low - step, 0.0), low)
    zero = (low == 0) & (excess(low, *args) <= 0)
    solve = ~none & ~zero
    result = np.where(none, np.inf, 0.0)
    if solve.any():
        inputs = tuple(arg[solve] for arg in args)
        tolerances = {"xatol": 0.0, "xrtol": 2.0**-51, "fatol": 0.0, "frtol": 0.0}
        found = elementwise.find_root(
            excess, (low[solve], high[solve]), args=inputs, tolerances=tolerances, maxiter=500
        )
        left, right = found.bracket
        result[solve] = np.where(found.f_bracket[0] <= 0, left, right)
    return result
