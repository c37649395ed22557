"""Objective perturbation whose solver stops early: privacy as a function of the gradient norm τ and the noise σ_out."""

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError
from dpcore.mechanisms import ApproximateMinimaPerturbation, ObjectivePerturbation
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve

OUTPUT_NOISES = (1e-3, 10.0)  # smallest and largest σ_out
_LARGEST_SHIFT = 30.0  # largest 2τ/(λσ_out) for which ε is computed; ε is in the hundreds there


def stopped(exact: ObjectivePerturbation, tau: float, sigma_out: float) -> ApproximateMinimaPerturbation:
    """The same mechanism under the same bound; its solver stops at ‖∇‖ ≤ τ, and N(0, σ_out² I) is added to the result.

    Parameters
    ----------
    exact : ObjectivePerturbation
    tau : ≥ 0
    sigma_out : > 0

    Raises
    ------
    ParameterError

    References: redberg-koskela-wang-2023 (Theorem 4.1).
    """
    return ApproximateMinimaPerturbation(
        exact.sigma, exact.lam, exact.lipschitz, exact.smoothness, tau, sigma_out, exact.analysis,
        monotone=exact.monotone, log_term=exact.log_term,
    )  # fmt: skip


def budget_by_output_noise(name: str, exact: ObjectivePerturbation, tau: float, delta: float, points: int) -> Curve:
    """ε at δ of the stopped mechanism against σ_out; nan where the second release reveals nearly everything.

    Parameters
    ----------
    name : name of the curve
    exact : ObjectivePerturbation
    tau : ≥ 0
    delta : probability
    points : number of values of σ_out

    Raises
    ------
    ParameterError
    """
    tau = validation.non_negative("tau", tau)
    delta = validation.open_probability("delta", delta)
    noises = np.geomspace(*OUTPUT_NOISES, validation.integer("points", points, minimum=2))
    return Curve(name, noises, np.array([_budget(exact, tau, float(one), delta) for one in noises]), Bound.UPPER)


def _budget(exact: ObjectivePerturbation, tau: float, sigma_out: float, delta: float) -> float:
    try:
        whole = stopped(exact, tau, sigma_out)
    except ParameterError:  # the solver stops too early for this noise
        return np.nan
    found = float(whole.epsilon(delta)) if whole.second_shift <= _LARGEST_SHIFT else np.nan
    return found if np.isfinite(found) else np.nan
