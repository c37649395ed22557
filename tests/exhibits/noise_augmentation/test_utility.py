"""Utility theory against simulation, retrieval and recycling against their definitions."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore.exhibits.noise_augmentation.utility import ExcessRisk, noise_bound, sample_complexity, simulate_excess
from dpcore.glm import Problem
from dpcore.learners import napp
from dpcore.learners.napp import GaussianNoise, Regularizer, SphericalLaplace, Weighting, settle, stationary_point
from tests.learners.napp.test_fixed_points import label_data, linear_data


@pytest.mark.parametrize("kind", ["ridge", "lasso", "elastic_net"])
@pytest.mark.parametrize(("loss", "noise"), [("squared", SphericalLaplace(0.5)), ("logistic", GaussianNoise(6.0))])
def test_proven_excess_is_never_exceeded_and_its_mean_is_the_mean(kind, loss, noise):
    X, y = linear_data(p=4) if loss == "squared" else label_data(n=150, p=4)
    problem = Problem(loss, X, y, lam=0.0)
    regularizer, floor = Regularizer(kind, 0.5), 1.5
    rows = list(simulate_excess(problem, regularizer, floor, noise, 60, np.random.default_rng(0)))
    assert all(-1e-12 <= row.excess <= row.proven + 1e-12 for row in rows)
    best = stationary_point(problem, Weighting(regularizer, 0.0)).theta
    square = 1.5 * float(best @ best) - (float(regularizer.value(best).sum()) if kind == "ridge" else 0.0)
    bound = ExcessRisk(problem.n_samples, 2 * {"elastic_net": 1.75}.get(kind, 1.5), square)
    assert bound.proven(noise.mean_square(4) ** 0.5) == pytest.approx(np.mean([row.proven for row in rows]), rel=0.5)
    assert np.mean([row.excess for row in rows]) < bound.proven(noise.mean_square(4) ** 0.5)
    assert np.quantile([row.excess for row in rows], 0.9) < bound.proven(noise.norm_quantile(4, 0.9))


def test_excess_is_measured_from_the_minimum():
    """The measured excess against a refit by hand."""
    X, y = linear_data(p=4)
    problem, regularizer = Problem("squared", X, y, lam=0.0), Regularizer("lasso", 0.5)
    row = next(simulate_excess(problem, regularizer, 1.5, GaussianNoise(3.0), 1, np.random.default_rng(4)))
    b = 3.0 * np.random.default_rng(4).standard_normal(4)

    def risk(theta):
        return (0.5 * np.sum((y - X @ theta) ** 2) + 0.5 * np.abs(theta).sum()) / len(y)

    best = stationary_point(problem, Weighting(regularizer, 0.0)).theta
    noisy = stationary_point(problem.replace(linear=b), Weighting(regularizer, 1.5)).theta
    first = np.linalg.solve(X.T @ X + 3.0 * np.eye(4), X.T @ y - b)
    assert row.excess == pytest.approx(risk(noisy) - risk(best))
    assert row.first == pytest.approx(risk(first) - risk(best))


def test_lemma_7_fails_where_the_first_ridge_is_weaker_than_the_lasso():
    """Its last step needs R⁽ᵗ⁾ ≥ ΛR at the noisy estimate, which a small Λ₀ does not give at t = 1."""
    X, y = linear_data(p=8)
    for strength, floor, sigma, broken in ((2.0, 0.05, 0.1, True), (0.1, 5.0, 3.0, False)):
        problem, rng = Problem("squared", X, y, lam=0.0), np.random.default_rng(0)
        rows = simulate_excess(problem, Regularizer("lasso", strength), floor, GaussianNoise(sigma), 40, rng)
        assert {row.first > row.lemma_7_first for row in rows} == {broken}


@pytest.mark.parametrize("size", [1, 4, 16])
def test_noise_bounds_hold_for_small_failure_and_the_gaussian_one_fails_for_large(size):
    for failure in (0.01, 0.1, 0.3):
        for noise in (SphericalLaplace(0.5), GaussianNoise(2.0)):
            assert noise_bound(noise, size, failure) >= noise.norm_quantile(size, 1 - failure)
    assert noise_bound(GaussianNoise(2.0), 16, 0.9) < GaussianNoise(2.0).norm_quantile(16, 0.1)
    assert noise_bound(SphericalLaplace(0.5), size, 0.1) == pytest.approx(size / 0.5 * math.log(size / 0.1))
    printed = 2.0 * math.sqrt(2 * size * (0.4 + math.log(2e3)) / (0.4 + math.log(1e3)) * math.log(10))
    assert noise_bound(GaussianNoise(2.0), size, 0.1, 1e-3, 0.4) == pytest.approx(printed)


def test_theorem_8_multiplies_the_gap_as_printed():
    risk = ExcessRisk(n=100, modulus=4.0, gap=0.3)
    noise = SphericalLaplace(2.0)
    bound = noise_bound(noise, 3, 0.05)
    assert risk.theorem_8(noise, 3, 0.05) == pytest.approx(bound**2 * (1 / 4 + 0.3) / 100)
    assert risk.lemma_7(2.0) == pytest.approx((4 / 4 + 0.3) / 100)
    assert risk.proven(2.0) == pytest.approx((4 / 8 + 0.3) / 100)
    assert risk.proven(noise.mean_square(3) ** 0.5) == pytest.approx((12 / 4 / 8 + 0.3) / 100)
    assert risk.proven(noise.norm_quantile(3, 0.95)) == pytest.approx(risk.proven(stats.gamma(3, scale=0.5).ppf(0.95)))


def test_sample_complexity_solves_the_bound_for_n():
    n = sample_complexity(0.5, 4.0, 2.0, 30.0, 0.05, constant=0.7)
    reached = (2.0 + 2 * 30.0 / 4.0) / n - 0.7 * math.log(0.05) / (2 * 4.0)
    assert reached == pytest.approx(0.5)
    assert sample_complexity(0.01, 4.0, 2.0, 30.0, 0.05) == np.inf


def test_retrievable_budget_by_hand():
    for weights, left in (([2.0, 4.0], 0.25), ([1.0, 4.0], 0.0), ([0.5, 4.0], 0.0), ([1e150], 0.5)):
        assert napp.retrievable(0.5, 1.0, np.array(weights)) == pytest.approx(left, abs=0)


def test_a_second_round_retrieves_a_part_of_what_the_first_has_left():
    """In the sum form every weight stands above the floor, so that there is something to retrieve again."""
    X, y = linear_data()
    problem, weighting = Problem("squared", X, y, lam=0.0), Weighting(Regularizer("lasso", 1.2), 0.2, "sum")
    b = 0.3 * np.ones(8)
    found = napp.recycle(problem, weighting, b, noise_budget=0.5, jacobian_budget=0.6, rounds=1)
    floor = settle(problem, weighting, b).weights.min()
    retrieved = 0.6 * (1 - 0.2 / floor)
    again = (0.6 - retrieved) * (1 - floor / found.settled.weights.min())
    assert again > 0.01
    assert found.retrieved == pytest.approx((retrieved, again))
    assert found.noise == pytest.approx(b * 0.5 / (0.5 + retrieved))
    assert found.weighting.floor == pytest.approx(floor)
