"""δ(ε) of objective perturbation for arrays of parameters at once."""

from typing import Any

import numpy as np

from dpcore import validation
from dpcore.mechanisms.objective_perturbation.hockey_stick import log_bound
from dpcore.mechanisms.objective_perturbation.mechanism import LARGEST_CURVATURE, LARGEST_SHIFT, LOG_TERMS
from dpcore.mechanisms.objective_perturbation.other_bounds import KiferBound
from dpcore.mechanisms.objective_perturbation.renyi import RenyiBound
from dpcore.mechanisms.objective_perturbation.tight import log_tight
from dpcore.profiles import DIRECTIONS
from dpcore.profiles.renyi import log_delta_from_renyi

SWEPT = ("tight", "hockey_stick", "renyi", "kifer", "half_normal", "lower")


def log_delta_over(
    epsilon: Any,
    *,
    sigma: Any,
    lam: Any,
    lipschitz: Any,
    smoothness: Any,
    bound: str = "tight",
    monotone: bool = True,
    log_term: str = "minus",
) -> np.ndarray:
    """log δ(ε) of objective perturbation for arrays of parameters at once: the fast path of calibration sweeps.

    Parameters
    ----------
    epsilon, sigma, lam, lipschitz, smoothness : floats or arrays, broadcast against each other; ε ≥ 0.
    bound : one of `SWEPT`.
    monotone, log_term : as for `ObjectivePerturbation`.

    Returns
    -------
    Array of the broadcast shape; 0 where the bound says nothing.

    Raises
    ------
    ParameterError
        If a value is out of range.
    """
    validation.choice("bound", bound, SWEPT)
    validation.choice("log_term", log_term, LOG_TERMS)
    tiny = np.finfo(float).tiny
    epsilon = validation.real_array("epsilon", epsilon, low=0.0)
    sigma, lam = validation.real_array("sigma", sigma, low=tiny), validation.real_array("lam", lam, low=tiny)
    lipschitz = validation.real_array("lipschitz", lipschitz, low=tiny)
    smoothness = validation.real_array("smoothness", smoothness, low=0.0)
    shift = validation.real_array("lipschitz/sigma", lipschitz / sigma, low=1 / LARGEST_SHIFT, high=LARGEST_SHIFT)
    curvature = validation.real_array("smoothness/lam", smoothness / lam, high=LARGEST_CURVATURE)
    epsilon, shift, curvature = np.broadcast_arrays(epsilon, shift, curvature)
    if bound == "tight":
        monotone = validation.flag("monotone", monotone)
        return np.maximum(*(log_tight(epsilon, shift, curvature, direction, monotone) for direction in DIRECTIONS))
    if bound == "lower":
        return log_tight(epsilon, shift, np.zeros(()), "add", True)
    if bound == "kifer":
        return KiferBound.log_bound(epsilon, shift, curvature)
    if bound == "half_normal":
        return np.minimum(log_bound(epsilon, shift, np.zeros(())), 0.0)
    silent = (curvature >= 1) & (log_term == "minus")
    jump = np.log1p(curvature) if log_term == "plus" else -np.log1p(-np.where(silent, 0.0, curvature))
    if bound == "renyi":
        found = log_delta_from_renyi(RenyiBound.divergence, epsilon, (shift, jump))
    else:
        found = np.minimum(log_bound(epsilon, shift, jump), 0.0)
    return np.where(silent, 0.0, found)
