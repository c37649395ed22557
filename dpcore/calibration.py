"""From a privacy target to the smallest noise that meets it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from dpcore import validation
from dpcore.errors import CalibrationError
from dpcore.profiles import PrivacyProfile

_LOG_DIFFERENCE_LIMIT = 1e4
_ULPS = 64  # how far the root may be nudged upwards, in units in the last place, to reach the safe side


def calibrate(
    make: Callable[[float], PrivacyProfile],
    epsilon: float,
    delta: float,
    bracket: tuple[float, float] = (1e-3, 1e6),
) -> float:
    """Smallest noise s in the bracket for which `make(s)` is (epsilon, delta)-DP; never under.

    Parameters
    ----------
    make : noise → mechanism, with δ(ε) decreasing in the noise.
    epsilon : float ≥ 0, nats.
    delta : float in [0, 1).
    bracket : (low, high), both > 0; the search is on a logarithmic scale.

    Returns
    -------
    float
        A value for which the mechanism built from it meets the target exactly as computed; the bracket's low end
        if that already does.

    Raises
    ------
    CalibrationError
        If even the bracket's high end does not meet the target.

    Examples
    --------
    >>> import dpcore as dp
    >>> round(dp.calibrate(lambda s: dp.Gaussian(s, 1.0), epsilon=1.0, delta=1e-5), 6)
    3.730632
    """
    epsilon = validation.non_negative("epsilon", epsilon)
    delta = validation.probability("delta", delta, allow_one=False)
    low = validation.positive("bracket low", bracket[0])
    high = validation.positive("bracket high", bracket[1])
    if low >= high:
        raise validation.ParameterError(f"bracket must be increasing, got ({low:g}, {high:g})")
    target = np.log(delta) if delta > 0 else -np.inf

    def excess(log_noise: float) -> float:
        log_delta = float(make(float(np.exp(log_noise))).log_delta(epsilon))
        if np.isneginf(log_delta):
            return -_LOG_DIFFERENCE_LIMIT
        return float(np.clip(log_delta - target, -_LOG_DIFFERENCE_LIMIT, _LOG_DIFFERENCE_LIMIT))

    if excess(np.log(low)) <= 0:
        return low
    if excess(np.log(high)) > 0:
        raise CalibrationError(
            f"no noise up to {high:g} gives ({epsilon:g}, {delta:g})-DP: raise the bracket's upper end or relax the target"
        )
    noise = float(np.exp(brentq(excess, np.log(low), np.log(high), xtol=1e-15, rtol=4 * np.finfo(float).eps)))
    step = np.spacing(noise)
    for _ in range(_ULPS):
        if excess(np.log(noise)) <= 0 and float(make(noise).log_delta(epsilon)) <= target:
            return noise
        noise, step = noise + step, 2 * step
    raise CalibrationError(f"δ(ε) does not decrease with the noise near {noise:g}")
