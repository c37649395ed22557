"""Private learners: each chooses its parameters from public facts, then `fit(dataset, rng)` gives a `Release`."""

from dpcore.learners.adaops import AdaOPS
from dpcore.learners.base import FitWithNoise, Learner, Plan, PublicFacts, Release
from dpcore.learners.centred import Centred
from dpcore.learners.dp_sgd import DPSGD, TUNINGS
from dpcore.learners.exponential import RegularizedExponentialLearner
from dpcore.learners.finite_class import FiniteClassLearner
from dpcore.learners.gradient_norms import DescentExposure, descent_exposure
from dpcore.learners.napp import NoiseAugmentedLearner
from dpcore.learners.non_private import NonPrivate, NoPrivacy
from dpcore.learners.objective_perturbation import AMP, ObjectivePerturbationLearner
from dpcore.learners.output_perturbation import OutputPerturbationLearner
from dpcore.learners.posterior_sampling import PosteriorSamplingLearner
from dpcore.learners.rules import RULES

LEARNERS: dict[str, type[Learner]] = {
    "amp": AMP,
    "objective_perturbation": ObjectivePerturbationLearner,
    "output_perturbation": OutputPerturbationLearner,
    "posterior_sampling": PosteriorSamplingLearner,
    "adaops": AdaOPS,
    "dp_sgd": DPSGD,
    "noise_augmentation": NoiseAugmentedLearner,
    "non_private": NonPrivate,
}

__all__ = [
    "AMP", "DPSGD", "LEARNERS", "RULES", "TUNINGS", "AdaOPS", "Centred", "DescentExposure", "FiniteClassLearner", "FitWithNoise",
    "Learner", "NoPrivacy", "NoiseAugmentedLearner", "NonPrivate", "ObjectivePerturbationLearner", "OutputPerturbationLearner", "Plan",
    "PosteriorSamplingLearner", "PublicFacts", "RegularizedExponentialLearner", "Release", "descent_exposure",
]  # fmt: skip
