"""Exact draws of the discrete Gaussian against its masses."""

import numpy as np
import pytest
from scipy import stats

from dpcore.mechanisms.exact_noise import exact_discrete_noise


@pytest.mark.thorough
@pytest.mark.parametrize("sigma", [0.4, 1.0, 3.3])
def test_draws_follow_the_masses(sigma):
    drawn = exact_discrete_noise(sigma, 4_000, np.random.default_rng(5))
    reach = int(np.ceil(2.2 * sigma))
    inner = np.arange(-reach, reach + 1)
    every = np.arange(-60, 61)
    mass = np.exp(-0.5 * (inner / sigma) ** 2) / np.exp(-0.5 * (every / sigma) ** 2).sum()
    counts = np.array([(drawn == k).sum() for k in inner])
    found = np.append(counts, len(drawn) - counts.sum())
    wanted = len(drawn) * np.append(mass, 1 - mass.sum())
    assert drawn.dtype == np.int64
    assert (
        stats.chisquare(
            found[wanted > 5], wanted[wanted > 5] * found[wanted > 5].sum() / wanted[wanted > 5].sum()
        ).pvalue
        > 1e-3
    )


def test_a_seed_repeats_the_draws():
    first, second = (exact_discrete_noise(7.5, 20, np.random.default_rng(1)) for _ in range(2))
    assert (first == second).all()
    assert np.unique(first).size > 5
