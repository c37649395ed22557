"""Composition curves against k-fold mechanisms that are known exactly."""

import math

import numpy as np
import pytest

import dpcore as dp
from dpcore.accountants.parts import parts_of
from dpcore.accountants.pld import Accountant, ComposedCurve
from dpcore.accountants.rdp import RenyiComposition
from dpcore.accountants.theorems import AdvancedComposition, BasicComposition


@pytest.mark.parametrize("count", [1, 10, 1000])
@pytest.mark.parametrize("sigma", [2.0, 50.0])
def test_privacy_loss_distribution_brackets_the_gaussian(count, sigma):
    parts = parts_of([(dp.Gaussian(sigma), count)])
    accountant = Accountant(parts, 1e-4, 2**20)
    lower, upper = (ComposedCurve(parts, side, 1e-4, 2**20, accountant) for side in ("lower", "upper"))
    exact = dp.Gaussian(sigma / np.sqrt(count))
    epsilon = exact.epsilon(np.array([1e-2, 1e-6, 1e-10, 1e-13]))
    truth = exact.log_delta(epsilon)
    assert (lower.log_delta(epsilon) <= truth).all()
    assert (truth <= upper.log_delta(epsilon)).all()
    assert (upper.log_delta(epsilon) - lower.log_delta(epsilon) <= 1e-3).all()


@pytest.mark.parametrize("curve", [RenyiComposition, BasicComposition])
@pytest.mark.parametrize("count", [1, 20])
def test_classical_methods_are_upper_bounds(curve, count):
    exact = dp.Gaussian(20.0 / np.sqrt(count))
    epsilon = np.array([0.1, 0.5, 1.0])
    composed = curve(parts_of([(dp.Gaussian(20.0), count)]))
    assert (composed.log_delta(epsilon) >= exact.log_delta(epsilon) - 1e-12).all()


def test_advanced_composition_is_an_upper_bound_of_randomised_response():
    count, budget = 60, 0.05
    composed = AdvancedComposition(parts_of([(dp.RandomizedResponse(budget), count)]))
    truth = np.exp(budget) / (1 + np.exp(budget))
    ones = np.arange(count + 1)
    log_binomial = np.array(
        [float(np.sum(np.log(np.arange(count - k + 1, count + 1)) - np.log(np.arange(1, k + 1)))) for k in ones]
    )
    p = np.exp(log_binomial + ones * np.log(truth) + (count - ones) * np.log1p(-truth))
    q = p[::-1]
    for epsilon in (0.3, 0.8, 1.5):
        assert composed.delta(epsilon) >= np.maximum(p - np.exp(epsilon) * q, 0).sum() * (1 - 1e-9)


@pytest.mark.parametrize("direction", ["both", "add", "remove"])
@pytest.mark.parametrize("mechanism", [dp.Laplace(20.0), dp.Gaussian(50.0), dp.Subsampled(dp.Gaussian(5.0), 0.05)])
def test_basic_composition_of_equals_is_the_count_times_the_curve_at_the_share_of_epsilon(mechanism, direction):
    epsilon = np.array([0.0, 1e-300, 1e-12, 1e-6, 0.01, 0.1])
    composed = dp.compose([(mechanism, 5)], "basic").upper
    expected = 5 * mechanism.delta(epsilon / 5, direction=direction)
    np.testing.assert_allclose(composed.delta(epsilon, direction=direction), expected, rtol=1e-9)


@pytest.mark.thorough
def test_at_zero_the_theorems_continue_the_curve_from_the_right():
    parts = [(dp.Laplace(20.0), 2), (dp.Gaussian(30.0), 3)]
    largest = max(-math.expm1(-1 / 40), math.erf(1 / 60 / math.sqrt(2)))  # δ(0) of one part: a total variation
    assert dp.compose(parts, "basic").upper.delta(0.0) == pytest.approx(5 * largest, rel=1e-9)
    assert dp.compose(parts, "advanced").upper.delta(0.0) == pytest.approx(10 * largest, rel=1e-9)
