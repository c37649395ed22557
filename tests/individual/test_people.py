"""What a row's exposure means in people: against tests of the laws of refits with and without it, and what ε alone allows."""

import math

import numpy as np
import pytest
from scipy import stats

import dpcore as dp
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.people import PEOPLE, people_columns, row_in_people
from dpcore.profiles import Bound
from tests.individual.conftest import labelled, random_data
from tests.individual.oracles import laws

RELEASES = {
    "posterior": dp.PosteriorSampling(gamma=40.0, lam=0.5),
    "posterior by its width alone": dp.PosteriorSampling(gamma=1e-3, lam=1e-3),
    "posterior of a cold chain": dp.PosteriorSampling(gamma=1500.0, lam=0.05),
    "output": dp.OutputPerturbation(sigma=0.04, lam=0.5),
    "objective": dp.ObjectivePerturbation(sigma=0.2, lam=0.5, loss="squared"),
}


@pytest.mark.parametrize("name", RELEASES)
def test_columns_are_what_a_likelihood_ratio_test_of_two_refits_reaches(name):
    data = random_data(4, 12, 2)
    mechanism, rng = RELEASES[name], np.random.default_rng(8)
    result = dp.individual_privacy(data, mechanism, 1e-4)
    frame = result.frame()
    for row in result.most_exposed(3):
        present = stats.multivariate_normal(*laws(mechanism, data.X, data.y))
        rest = np.delete(data.X, row, axis=0), np.delete(data.y, row)
        absent = stats.multivariate_normal(*laws(mechanism, *rest))
        ratios = []
        for one in (absent, present):
            theta = one.rvs(500_000, random_state=rng)
            ratios.append(present.logpdf(theta) - absent.logpdf(theta))
        level = np.quantile(ratios[0], 0.95)
        assert frame.recognised_of_100[row] == pytest.approx(100 * np.mean(ratios[1] > level), abs=0.45)
        right = (np.mean(ratios[0] < 0) + np.mean(ratios[1] > 0)) / 2
        assert frame.guessed_of_100[row] == pytest.approx(100 * right, abs=0.3)


@pytest.mark.parametrize("name", RELEASES)
def test_columns_are_those_of_the_curve_of_each_row_and_never_below(name):
    data = random_data(7, 60, 3)
    result = dp.individual_privacy(data, RELEASES[name], 1e-6)
    rows = [0, 5, 59, *result.most_exposed(2).tolist()]
    frame = result.frame(rows)
    for place, row in enumerate(rows):
        found = row_in_people(result, row)
        assert found.bound is Bound.EXACT
        truth = 1 - result.profile(row).tradeoff(0.05, direction="add")
        assert found.detected == pytest.approx(truth, rel=1e-6)
        excess = frame.recognised_of_100[place] - 100 * truth
        assert -1e-6 <= excess <= 2e-3 * (100 * truth - 5) + 1e-6
        assert frame.guessed_of_100[place] == pytest.approx(100 * found.guess, rel=1e-12)


def test_a_row_that_no_noise_hides_and_one_that_changes_nothing():
    data = dp.Dataset.from_arrays(np.array([[1.0], [0.0], [0.5], [0.4]]), np.array([0.9, 0.3, 0.1, 0.2]))
    columns = people_columns(dp.individual_privacy(data, dp.OutputPerturbation(sigma=1e-9, lam=0.1), 1e-6))
    recognised, guessed = (columns[name] for name in PEOPLE)
    assert (recognised[0], guessed[0]) == (100.0, 100.0)
    assert (recognised[1], guessed[1]) == (pytest.approx(5.0, rel=1e-14), 50.0)


@pytest.fixture(scope="module")
def expanded():
    return dp.individual_privacy(labelled(3, 40, 2), dp.OutputPerturbation(sigma=0.3, lam=1.0, loss="logistic"), 1e-5)


def test_of_a_row_of_which_only_epsilon_is_known_the_most_that_it_allows_is_said(expanded):
    assert expanded.method is EpsilonMethod.EXPANSION
    frame, epsilon = expanded.frame(), expanded.epsilon
    steep = 100 * (1e-5 + 0.05 * np.exp(epsilon))
    flat = 100 * (1 - np.exp(-epsilon) * (0.95 - 1e-5))
    np.testing.assert_allclose(frame.recognised_of_100, np.minimum(steep, flat), rtol=1e-12)
    truth = np.exp(epsilon) / (np.exp(epsilon) + 1)  # certain with probability δ, else randomised response
    np.testing.assert_allclose(frame.guessed_of_100, 100 * (1e-5 + (1 - 1e-5) * truth), rtol=1e-12)
    assert row_in_people(expanded, 0).bound is Bound.ESTIMATE


def test_the_error_bar_of_an_exact_epsilon_is_added(expanded):
    row = int(expanded.most_exposed(1)[0])
    best = expanded.with_exact(expanded.exact([row], tolerance=0.02))
    surely = float(best.exactly.epsilon[0] + best.exactly.error[0])
    found = row_in_people(best, row, 0.01, 0.2)
    assert found == dp.in_people((surely, 1e-5), 0.01, 0.2)
    assert found.bound is Bound.UPPER
    expected = 100 * dp.in_people((surely, 1e-5)).detected
    assert best.frame([row]).recognised_of_100[0] == pytest.approx(expected, rel=1e-12)
    assert math.isfinite(surely)
