"""Where a falling curve meets a target: the smallest such place, from the safe side."""

from typing import Any

import numpy as np
from scipy.optimize import elementwise

from dpcore.numerics import CUT

_LARGEST = 1e30  # a curve still above its target here meets it nowhere
_WIDENINGS = 60  # how often a search may widen its bracket; doubled, nothing changes: _LARGEST is reached before
_LAST_BISECTIONS = 3  # these lead from the root finder's two ulps to the neighbouring float


def log_excess(log_value: np.ndarray, log_target: np.ndarray, target: np.ndarray | float | None = None) -> np.ndarray:
    """log value − log target, clipped: ≤ 0 exactly where value ≤ target, or log value ≤ log target if none is given."""
    met = log_value <= log_target
    if target is not None:  # the slack only matters where the number underflows
        met = (np.exp(log_value) <= target) & (log_value <= log_target + 1)
    with np.errstate(invalid="ignore"):
        difference = np.where(np.isneginf(log_value), -CUT, log_value - log_target)
    difference = np.clip(difference, -CUT, CUT)
    return np.where(met, np.minimum(difference, 0.0), np.maximum(difference, np.finfo(float).tiny))


def falling_root(
    excess: Any, low: Any, high: Any, *args: np.ndarray, xatol: float = 0.0, xrtol: float = 2.0**-51
) -> tuple[np.ndarray, np.ndarray]:
    """The ends of a narrow bracket around the root of a falling excess, which is ≤ 0 at the right end.

    Parameters
    ----------
    excess : function of x and `args`, elementwise
    low, high : where it is > 0, and where it is ≤ 0
    xatol, xrtol : width of the bracket, absolute and relative to x
    """
    tolerances = {"xatol": xatol, "xrtol": xrtol, "fatol": 0.0, "frtol": 0.0}
    found = elementwise.find_root(excess, (low, high), args=args, tolerances=tolerances, maxiter=500)
    left, right = found.bracket
    return left, np.where(found.f_bracket[0] <= 0, left, right)


def smallest_root(excess: Any, *args: np.ndarray, guess: Any = 0.5, step: Any = 0.5) -> np.ndarray:
    """Smallest x ≥ 0 with excess(x, *args) ≤ 0 for a falling excess, from the safe side; inf if there is none.

    The guess is widened by growing steps to a bracket, so that nothing far from the root is evaluated.
    """
    guess, step, *rest = np.broadcast_arrays(guess, step, *args)
    args = tuple(rest)
    low, high = np.maximum(guess - step, 0.0), guess + step
    for _ in range(_WIDENINGS):
        none = excess(high, *args) > 0
        short, far = none & (high < _LARGEST), ~none & (low > 0)
        if far.any():
            far &= excess(low, *args) <= 0
        if not (short | far).any():
            break
        low, high = np.where(short, high, low), np.where(far, low, high)
        low, high = np.where(far, np.maximum(low - step, 0.0), low), np.where(short, high + step, high)
        step = np.where(short | far, 4 * step, step)
    solve = ~none & ~((low == 0) & (excess(low, *args) <= 0))
    result = np.where(none, np.inf, 0.0)
    if solve.any():
        inputs = tuple(arg[solve] for arg in args)
        left, right = falling_root(excess, low[solve], high[solve], *inputs)
        for _ in range(_LAST_BISECTIONS):
            middle = left + (right - left) / 2
            met = excess(middle, *inputs) <= 0
            left, right = np.where(met, left, middle), np.where(met, middle, right)
        result[solve] = right
    return result
