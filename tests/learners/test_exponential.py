"""Learners of the exponential mechanism: counts by brute force, laws by quadrature, promises that the steps keep."""

import math

import numpy as np
import pytest
from scipy import stats

import dpcore as dp
from dpcore.learners.exponential import RegularizedExponentialLearner, mean_loss_target
from dpcore.learners.finite_class import CLASSES, FiniteClass, FiniteClassLearner
from dpcore.mechanisms.inexact import InexactDraw
from dpcore.mechanisms.selection import SELECTION_MECHANISMS, selection_probabilities


def small(n=40, d=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, d)) / math.sqrt(d)
    y = np.where(X[:, 0] + 0.1 * rng.standard_normal(n) > 0, 1.0, -1.0)
    return dp.Dataset.from_arrays(X, y, domain=dp.Domain(row_norm=1.0, target_bound=1.0))


@pytest.mark.parametrize("kind", CLASSES)
def test_errors_are_those_of_the_predictions(kind):
    data = small(60, 3)
    hypotheses = FiniteClass.of(kind, 3, 17, 1.0)
    X = np.vstack([data.X, [[hypotheses.parameters[3, 1]] * 3]])  # a row exactly on a threshold
    y = np.append(data.y, -1.0)
    wrong = (hypotheses.predict(X) != y[:, None]).sum(axis=0)
    np.testing.assert_array_equal(hypotheses.errors(X, y), wrong)
    assert hypotheses.size == (17 if kind == "thresholds" else 102)


@pytest.mark.parametrize("method", SELECTION_MECHANISMS)
def test_finite_class_learner_draws_from_its_law(method):
    data = small()
    learner = FiniteClassLearner(epsilon=0.8, kind="thresholds", points=6, method=method)
    rng = np.random.default_rng(3)
    chosen = [learner.fit(data, rng).theta[1] for _ in range(3000)]
    hypotheses = learner.hypotheses(dp.PublicFacts.of(data))
    expected = selection_probabilities(hypotheses.errors(data.X, data.y), 0.8, method)
    counts = [np.sum(np.isclose(chosen, t)) for t in hypotheses.parameters[:, 1]]
    assert stats.chisquare(counts, 3000 * expected).pvalue > 1e-4


@pytest.mark.parametrize("method", SELECTION_MECHANISMS)
def test_declared_profile_covers_every_neighbour(method):
    """Exact δ of the selection between a data set and each with one row less, at several ε, both directions."""
    data = small(25)
    learner = FiniteClassLearner(epsilon=1.0, points=8, method=method)
    profile = learner.plan(dp.PublicFacts.of(data)).profile
    hypotheses = learner.hypotheses(dp.PublicFacts.of(data))
    p = selection_probabilities(hypotheses.errors(data.X, data.y), 1.0, method)
    for i in range(data.n_samples):
        keep = np.arange(data.n_samples) != i
        q = selection_probabilities(hypotheses.errors(data.X[keep], data.y[keep]), 1.0, method)
        for epsilon in (0.0, 0.3, 0.9, 1.0):
            for a, b in ((p, q), (q, p)):
                assert np.maximum(a - np.exp(epsilon) * b, 0).sum() <= profile.delta(epsilon) + 1e-10


def test_finite_class_needs_labels():
    with pytest.raises(dp.DataError, match="labels -1 and \\+1"):
        FiniteClassLearner().fit(dp.load_sample("diabetes"), 0)


def test_the_target_has_the_stated_density_slope_and_constants():
    data = small(30, 3)
    target = mean_loss_target("logistic", data.X, data.y, k=40.0, mu=0.1, radius=2.0, lipschitz=1.0, smoothness=0.25)
    at = np.random.default_rng(0).normal(size=(5, 3)) / 3
    losses = np.logaddexp(0, -data.y * (at @ data.X.T)).mean(axis=1)
    np.testing.assert_allclose(target.potential(at), 40 * (losses + 0.05 * (at**2).sum(axis=1)), rtol=1e-12)
    steps = 1e-5 * np.eye(3)
    slope = np.transpose([(target.potential(at + step) - target.potential(at - step)) / 2e-5 for step in steps])
    np.testing.assert_allclose(target.gradient(at), slope, rtol=1e-6, atol=1e-7)
    assert (target.strong_convexity, target.smoothness, target.lipschitz, target.radius) == (4.0, 10.0, 40.0, 2.0)


@pytest.mark.parametrize(("loss", "radius"), [("logistic", 1.0), ("smoothed_hinge", 3.0), ("huber", 1.0)])
def test_plan_keeps_its_promise(loss, radius):
    data = small(200, 5)
    learner = RegularizedExponentialLearner(loss, epsilon=0.7, delta=1e-6, radius=radius)
    plan = learner.plan(dp.PublicFacts.of(data))
    assert 0.99e-6 < plan.profile.delta(0.7) <= 1e-6
    release = learner.fit(data, 5)
    assert np.linalg.norm(release.theta) <= radius
    assert not any("void" in note for note in release.report)


def test_too_few_steps_void_the_guarantee():
    release = RegularizedExponentialLearner(epsilon=1.0, delta=1e-5, steps=3).fit(small(200, 3), 0)
    assert any("guarantee is void" in note for note in release.report)
    assert release.profile.delta(1.0) > 0.1


def test_losses_without_constants_are_refused():
    with pytest.raises(dp.UnsupportedError, match="no bounded gradient"):
        RegularizedExponentialLearner("squared").plan(dp.PublicFacts.of(dp.load_sample("diabetes")))


INEXACT = InexactDraw(dp.Gaussian(1.5), 1e-6)


def test_surcharge_is_paid_and_never_more_than_needed():
    exact = dp.Gaussian(1.5)
    for epsilon in (0.0, 0.5, 2.0):
        assert INEXACT.delta(epsilon) == pytest.approx(exact.delta(epsilon) + (1 + np.exp(epsilon)) * 1e-6, rel=1e-12)
    grid = np.linspace(0, 30, 30_001)
    best = np.minimum.accumulate(exact.delta(grid) + (1 + np.exp(grid)) * 1e-6)
    assert INEXACT.delta(grid) == pytest.approx(best, rel=1e-5)
    assert InexactDraw(exact, 0.0).delta(1.0) == exact.delta(1.0)
    assert InexactDraw(exact, 0.5).delta(1000.0) == 1.0
