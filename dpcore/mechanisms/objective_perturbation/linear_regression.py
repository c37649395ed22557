"""Objective perturbation of a model: the minimiser of its loss with a random linear term."""

from typing import Any

import numpy as np

from dpcore.data import Domain
from dpcore.glm.losses import find
from dpcore.mechanisms.objective_perturbation.linear_record import LinearRecord
from dpcore.mechanisms.objective_perturbation.mechanism import ObjectivePerturbation
from dpcore.mechanisms.releases import ReleaseEntry, penalty_control


def objective_of(
    sigma: float, lam: float, loss: Any = "squared", clip: float | None = None, domain: Any = None
) -> ObjectivePerturbation:
    """Objective perturbation of any model.

    Where the gradient or the curvature of a record has no bound, both bounds are set to 1 and `worst_case` is refused.

    Parameters
    ----------
    sigma, lam : noise σ and penalty λ
    loss, clip : the model
    domain : public bounds, for the worst case

    Raises
    ------
    ParameterError
    """
    constants = find(loss).constants(Domain() if domain is None else domain, clip)
    if np.isfinite(constants.lipschitz) and np.isfinite(constants.smoothness):
        return ObjectivePerturbation(sigma, lam, loss=loss, clip=clip, domain=domain)
    return ObjectivePerturbation(sigma, lam, 1.0, 1.0, monotone=constants.monotone, loss=loss, clip=clip)


ENTRY = ReleaseEntry(
    ObjectivePerturbation.release,
    "Objective perturbation",
    objective_of,
    (penalty_control(), ObjectivePerturbation.noise),
    LinearRecord.card,
    option="objective_perturbation",
    law="the minimiser of the loss with a random linear term bᵀθ, b ~ N(0, σ²I)",
    asked={"sigma": None},
    needs_bounded_gradient=True,
)
