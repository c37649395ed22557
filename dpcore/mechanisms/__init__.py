"""Mechanisms, one file each, and the registry that the app, the documentation and the contract tests read."""

from importlib import import_module
from typing import Any

from dpcore.mechanisms.discrete_gaussian import DiscreteGaussian
from dpcore.mechanisms.entry import MechanismEntry, Parameter
from dpcore.mechanisms.exponential import ExponentialMechanism
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.inexact import InexactDraw
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.objective_perturbation import (
    OBJECTIVE_STEPS,
    ApproximateMinimaPerturbation,
    ObjectivePerturbation,
)
from dpcore.mechanisms.output_perturbation import OutputPerturbation
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from dpcore.mechanisms.randomized_response import RandomizedResponse
from dpcore.mechanisms.regularized_exponential import RegularizedExponential
from dpcore.mechanisms.releases import GlmRelease, ReleaseEntry
from dpcore.mechanisms.staircase import Staircase
from dpcore.mechanisms.subsampled import Subsampled


def _entries(*files: str) -> dict[str, Any]:
    """The `ENTRY` of each of these modules, in the order of every list of them."""
    found = (import_module(f"{__name__}.{file}").ENTRY for file in files)
    return {entry.key: entry for entry in found}


MECHANISMS: dict[str, MechanismEntry] = _entries(
    "gaussian", "discrete_gaussian", "laplace", "staircase", "randomized_response", "exponential",
    "regularized_exponential", "subsampled",
)  # fmt: skip
# The steps that a pipeline is built of: the mechanisms above, and objective perturbation.
STEPS: dict[str, MechanismEntry] = {
    **{key: entry.among_many() for key, entry in MECHANISMS.items()},
    **{entry.key: entry for entry in OBJECTIVE_STEPS},
}

RELEASES: dict[str, ReleaseEntry] = _entries(
    "posterior_sampling", "output_perturbation", "objective_perturbation.linear_regression"
)

__all__ = [
    "MECHANISMS", "RELEASES", "STEPS", "ApproximateMinimaPerturbation", "DiscreteGaussian", "ExponentialMechanism",
    "Gaussian", "GlmRelease", "InexactDraw", "Laplace", "MechanismEntry", "ObjectivePerturbation", "OutputPerturbation",
    "Parameter", "PosteriorSampling", "RandomizedResponse", "RegularizedExponential", "ReleaseEntry", "Staircase",
    "Subsampled",
]  # fmt: skip
