"""A plan run with a share of its noise, beyond the contract of learners: laws cut off, choices by noisy scores, games."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.learners import LEARNERS, FiniteClassLearner, RegularizedExponentialLearner, dp_sgd
from dpcore.learners.napp import Regularizer
from dpcore.learners.napp.retrieval import draw_noise
from tests.learners.data import classes, numbers

RUNS = 60
NAPP = {"loss": "squared", "epsilon": 2.0}


def outputs(learner, data, share, runs=RUNS):
    """Outputs (runs, columns) of the same seeds at any share."""
    plan = learner.plan(dp.PublicFacts.of(data)).with_noise(share)
    return np.stack([learner._release(data, plan, np.random.default_rng(seed)).theta for seed in range(runs)])


def spread(found):
    return float(np.sqrt(np.square(found - found.mean(axis=0)).sum(axis=1).mean()))


@pytest.mark.parametrize("options", [
    {}, {"delta": 1e-3}, {"variant": "moor", "selection": "vs_plus"}, {"variant": "moor", "selection": "vs", "cut": -1.0},
    {"variant": "sum", "selection": "vs", "cut": -1.0, "delta": 1e-3}, {"variant": "sum", "retrieval": "recycle"},
])  # fmt: skip
def test_every_noise_of_noise_augmentation_is_the_share_of_what_it_was(options):
    """The same seed draws b and, with a share, the share of it: also where b is cut off, the cut being a size of b."""
    data, learner = numbers(60, 3), LEARNERS["noise_augmentation"](**NAPP, regularizer=Regularizer("ridge"), **options)
    plan = learner.plan(dp.PublicFacts.of(data))
    drawn, less = (
        draw_noise(one["noise"], learner.selection, 3, np.random.default_rng(1), one["cut"])
        for one in (plan.parameters, plan.with_noise(0.5).parameters)
    )
    np.testing.assert_allclose(less, drawn / 2, rtol=1e-12)
    assert spread(outputs(learner, data, 1e-7, 5)) < 1e-5 * spread(outputs(learner, data, 1.0, 5))


def test_honest_tuning_of_dp_sgd_sees_its_scores_through_the_share_of_their_noise(monkeypatch):
    """From 0 and without noise, the largest of small learning rates fits best, so it is chosen in every run."""
    monkeypatch.setattr(dp_sgd, "noise_multiplier", lambda *_, **__: 9.0)  # seconds of calibration, tested elsewhere
    data = numbers(60, 3)
    learner = LEARNERS["dp_sgd"](
        "squared", 2.0, 1e-3, optimizer="sgd", epochs=5, tuning="honest", rates=(1e-3, 1e-1), candidates=4
    )
    plan = learner.plan(dp.PublicFacts.of(data))

    def chosen_largest(share, seed):
        used = learner._release(data, plan.with_noise(share), np.random.default_rng(seed)).parameters["learning_rate"]
        return used == max(learner._rates(np.random.default_rng(seed)))

    assert all(chosen_largest(1e-7, seed) for seed in range(12))
    assert not all(chosen_largest(1.0, seed) for seed in range(12))


def test_a_finite_class_is_chosen_by_the_whole_of_a_larger_weight():
    data, learner = classes(40, 2), FiniteClassLearner(0.1, points=5)
    wrong = learner.hypotheses(dp.PublicFacts.of(data)).errors(data.X, data.y)
    best = learner.hypotheses(dp.PublicFacts.of(data)).parameters[np.flatnonzero(wrong == wrong.min())]
    calm = outputs(learner, data, 1e-4)
    assert all((best == one).all(axis=1).any() for one in calm)
    assert spread(outputs(learner, data, 1.0)) > 0.1


def test_the_regularised_exponential_mechanism_shrinks_with_the_share():
    data = classes(30, 2)
    learner = RegularizedExponentialLearner("logistic", 2.0, 1e-2, radius=1.0)
    assert spread(outputs(learner, data, 0.05, 12)) < 0.3 * spread(outputs(learner, data, 1.0, 12))
