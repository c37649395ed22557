"""The oracles of composition against each other and against 50-digit closed forms."""

import mpmath as mp
import numpy as np
import pytest

from tests import oracles as single
from tests.accountants import oracles
from tests.accountants.homemade import WaitingTime, waiting_time_log_delta


@pytest.mark.parametrize("count", [1, 100])
def test_contour_of_the_gaussian(count):
    sigma = 2.0 * count**0.5
    for epsilon in (0.1, 1.0, 4.0):
        contour = oracles.contour_log_delta([(oracles.gaussian_moment(sigma), count)], epsilon)
        assert contour == pytest.approx(oracles.gaussian_list_log_delta([(sigma, count)], epsilon), abs=1e-11)


@pytest.mark.parametrize("direction", ["add", "remove"])
@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.01), (2.0, 0.5), (0.5, 0.1)])
def test_contour_of_the_subsampled_gaussian_against_quadrature(sigma, rate, direction):
    parts = [(oracles.subsampled_gaussian_moment(sigma, rate, direction), 1), (oracles.gaussian_moment(3.0), 1)]
    for epsilon in (0.2, 1.0):
        quadrature = oracles.subsampled_log_delta(
            sigma, rate, direction, lambda at: oracles.gaussian_curve(at, 1 / 3), epsilon
        )
        assert oracles.contour_log_delta(parts, epsilon) == pytest.approx(quadrature, abs=1e-9)


def test_residues_against_densities_and_outcomes():
    laplace = oracles.residue_log_delta([(lambda: oracles.laplace_terms(1.3), 1)], 0.5)
    assert laplace == pytest.approx(float(single.laplace_log_delta(0.5, 1.3)), rel=1e-13)
    exponential = oracles.residue_log_delta([(lambda: oracles.exponential_terms(0.8), 1)], 0.3)
    assert exponential == pytest.approx(float(single.exponential_log_delta(0.3, 0.8)), rel=1e-13)
    for categories in (2, 5):
        terms = [(lambda c=categories: oracles.randomized_response_terms(0.4, c), 7)]
        outcomes = oracles.response_log_delta([(0.4, categories, 7)], 1.1)
        assert oracles.residue_log_delta(terms, 1.1) == pytest.approx(outcomes, rel=1e-13)


def test_residues_against_the_contour():
    moments = [(oracles.laplace_moment(2.0), 25), (oracles.exponential_moment(0.4), 9)]
    terms = [(lambda: oracles.laplace_terms(2.0), 25), (lambda: oracles.exponential_terms(0.4), 9)]
    contour = oracles.contour_log_delta([*moments, (oracles.gaussian_moment(1e3), 1)], 6.0)
    assert oracles.residue_log_delta(terms, 6.0) == pytest.approx(contour, abs=1e-4)


def test_outcomes_with_a_gaussian_against_the_contour():
    parts = [(oracles.randomized_response_moment(0.5), 10), (oracles.gaussian_moment(1.5), 1)]
    outcomes = oracles.response_and_gaussian_log_delta([(0.5, 2, 10)], 1 / 1.5, 3.0)
    assert oracles.contour_log_delta(parts, 3.0) == pytest.approx(outcomes, abs=1e-10)


def test_gaussian_curve_at_any_real_point():
    for mu in (0.05, 1.0, 12.0):
        for epsilon in (-3.0, -0.2, 0.0, 0.7, 5.0):
            with mp.workdps(50):
                m, e = mp.mpf(mu), mp.mpf(epsilon)
                truth = mp.log(single.upper_tail(e / m - m / 2) - mp.exp(e) * single.upper_tail(e / m + m / 2))
            assert float(oracles.gaussian_curve(np.array(epsilon), mu)) == pytest.approx(float(truth), abs=1e-11)


@pytest.mark.parametrize("direction", ["add", "remove"])
def test_one_waiting_time(direction):
    for epsilon in (0.0, 0.1, 0.3):
        exact = waiting_time_log_delta(1.5, 1, epsilon, direction)
        assert float(WaitingTime(1.5).log_delta(epsilon, direction=direction)) == pytest.approx(exact, rel=1e-12)
