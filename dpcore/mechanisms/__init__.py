"""Mechanisms, one file each, and the registry that the app, the documentation and the contract tests read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpcore.mechanisms.exponential import ExponentialMechanism
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.inexact import InexactDraw
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.objective_perturbation import ApproximateMinimaPerturbation, ObjectivePerturbation
from dpcore.mechanisms.output_perturbation import OutputPerturbation
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from dpcore.mechanisms.randomized_response import RandomizedResponse
from dpcore.mechanisms.regularized_exponential import RegularizedExponential
from dpcore.mechanisms.subsampled import Subsampled
from dpcore.profiles import PrivacyProfile
from dpcore.references import FormulaCard


@dataclass(frozen=True)
class Parameter:
    """One parameter of a registered mechanism, as a control shows it.

    `low` and `high` are the range worth exploring, not the range accepted; `scale` is "log", "linear" or "integer".
    """

    name: str
    symbol: str
    words: str
    default: float
    low: float
    high: float
    scale: str = "log"


@dataclass(frozen=True)
class MechanismEntry:
    """A mechanism of the registry: how to build it from its parameters, and how to write that as code."""

    name: str
    build: Callable[..., PrivacyProfile]
    parameters: tuple[Parameter, ...]
    card: FormulaCard

    def default(self) -> PrivacyProfile:
        """The mechanism at its default parameters."""
        return self.build(**{p.name: p.default for p in self.parameters})


def _subsampled_gaussian(sigma: float, rate: float) -> Subsampled:
    return Subsampled(Gaussian(sigma), rate)


_SIGMA = Parameter("sigma", "σ", "Noise σ (in sensitivities)", 1.0, 0.2, 20.0)
_EPSILON_0 = Parameter("epsilon", "ε₀", "Pure budget ε₀ (nats)", 1.0, 0.05, 8.0)

MECHANISMS: dict[str, MechanismEntry] = {
    "gaussian": MechanismEntry("Gaussian", Gaussian, (_SIGMA,), Gaussian.card),
    "laplace": MechanismEntry(
        "Laplace", Laplace, (Parameter("scale", "b", "Noise scale b (in sensitivities)", 1.0, 0.1, 20.0),), Laplace.card
    ),
    "randomized_response": MechanismEntry(
        "Randomised response",
        RandomizedResponse,
        (_EPSILON_0, Parameter("categories", "k", "Number of categories k", 2, 2, 20, "integer")),
        RandomizedResponse.card,
    ),
    "exponential": MechanismEntry("Exponential", ExponentialMechanism, (_EPSILON_0,), ExponentialMechanism.card),
    "regularized_exponential": MechanismEntry(
        "Regularised exponential",
        RegularizedExponential,
        (
            Parameter("k", "k", "Inverse temperature k", 50.0, 1.0, 1000.0),
            Parameter("mu", "μ", "Quadratic weight μ", 0.02, 0.001, 1.0),
            Parameter("lipschitz", "G", "Lipschitz constant G", 1.0, 0.1, 10.0),
            Parameter("n", "n", "Number of records n", 100, 10, 1000, "integer"),
        ),
        RegularizedExponential.card,
    ),
    "subsampled_gaussian": MechanismEntry(
        "Subsampled Gaussian",
        _subsampled_gaussian,
        (_SIGMA, Parameter("rate", "q", "Sampling rate q", 0.1, 0.001, 1.0)),
        Subsampled.card,
    ),
}

__all__ = [
    "MECHANISMS",
    "ApproximateMinimaPerturbation",
    "ExponentialMechanism",
    "Gaussian",
    "InexactDraw",
    "Laplace",
    "MechanismEntry",
    "ObjectivePerturbation",
    "OutputPerturbation",
    "Parameter",
    "PosteriorSampling",
    "RandomizedResponse",
    "RegularizedExponential",
    "Subsampled",
]
