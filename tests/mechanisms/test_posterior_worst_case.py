"""ε of the worst record of all data sets is found by turns, and is the smallest that δ(ε) allows."""

import numpy as np
import pytest

from dpcore.mechanisms.posterior_sampling import PosteriorSampleWorstCase

CASES = [(1.0, 1.0, 442, 1e-6), (0.01, 50.0, 20, 1e-3), (300.0, 0.02, 10_000, 1e-15), (2.0, 5.0, 0, 0.3)]


@pytest.mark.parametrize("direction", ["both", "add", "remove"])
@pytest.mark.parametrize(("gamma", "lam", "n", "delta"), CASES)
def test_epsilon_is_the_smallest_that_meets_delta(gamma, lam, n, delta, direction):
    profile = PosteriorSampleWorstCase(gamma=gamma, lam=lam, row_norm=1.0, target_bound=1.0, n=n)
    epsilon = float(profile.epsilon(delta, direction))
    assert profile.delta(epsilon, direction) <= delta
    if epsilon > 0:
        assert profile.log_delta(epsilon * (1 - 1e-12), direction) > np.log(delta)


def test_many_targets_at_once_are_those_one_by_one():
    profile = PosteriorSampleWorstCase(gamma=1.0, lam=1.0, row_norm=1.0, target_bound=1.0, n=100)
    deltas = np.array([0.0, 1e-9, 1e-3, 1.0])
    np.testing.assert_allclose(profile.epsilon(deltas), [float(profile.epsilon(delta)) for delta in deltas], rtol=1e-13)
