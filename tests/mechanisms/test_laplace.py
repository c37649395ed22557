"""The Laplace mechanism against its densities in arbitrary precision."""

from fractions import Fraction

import numpy as np
import pytest

import dpcore as dp
from tests import oracles

RNG = np.random.default_rng(20240502)


def test_log_delta_at_random_and_next_to_the_cut_off():
    for _ in range(120):
        scale, sensitivity = 10 ** RNG.uniform(-3, 6), 10 ** RNG.uniform(-2, 2)
        shift = sensitivity / scale
        near = shift * (1 - 10 ** RNG.uniform(-16, -1)) if RNG.random() < 0.5 else shift * RNG.uniform(0, 1.1)
        epsilon = -min(near, 600.0) if RNG.random() < 0.15 else near
        truth = oracles.laplace_log_delta(epsilon, scale, sensitivity)
        oracles.assert_log_delta(dp.Laplace(scale, sensitivity).log_delta(epsilon), truth)


@pytest.mark.parametrize("scale", [3.0, 0.7, 1.1, 49.0, 1 / 3, 1e-3])
def test_delta_is_zero_exactly_from_the_exact_quotient_on(scale):
    """The rounded quotient may lie on either side of the exact one; δ follows the exact one."""
    rounded = 1 / scale
    exact_is_larger = 1 / Fraction(scale) > Fraction(rounded)
    mechanism = dp.Laplace(scale)
    assert (mechanism.delta(rounded) > 0) == exact_is_larger
    assert mechanism.delta(np.nextafter(rounded, 0)) > 0
    assert mechanism.delta(np.nextafter(rounded, np.inf)) == 0
    assert mechanism.epsilon(0.0) == (np.nextafter(rounded, np.inf) if exact_is_larger else rounded)


def test_renyi():
    for _ in range(60):
        alpha = 1 + 10 ** RNG.uniform(-10, 6) if RNG.random() < 0.9 else 1.0
        scale = 10 ** RNG.uniform(-6, 6)
        oracles.assert_relative(dp.Laplace(scale).renyi(alpha), oracles.laplace_renyi(alpha, scale), 1e-13)
    assert dp.Laplace(0.25).renyi(np.inf) == 4.0


def test_a_tradeoff_far_below_round_off_keeps_its_digits():
    assert dp.Laplace(1e-3).tradeoff(1e-300) == pytest.approx(np.exp(np.log(2.5e299) - 1000), rel=1e-10)
