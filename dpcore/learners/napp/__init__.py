"""Noise-augmented private training: the published algorithms as they are, corrected, and with a guarantee that holds."""

from dpcore.learners.napp.augment import augmentable, augmented_rows, scheme
from dpcore.learners.napp.exact import stationary_point
from dpcore.learners.napp.guarantee import Claimed, SphericalObjectivePerturbation
from dpcore.learners.napp.iterate import run
from dpcore.learners.napp.learner import VARIANTS, NoiseAugmentedLearner
from dpcore.learners.napp.noise import GaussianNoise, SphericalLaplace, corollary_sigma, printed_floor, printed_sigma
from dpcore.learners.napp.retrieval import SELECTIONS, recycle, retrievable, settle
from dpcore.learners.napp.weights import FORMS, REGULARIZERS, Regularizer, Weighting

__all__ = [
    "FORMS", "REGULARIZERS", "SELECTIONS", "VARIANTS", "Claimed", "GaussianNoise", "NoiseAugmentedLearner",
    "Regularizer", "SphericalLaplace", "SphericalObjectivePerturbation", "Weighting", "augmentable", "augmented_rows",
    "corollary_sigma", "printed_floor", "printed_sigma", "recycle", "retrievable", "run", "scheme", "settle",
    "stationary_point",
]  # fmt: skip
