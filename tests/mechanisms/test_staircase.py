"""The staircase mechanism against quadrature of its density, its source's closed forms, and its own draws."""

from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest

import dpcore as dp

CASES = [(1.0, None), (0.4, 0.3), (3.0, 0.8), (8.0, None), (0.5, 0.5)]


def hockey_stick(epsilon, gamma, at, shift):
    """∫[f(x) − e^at f(x − shift)]_+ at 30 digits, step by step, with f normalised by its own sum."""
    fall, steps = mp.e ** -mp.mpf(epsilon), int(60 / epsilon) + 4
    mass = 2 * gamma + 2 * sum(fall**k for k in range(1, steps + 1))

    def density(x):
        return fall ** int(max(mp.ceil(abs(x) - gamma), 0))

    edges = sorted({s * (gamma + k) + move for k in range(steps) for s in (-1, 1) for move in (0, shift)})
    gaps = [
        (high - low) * max(density((low + high) / 2) - mp.e**at * density((low + high) / 2 - shift), 0)
        for low, high in pairwise(edges)
    ]
    return float(sum(gaps) / mass)


@pytest.mark.parametrize(("epsilon", "gamma"), CASES)
def test_profile_is_that_of_its_density_and_no_smaller_shift_is_worse(epsilon, gamma):
    mechanism = dp.Staircase(epsilon, gamma)
    with mp.workdps(30):
        for at in (0.0, 0.4 * epsilon, 0.99 * epsilon):
            expected = hockey_stick(epsilon, mechanism.gamma, at, 1)
            assert float(mechanism.delta(at)) == pytest.approx(expected, rel=1e-10)
            for shift in (0.2, 0.75):
                assert hockey_stick(epsilon, mechanism.gamma, at, shift) <= expected * (1 + 1e-12)
    assert float(mechanism.delta(epsilon)) == 0.0


@pytest.mark.parametrize(("epsilon", "gamma"), CASES)
def test_mean_error_is_that_of_the_density_and_of_draws(epsilon, gamma):
    mechanism = dp.Staircase(epsilon, gamma)
    fall, half = mp.e ** (-mp.mpf(epsilon)), mp.mpf(mechanism.gamma)
    steps = range(int(120 / epsilon) + 2)
    first = half**2 / 2 + sum(fall ** (k + 1) * (half + k + mp.mpf(1) / 2) for k in steps)
    mass = half + sum(fall ** (k + 1) for k in steps)
    assert mechanism.mean_error == pytest.approx(float(first / mass), rel=1e-12)
    draws = np.abs(mechanism.pair().absent(200_000, np.random.default_rng(3)))
    assert draws.mean() == pytest.approx(mechanism.mean_error, abs=5 * draws.std() / 200_000**0.5)


@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 1.0, 4.0, 20.0])
def test_the_default_has_the_least_error_the_source_gives(epsilon):
    best = dp.Staircase(epsilon)
    assert best.mean_error == pytest.approx(np.exp(epsilon / 2) / np.expm1(epsilon), rel=1e-12)
    for gamma in (0.9 * best.gamma, 1.1 * best.gamma):
        assert dp.Staircase(epsilon, gamma).mean_error > best.mean_error
    assert best.mean_error < 1 / epsilon  # of Laplace noise
