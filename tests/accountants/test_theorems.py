"""Composition theorems for mechanisms of one kind, and at ε = 0."""

import math

import numpy as np
import pytest

import dpcore as dp


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
