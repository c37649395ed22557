"""From a privacy target to the smallest noise that meets it."""

from collections.abc import Callable
from functools import cache

import numpy as np

from dpcore import validation
from dpcore.errors import CalibrationError, ParameterError
from dpcore.profiles import PrivacyProfile
from dpcore.profiles.roots import falling_root, log_excess

_LOG_TOLERANCE = 2.0**-51  # tolerance of the logarithm of the noise
# Where the relative error of δ as computed is above _ROUGHLY, the tolerance is the share _SHARE of that error instead.
_ROUGHLY, _SHARE = 1e-9, 0.01


def calibrate(
    make: Callable[[float], PrivacyProfile],
    epsilon: float,
    delta: float,
    bracket: tuple[float, float] = (1e-3, 1e6),
) -> float:
    """Smallest noise s in the bracket for which `make(s)` is (epsilon, delta)-DP; never below it.

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
        if that already does. Where δ(ε) itself is computed to some width, as by `compose`, the noise is the smallest to
        about that precision.

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
    if not callable(make):
        raise ParameterError(f"make must be a function from noise to a mechanism, got {make!r}")
    epsilon = validation.non_negative("epsilon", epsilon)
    delta = validation.probability("delta", delta, allow_one=False)
    low, high = _bracket(bracket)
    ends = {np.log(low): low, np.log(high): high}
    with np.errstate(divide="ignore"):
        log_target = np.log(delta)

    tolerance = _LOG_TOLERANCE

    @cache
    def excess(log_noise: float) -> float:
        nonlocal tolerance
        profile = make(ends.get(log_noise, float(np.exp(log_noise))))
        if profile.evaluation_error > _ROUGHLY:
            tolerance = max(tolerance, _SHARE * profile.evaluation_error)
        return float(log_excess(profile.log_delta(epsilon), log_target, delta))

    if excess(np.log(low)) <= 0:
        return low
    if excess(np.log(high)) > 0:
        raise CalibrationError(
            f"no noise up to {high:g} gives ({epsilon:g}, {delta:g})-DP: raise the bracket's upper end or relax the target"
        )
    _, root = falling_root(np.vectorize(excess), np.log(low), np.log(high), xatol=tolerance, xrtol=_LOG_TOLERANCE)
    met = float(root)
    return ends.get(met, float(np.exp(met)))


def _bracket(bracket: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = bracket
    except (TypeError, ValueError) as error:
        raise ParameterError(f"bracket must be a pair (low, high), got {bracket!r}") from error
    low, high = validation.positive("bracket low", low), validation.positive("bracket high", high)
    if low >= high:
        raise ParameterError(f"bracket must be increasing, got ({low:g}, {high:g})")
    return low, high
