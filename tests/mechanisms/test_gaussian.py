"""The Gaussian mechanism against densities in arbitrary precision."""

import math

import numpy as np
import pytest

import dpcore as dp
from tests import oracles

RNG = np.random.default_rng(20240501)
TABLE = [
    (1.0, 5.0), (1e-9, 1e6), (1e3, 1e-6), (1e3, 1.0), (1e3, 1e6), (0.0, 1e-6), (0.0, 1e6), (37.0, 0.9), (1e-300, 1.0),
]  # fmt: skip


def random_case() -> tuple[float, float, float]:
    """ε from 0 to 1e3 of either sign, σ from 1e-6 to 1e6, with δ of every size down to 1e-300."""
    sigma = 10 ** RNG.uniform(-6, 6)
    sensitivity = 1.0 if RNG.random() < 0.5 else 10 ** RNG.uniform(-2, 2)
    shift = sensitivity / sigma
    near_tail = shift * (RNG.uniform(-6, 37.5) + shift / 2)
    epsilon = min(1e3, abs(near_tail) if RNG.random() < 0.7 else 10 ** RNG.uniform(-12, 3))
    return (-min(epsilon, 600.0) if RNG.random() < 0.15 else epsilon), sigma, sensitivity


@pytest.mark.parametrize(("epsilon", "sigma"), TABLE)
def test_log_delta_in_the_corners(epsilon, sigma):
    oracles.assert_log_delta(dp.Gaussian(sigma).log_delta(epsilon), oracles.gaussian_log_delta(epsilon, sigma))


def test_log_delta_at_random():
    for _ in range(120):
        epsilon, sigma, sensitivity = random_case()
        truth = oracles.gaussian_log_delta(epsilon, sigma, sensitivity)
        oracles.assert_log_delta(dp.Gaussian(sigma, sensitivity).log_delta(epsilon), truth)


def test_log_delta_far_below_the_smallest_float_stays_finite_and_ordered():
    tail = dp.Gaussian(1e6).log_delta(np.geomspace(1.0, 1e3, 200))
    assert np.isfinite(tail).all()
    assert (np.diff(tail) < 0).all()
    assert tail[-1] == pytest.approx(-5e17, rel=1e-12)
    assert np.isfinite(dp.Gaussian(1e100).log_delta(1e300))


def test_renyi():
    for _ in range(40):
        alpha = 1 + 10 ** RNG.uniform(-10, 6)
        sigma = 10 ** RNG.uniform(-6, 6)
        oracles.assert_relative(dp.Gaussian(sigma).renyi(alpha), oracles.gaussian_renyi(alpha, sigma), 1e-14)
    assert dp.Gaussian(2.0).renyi(1.0) == 0.125
    assert dp.Gaussian(2.0).renyi(math.inf) == math.inf
