"""Mechanisms, one file each, and the registry that the app, the documentation and the contract tests read."""

from dpcore.mechanisms import (
    discrete_gaussian,
    exponential,
    gaussian,
    laplace,
    objective_perturbation,
    output_perturbation,
    posterior_sampling,
    randomized_response,
    regularized_exponential,
    staircase,
    subsampled,
)
from dpcore.mechanisms.discrete_gaussian import DiscreteGaussian
from dpcore.mechanisms.entry import MechanismEntry, Parameter
from dpcore.mechanisms.exponential import ExponentialMechanism
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.inexact import InexactDraw
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.objective_perturbation import (
    ApproximateMinimaPerturbation,
    ObjectivePerturbation,
    linear_regression,
)
from dpcore.mechanisms.output_perturbation import OutputPerturbation
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from dpcore.mechanisms.randomized_response import RandomizedResponse
from dpcore.mechanisms.regularized_exponential import RegularizedExponential
from dpcore.mechanisms.releases import GlmRelease, ReleaseEntry
from dpcore.mechanisms.staircase import Staircase
from dpcore.mechanisms.subsampled import Subsampled

_REGISTERED = (
    gaussian.ENTRY,
    discrete_gaussian.ENTRY,
    laplace.ENTRY,
    staircase.ENTRY,
    randomized_response.ENTRY,
    exponential.ENTRY,
    regularized_exponential.ENTRY,
    subsampled.ENTRY,
)
MECHANISMS: dict[str, MechanismEntry] = {entry.key: entry for entry in _REGISTERED}
# The steps that a pipeline is built of: the mechanisms above, and objective perturbation.
STEPS: dict[str, MechanismEntry] = {
    **{key: entry.among_many() for key, entry in MECHANISMS.items()},
    **{entry.key: entry for entry in objective_perturbation.OBJECTIVE_STEPS},
}

RELEASES: dict[str, ReleaseEntry] = {
    entry.key: entry for entry in (posterior_sampling.ENTRY, output_perturbation.ENTRY, linear_regression.ENTRY)
}

__all__ = [
    "MECHANISMS", "RELEASES", "STEPS", "ApproximateMinimaPerturbation", "DiscreteGaussian", "ExponentialMechanism",
    "Gaussian", "GlmRelease", "InexactDraw", "Laplace", "MechanismEntry", "ObjectivePerturbation", "OutputPerturbation",
    "Parameter", "PosteriorSampling", "RandomizedResponse", "RegularizedExponential", "ReleaseEntry", "Staircase",
    "Subsampled",
]  # fmt: skip
