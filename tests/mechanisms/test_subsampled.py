"""Poisson subsampling against the mixture densities themselves, in both directions."""

import mpmath as mp
import numpy as np
import pytest

import dpcore as dp
from tests import oracles

RNG = np.random.default_rng(20240505)
DIRECTIONS = ("add", "remove")


def random_rate() -> float:
    return 10 ** RNG.uniform(-10, 0) if RNG.random() < 0.7 else 1 - 10 ** RNG.uniform(-16, -1)


def test_log_delta_at_random():
    for _ in range(80):
        sigma, rate = 10 ** RNG.uniform(-6, 6) if RNG.random() < 0.3 else 10 ** RNG.uniform(-1.5, 1.5), random_rate()
        kind = RNG.integers(3)
        size = 10 ** RNG.uniform(-12, 3) if kind == 0 else rate * 10 ** RNG.uniform(-6, 3) if kind == 1 else 0.0
        epsilon = min(size, 1e3)
        epsilon = -min(epsilon, 600.0) if RNG.random() < 0.2 else epsilon
        for direction in DIRECTIONS:
            truth = oracles.subsampled_gaussian_log_delta(epsilon, sigma, rate, direction)
            oracles.assert_log_delta(dp.Subsampled(dp.Gaussian(sigma), rate).log_delta(epsilon, direction), truth)


def test_log_delta_in_the_tail_of_remove():
    for _ in range(60):
        sigma, rate = 10 ** RNG.uniform(-1, 1.5), random_rate()
        inner = min((RNG.uniform(5, 37) + 0.5 / sigma) / sigma, 900.0)
        epsilon = float(np.logaddexp(np.log1p(-rate) if rate < 1 else -np.inf, np.log(rate) + inner))
        truth = oracles.subsampled_gaussian_log_delta(abs(epsilon), sigma, rate, "remove")
        oracles.assert_log_delta(dp.Subsampled(dp.Gaussian(sigma), rate).log_delta(abs(epsilon), "remove"), truth)


def test_log_delta_of_add_next_to_its_cut_off():
    """δ_add vanishes at e^ε = 1/(1−q); the distance to that point must keep all its digits."""
    for _ in range(80):
        sigma, rate = 10 ** RNG.uniform(-1.5, 1.5), random_rate()
        epsilon = float(-np.log1p(-rate)) * (1 - 10 ** RNG.uniform(-16, -0.5))
        truth = oracles.subsampled_gaussian_log_delta(epsilon, sigma, rate, "add")
        oracles.assert_log_delta(dp.Subsampled(dp.Gaussian(sigma), rate).log_delta(epsilon, "add"), truth)


def test_subsampled_randomised_response_by_enumeration():
    for _ in range(60):
        pure, categories, rate = 10 ** RNG.uniform(-3, 2), int(RNG.integers(2, 6)), random_rate()
        epsilon = min(pure * RNG.uniform(0, 1.1), 600.0) * RNG.choice([1, 1, -1])
        epsilon *= rate if RNG.random() < 0.5 else 1.0
        profile = dp.Subsampled(dp.RandomizedResponse(pure, categories), rate)
        for direction in DIRECTIONS:

            def truth(p=pure, k=categories, q=rate, e=epsilon, one=direction):
                present, absent = oracles.randomized_response_laws(p, k)
                mixture = [(1 - mp.mpf(q)) * b + mp.mpf(q) * a for a, b in zip(present, absent, strict=True)]
                laws = (mixture, absent) if one == "remove" else (absent, mixture)
                return oracles.discrete_log_delta(*laws, e)

            oracles.assert_log_delta(profile.log_delta(epsilon, direction), oracles.settled(truth))


@pytest.mark.thorough
def test_renyi_against_the_densities():
    for _ in range(12):
        alpha, sigma, rate = 1 + 10 ** RNG.uniform(-9, 2), 10 ** RNG.uniform(-0.5, 1.5), 10 ** RNG.uniform(-8, 0)
        for direction in DIRECTIONS:
            truth = oracles.subsampled_gaussian_renyi(alpha, sigma, rate, direction)
            oracles.assert_relative(dp.Subsampled(dp.Gaussian(sigma), rate).renyi(alpha, direction), truth, 1e-12)


def test_renyi_at_order_one_is_the_kullback_leibler_divergence():
    for direction in DIRECTIONS:
        truth = oracles.subsampled_gaussian_renyi(1.0, 0.8, 0.2, direction)
        oracles.assert_relative(dp.Subsampled(dp.Gaussian(0.8), 0.2).renyi(1.0, direction), truth, 1e-13)


def test_renyi_of_whole_orders_against_the_binomial_sum():
    for _ in range(20):
        alpha, sigma, rate = int(10 ** RNG.uniform(0.4, 2.5)), 10 ** RNG.uniform(-3, 3), 10 ** RNG.uniform(-10, 0)
        truth = oracles.subsampled_gaussian_renyi_integer(alpha, sigma, rate)
        oracles.assert_relative(dp.Subsampled(dp.Gaussian(sigma), rate).renyi(alpha, "remove"), truth, 1e-12)


def test_add_is_purely_private_from_its_cut_off_on():
    for rate in (1e-10, 1e-3, 0.3, 1 - 1e-9):
        edge = dp.Subsampled(dp.Gaussian(1.0), rate).epsilon(0.0, "add")
        with mp.workdps(50):
            exact = -mp.log1p(-mp.mpf(rate))
            assert mp.mpf(np.nextafter(edge, 0)) < exact <= mp.mpf(float(edge))


def test_sampling_twice_is_sampling_once_at_the_product_of_the_rates():
    twice = dp.Subsampled(dp.Subsampled(dp.Gaussian(0.6), 0.25), 0.5)
    once = dp.Subsampled(dp.Gaussian(0.6), 0.125)
    epsilon = np.linspace(-0.3, 3, 30)
    for direction in DIRECTIONS:
        np.testing.assert_allclose(twice.log_delta(epsilon, direction), once.log_delta(epsilon, direction), rtol=1e-13)


def test_states_what_its_base_states():
    class Loose(dp.Gaussian):
        bound = dp.Bound.UPPER

    assert dp.Subsampled(dp.Gaussian(1.0), 0.1).bound is dp.Bound.EXACT
    assert dp.Subsampled(Loose(1.0), 0.1).bound is dp.Bound.UPPER
