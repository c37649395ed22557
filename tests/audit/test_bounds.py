"""Binomial bounds against statsmodels, and the band against what it promises: coverage at every threshold at once."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import dpcore as dp
from dpcore.audit.bounds import band, clopper_pearson


@pytest.mark.parametrize("trials", [1, 7, 200])
def test_clopper_pearson_is_that_of_statsmodels(trials):
    counts = np.arange(trials + 1)
    low, high = clopper_pearson(counts, trials, 0.025)
    expected = [proportion_confint(int(k), trials, 0.05, method="beta") for k in counts]
    assert np.column_stack([low, high]) == pytest.approx(np.nan_to_num(np.array(expected)), abs=1e-12)
    assert (low[0], high[-1]) == (0.0, 1.0)


@pytest.mark.parametrize("bad", [-1, 8, 2.5])
def test_impossible_counts_are_refused(bad):
    with pytest.raises(dp.ParameterError, match="successes"):
        clopper_pearson(bad, 7, 0.05)


def test_band_at_a_rank_is_clopper_pearson_at_the_shared_level():
    one = band(500)
    low, high = one.bounds(one.ranks, 0.05)
    expected, _ = clopper_pearson(one.ranks, 500, 0.05 / len(one.ranks))
    assert low == pytest.approx(expected, rel=1e-12)
    _, upper = clopper_pearson(one.ranks - 1, 500, 0.05 / len(one.ranks))
    assert one.bounds(one.ranks - 1, 0.05)[1] == pytest.approx(upper, rel=1e-12)
    assert (low < one.ranks / 500).all()
    assert (high[:-1] > one.ranks[:-1] / 500).all()


@pytest.mark.parametrize("trials", [1, 2, 3, 4])
def test_few_trials_have_a_band_of_ordinary_numbers(trials):
    found = band(trials)
    assert set(found.ranks) <= set(range(1, trials + 1))
    low, high = found.bounds(np.arange(trials + 1), 0.05)
    assert (low < high).all()
    assert (low[0], high[-1]) == (0.0, 1.0)


@pytest.mark.parametrize("trials", [20, 150, 1000])
def test_band_covers_everywhere_at_once(trials):
    rng, level, repeats = np.random.default_rng(trials), 0.1, 2000
    counts = np.arange(trials + 1)
    low, high = band(trials).bounds(counts, level)
    uniforms = np.sort(rng.random((repeats, trials)), axis=1)  # P[score < t] at the order statistics
    below = (uniforms < low[1:]).any(axis=1).mean()  # count k is reached just at the k-th smallest
    above = (uniforms > high[:-1]).any(axis=1).mean()
    limit = stats.binom.ppf(1 - 1e-6, repeats, level) / repeats
    assert 0 < min(below, above) <= max(below, above) <= limit
