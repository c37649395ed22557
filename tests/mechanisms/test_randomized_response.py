"""Randomised response against enumeration of its outcomes."""

from functools import partial

import numpy as np

import dpcore as dp
from tests import oracles

RNG = np.random.default_rng(20240503)


def random_categories() -> int:
    return int(RNG.integers(2, 7)) if RNG.random() < 0.7 else int(10 ** RNG.uniform(1, 8))


def test_log_delta():
    for _ in range(120):
        pure, categories = 10 ** RNG.uniform(-9, 3), random_categories()
        near = pure * (1 - 10 ** RNG.uniform(-16, -1)) if RNG.random() < 0.5 else pure * RNG.uniform(0, 1.1)
        epsilon = -min(near, 600.0) if RNG.random() < 0.15 else near
        laws = partial(oracles.randomized_response_laws, pure, categories)
        truth = oracles.settled(lambda laws=laws, e=epsilon: oracles.discrete_log_delta(*laws(), e))
        oracles.assert_log_delta(dp.RandomizedResponse(pure, categories).log_delta(epsilon), truth)


def test_renyi():
    for _ in range(60):
        pure, categories = 10 ** RNG.uniform(-9, 3), random_categories()
        alpha = 1 + 10 ** RNG.uniform(-10, 6) if RNG.random() < 0.9 else 1.0
        laws = partial(oracles.randomized_response_laws, pure, categories)
        truth = oracles.settled(lambda laws=laws, a=alpha: oracles.discrete_renyi(*laws(), a))
        oracles.assert_relative(dp.RandomizedResponse(pure, categories).renyi(alpha), truth, 1e-12)
