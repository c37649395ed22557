"""The bounded-range worst case against brute force over every pair of the class."""

import numpy as np

import dpcore as dp
from tests import oracles

RNG = np.random.default_rng(20240504)


def test_log_delta_is_the_supremum_over_the_class():
    for _ in range(25):
        pure = 10 ** RNG.uniform(-3, 2)
        epsilon = pure * RNG.uniform(-0.99, 1.05)
        mechanism = dp.ExponentialMechanism(pure)
        oracles.assert_log_delta(mechanism.log_delta(epsilon), oracles.exponential_log_delta(epsilon, pure))


def test_log_delta_in_closed_form_next_to_the_cut_off():
    for _ in range(80):
        pure = 10 ** RNG.uniform(-9, 3)
        epsilon = pure * (1 - 10 ** RNG.uniform(-16, 0))
        truth = oracles.settled(lambda e=epsilon, p=pure: oracles.bounded_range_log_delta(e, p))
        oracles.assert_log_delta(dp.ExponentialMechanism(pure).log_delta(epsilon), truth)


def test_renyi():
    for _ in range(60):
        pure, alpha = 10 ** RNG.uniform(-9, 3), 1 + 10 ** RNG.uniform(-10, 6)
        oracles.assert_relative(
            dp.ExponentialMechanism(pure).renyi(alpha), oracles.exponential_renyi(alpha, pure), 1e-12
        )
    for pure in (1e-6, 0.3, 5.0):
        oracles.assert_relative(dp.ExponentialMechanism(pure).renyi(1.0), oracles.exponential_renyi(1.0, pure), 1e-12)
