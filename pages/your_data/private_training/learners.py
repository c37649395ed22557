"""The learners that a study compares."""

import math

import dpcore as dp
from dpcore import learners as library
from dpcore.exhibits.training.published import CLIP, algorithm_1, dp_sgd

NAMES = {
    "tight": "Algorithm 1, tight",
    "published": "Algorithm 1, published settings",
    "paper": "Algorithm 1, 1.3 σ_G and Thm 3.1",
    "output": "Output perturbation",
    "posterior": "Posterior sample",
    "adaops": "AdaOPS",
    "sgd": "DP-SGD, one rate",
    "honest": "DP-SGD, honest",
    "dishonest": "DP-SGD, dishonest",
}


def usable(loss: str, epochs: int, row_norm: float = 1.0) -> dict[str, library.Learner]:
    """The learners that minimise this loss, by key; those of the source only if rows have its norm √2."""
    made = {
        "tight": library.AMP(loss, 1.0),
        **({"published": algorithm_1(loss)} if loss == "logistic" and math.isclose(row_norm, CLIP) else {}),
        "paper": library.AMP(loss, 1.0, rule="paper", bound="hockey_stick"),
        "output": library.OutputPerturbationLearner(loss, 1.0),
        "posterior": library.PosteriorSamplingLearner(1.0),
        "adaops": library.AdaOPS(1.0),
        "sgd": library.DPSGD(loss, 1.0, epochs=epochs),
        "honest": dp_sgd("honest", loss, epochs),
        "dishonest": dp_sgd("dishonest", loss, epochs),
    }
    return {key: learner for key, learner in made.items() if learner.loss == dp.LOSSES[loss]}


def learners(loss: str, chosen: tuple[str, ...], epochs: int, row_norm: float = 1.0) -> dict[str, library.Learner]:
    """The learners to compare, by the name shown; the study calibrates each to every ε of the grid."""
    found = {NAMES[key]: learner for key, learner in usable(loss, epochs, row_norm).items() if key in chosen}
    return found | {"Without privacy": library.NonPrivate(loss)}
