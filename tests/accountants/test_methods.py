"""Theorems, Rényi and saddle-point composition against independent formulas."""

import math

import mpmath as mp
import numpy as np
import pytest

import dpcore as dp
from dpcore.accountants.moments import _from_profile
from dpcore.accountants.pld.loss_law import LossLaw
from dpcore.profiles.bracket import Bracket
from tests import oracles as single
from tests.accountants import oracles
from tests.accountants.homemade import WaitingTime


def test_basic_composition_of_pure_mechanisms_adds_up():
    parts = [(dp.Laplace(4.0), 3), (dp.RandomizedResponse(0.2), 5), (dp.ExponentialMechanism(0.1), 2)]
    upper = dp.compose(parts, "basic").upper
    assert upper.epsilon(0.0) == pytest.approx(3 / 4 + 5 * 0.2 + 2 * 0.1, rel=1e-10)


@pytest.mark.parametrize("delta", [1e-3, 1e-10])
def test_advanced_composition_of_pure_mechanisms(delta):
    budgets = [(0.05, 40), (0.2, 3)]
    upper = dp.compose([(dp.RandomizedResponse(e), k) for e, k in budgets], "advanced").upper
    drift = sum(k * e * math.expm1(e) for e, k in budgets)
    spread = math.sqrt(2 * math.log(1 / delta) * sum(k * e * e for e, k in budgets))
    assert upper.epsilon(delta) == pytest.approx(drift + spread, rel=1e-9)


@pytest.mark.parametrize("count", [1, 5, 60])
def test_optimal_composition_is_the_sum_over_randomised_responses(count):
    bracket = dp.compose([(dp.Laplace(5.0), count)], "optimal")
    for epsilon in (0.0, 0.1, 0.5 * count * 0.2, 0.9 * count * 0.2):
        truth = oracles.response_log_delta([(0.2, 2, count)], epsilon)
        assert bracket.upper.log_delta(epsilon) == pytest.approx(truth, abs=1e-11)
    exact = dp.compose([(dp.RandomizedResponse(0.2), count)], "optimal")
    assert exact.curve is dp.Bound.EXACT
    assert exact.lower == exact.upper


def test_optimal_composition_refuses_what_it_does_not_cover():
    for parts in ([(dp.Gaussian(1.0), 2)], [(dp.Laplace(1.0), 2), (dp.Laplace(2.0), 2)]):
        with pytest.raises(dp.UnsupportedError, match="pld"):
            dp.compose(parts, "optimal")


@pytest.mark.parametrize("direction", ["add", "remove"])
@pytest.mark.parametrize("order", [1.01, 12.5])
def test_renyi_at_real_orders_against_quadrature(order, direction):
    parts = [(dp.Subsampled(dp.Gaussian(1.5), 0.1), 4), (dp.Laplace(3.0), 2), (dp.Gaussian(5.0), 6)]
    truth = (
        4 * single.subsampled_gaussian_renyi(order, 1.5, 0.1, direction)
        + 2 * single.laplace_renyi(order, 3.0)
        + 6 * single.gaussian_renyi(order, 5.0)
    )
    assert dp.compose(parts, "renyi").upper.renyi(order, direction=direction) == pytest.approx(float(truth), rel=1e-9)


@pytest.mark.parametrize("direction", ["add", "remove"])
def test_renyi_conversion_of_a_divergence_without_closed_form(direction):
    """Waiting times: both densities are exponential, so the divergence is known where the product can be integrated."""
    rate, count = 1.4, 30
    upper = dp.compose([(WaitingTime(rate), count)], "renyi").upper
    own, other = (rate, 1.0) if direction == "add" else (1.0, rate)
    order = 1 + np.geomspace(1e-3, 1e4 if direction == "add" else 2.499, 200_001)
    divergence = np.log(own / other) + np.log(own / (order * own + (1 - order) * other)) / (order - 1)
    for epsilon in (3.0, 7.0):
        values = (order - 1) * (count * divergence - epsilon + np.log1p(-1 / order)) - np.log(order)
        found = upper.log_delta(epsilon, direction=direction)
        assert values.min() - 1e-9 <= found <= values.min() + 1e-4
        assert upper.epsilon(log_delta=found, direction=direction) == pytest.approx(epsilon, rel=1e-9)


