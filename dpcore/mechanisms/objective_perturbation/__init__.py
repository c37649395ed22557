"""Objective perturbation: its mechanism, the published bounds, and the tight profile."""

from dpcore.mechanisms.objective_perturbation.approximate import ApproximateMinimaPerturbation
from dpcore.mechanisms.objective_perturbation.mechanism import BOUNDS, ObjectivePerturbation
from dpcore.mechanisms.objective_perturbation.steps import OBJECTIVE_STEPS
from dpcore.mechanisms.objective_perturbation.sweep import SWEPT, log_delta_over

__all__ = [
    "BOUNDS", "OBJECTIVE_STEPS", "SWEPT", "ApproximateMinimaPerturbation", "ObjectivePerturbation", "log_delta_over",
]  # fmt: skip
