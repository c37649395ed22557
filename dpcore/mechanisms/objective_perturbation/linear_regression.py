"""Objective perturbation of linear regression: the minimiser of the plain squared loss with a random linear term."""

from __future__ import annotations

from dpcore.mechanisms.objective_perturbation.linear_record import LinearRecord
from dpcore.mechanisms.objective_perturbation.mechanism import ObjectivePerturbation
from dpcore.mechanisms.releases import ReleaseEntry, penalty_control


def linear_objective(sigma: float, lam: float) -> ObjectivePerturbation:
    """Objective perturbation of the plain squared loss; its stated constant plays no part per instance.

    Raises
    ------
    ParameterError
    """
    return ObjectivePerturbation(sigma=sigma, lam=lam, lipschitz=1.0, loss="squared")


ENTRY = ReleaseEntry(
    ObjectivePerturbation.release,
    "Objective perturbation",
    linear_objective,
    (penalty_control(), ObjectivePerturbation.noise),
    LinearRecord.card,
    option="objective_perturbation",
    law="the minimiser of the squared loss with a random linear term, N(θ̂, σ²H⁻²)",
    asked={"sigma": None},
)
