"""Rényi curves of profiles that only the tests know, never below the truth: sums over outcomes at 50 digits."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import dpcore as dp
from dpcore.profiles import PrivacyProfile
from tests.accountants.homemade import Outcomes
from tests.oracles import OPPOSITE, discrete_renyi

ORDERS = np.array([1.1, 1.5, 2.0, 5.0, 20.0, 100.0, 500.0, 2000.0, 1e4])
ROUND_OFF = 3e-16  # of masses that add up to 1 but for rounding, absolute


def drawn(seed: int) -> Outcomes:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 41))
    present = rng.dirichlet(np.full(size, rng.choice([0.3, 1.0, 5.0]))) + 1e-12
    without = present * np.exp(rng.normal(0.0, rng.choice([0.03, 0.1, 0.5, 1.0, 3.0]), size))
    return Outcomes(tuple((present / present.sum()).tolist()), tuple((without / without.sum()).tolist()))


def truth(profile: Outcomes, alpha: float, direction: str) -> float:
    with mp.workdps(50):
        p, q = ([mp.mpf(float(one)) for one in law] for law in profile.laws(direction))
        return float(discrete_renyi(p, q, alpha))


@pytest.mark.parametrize("seed", range(10))
def test_few_outcomes_have_no_divergence_below_the_truth(seed):
    profile = drawn(seed)
    for direction in OPPOSITE:
        for alpha, found in zip(ORDERS, profile.renyi(ORDERS, direction=direction), strict=True):
            exact = truth(profile, float(alpha), direction)
            slack = 1e-12 * exact + 8 * ROUND_OFF * alpha / (alpha - 1)
            assert exact - slack <= found <= exact * (1 + 1e-10) + slack


@pytest.mark.parametrize("direction", ["add", "remove"])
@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.1), (5.0, 0.1)])
def test_endlessly_many_corners_are_seen_where_the_loss_says_it_is_discrete(sigma, rate, direction):
    profile = dp.Subsampled(dp.DiscreteGaussian(sigma), rate)
    orders = np.array([1.5, 20.0, 500.0, 5000.0])
    by_chords = PrivacyProfile._renyi(profile, orders, direction)
    np.testing.assert_allclose(by_chords, profile.renyi(orders, direction=direction), rtol=2e-10)