def test_renyi_conversion_ends_where_each_direction_does():
    upper = dp.compose([(WaitingTime(1.4), 30)], "renyi").upper
    assert upper.epsilon(1e-300, direction="add") <= 30 * np.log(1.4) * (1 + 1e-12)
    assert upper.epsilon(1e-300) == upper.epsilon(1e-300, direction="remove") > 100


@pytest.mark.parametrize("epsilon", [0.5, 3.0, 8.0])
def test_saddle_of_gaussians(epsilon):
    estimate = dp.compose([(dp.Gaussian(10.0), 90), (dp.Gaussian(5.0), 10)], "saddle").estimate
    exact = oracles.gaussian_list_log_delta([(10.0, 90), (5.0, 10)], epsilon)
    assert estimate.log_delta(epsilon) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("direction", ["add", "remove"])
def test_saddle_of_a_smooth_mixture(direction):
    parts = [(dp.Laplace(20.0), 200), (dp.Subsampled(dp.Gaussian(1.0), 0.02), 500), (dp.ExponentialMechanism(0.1), 50)]
    sampled = oracles.subsampled_gaussian_moment(1.0, 0.02, direction)
    moments = [(oracles.laplace_moment(20.0), 200), (sampled, 500), (oracles.exponential_moment(0.1), 50)]
    estimate = dp.compose(parts, "saddle").estimate
    for epsilon in (1.0, 4.0):
        exact = oracles.contour_log_delta(moments, epsilon, digits=10)
        assert estimate.log_delta(epsilon, direction=direction) == pytest.approx(exact, abs=1e-9)


def test_a_curve_of_no_pair_has_no_saddle_point_and_one_of_a_pair_has():
    corner = dp.ObjectivePerturbation(8.0, 10.0, 1.0, 1.0, "hockey_stick")
    with pytest.raises(dp.UnsupportedError, match="concave corner at ε = 0"):
        dp.compose([(dp.Gaussian(5.0), 3), (corner, 10)], "saddle")
    for pair in (dp.Laplace(4.0), dp.Subsampled(dp.Gaussian(1.0), 0.1), WaitingTime(2.0)):
        assert dp.compose([(pair, 5)], "saddle").method == "saddle"


@pytest.mark.parametrize("direction", ["add", "remove"])
@pytest.mark.parametrize(
    ("mechanism", "moment"),
    [
        (dp.Gaussian(2.0), oracles.gaussian_moment(2.0)),
        (dp.Laplace(1.5), oracles.laplace_moment(1.5)),
        (dp.ExponentialMechanism(0.8), oracles.exponential_moment(0.8)),
    ],
)
def test_moments_from_a_curve_are_those_of_its_law(mechanism, moment, direction):
    for tilt in (0.6, 30.0):
        curve = _from_profile(LossLaw(mechanism, direction))
        for turn in (3.0, 600.0):  # the second too fast for the widest panels
            s = tilt + 1j * turn * np.array([0.0, 0.2, 1.0])
            truth = np.exp(moment(s).astype(complex))
            rounding = 1e-11 + 1e-16 * turn**2  # of the curve, times |s|²
            np.testing.assert_allclose(np.exp(curve(s)), truth, rtol=1e-9, atol=rounding * abs(truth[0]))


def test_width_is_the_share_of_delta_between_the_sides():
    low, high = dp.Gaussian(2.0), dp.Gaussian(1.5)
    bracket = Bracket(low, high, high)
    epsilon = np.array([0.3, 1.0, 3.0])
    share = [1 - float(mp.exp(low.log_delta(e)) / mp.exp(high.log_delta(e))) for e in epsilon]
    np.testing.assert_allclose(bracket.width(epsilon), share, rtol=1e-9)
    assert bracket.width(delta=1e-3) == pytest.approx(float(bracket.width(high.epsilon(1e-3))), rel=1e-12)
    assert Bracket(high, high, high).width(1.0) == 0
    pure = dp.RandomizedResponse(1.0)
    assert Bracket(pure, pure, pure).width(2.0) == 0
    for both in ({}, {"epsilon": 1.0, "delta": 0.1}):
        with pytest.raises(dp.ParameterError, match="exactly one"):
            bracket.width(**both)


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
