"""Fact 5 against the tests of two normal laws, and Definition 7 against counting."""

import numpy as np
import pytest
from scipy import stats

import dpcore as dp
from dpcore.exhibits.privacy_map.moments import exposure_moments
from dpcore.exhibits.privacy_map.odds import odds
from dpcore.mechanisms.posterior_sampling import PosteriorSampleRecord
from tests.errata.oracles import gaussian_epsilon


@pytest.mark.parametrize("shift", [0.2, 1.5])
def test_the_largest_odds_are_those_of_the_best_test(shift):
    found = odds(dp.Gaussian(1.0, shift), 1e-5)
    p = found.probability
    best = stats.norm.logcdf(stats.norm.ppf(p) + shift) - np.log(p)
    assert found.exact == pytest.approx(best, rel=1e-3)
    assert (found.exact >= best - 1e-9).all()  # met from above
    epsilon = gaussian_epsilon(shift, 1e-5)
    assert (found.epsilon, found.threshold) == (pytest.approx(epsilon), pytest.approx(1e-5 / epsilon))
    assert found.stated == pytest.approx(np.log(np.exp(epsilon) + 1e-5 / p))
    covered = p >= found.threshold
    assert (found.exact <= found.stated * (1 + 1e-3)).all()
    assert (found.stated[covered] <= 2 * epsilon).all()
    fact, _, _ = found.curves
    assert np.isnan(fact.y).tolist() == (~covered).tolist()
    assert fact.y[-1] == pytest.approx(2 * epsilon)
    assert found.at(1e-4) == pytest.approx(stats.norm.logcdf(stats.norm.ppf(1e-4) + shift) - np.log(1e-4), rel=1e-3)


def test_both_directions_count():
    """A posterior sample narrows with the record: its two directions differ."""
    record = PosteriorSampleRecord(2.0, 0.3)
    both = odds(record, 1e-5)
    q = both.probability * np.exp(both.exact)
    for direction in ("add", "remove"):
        power = 1 - record.tradeoff(both.probability, direction=direction)
        assert (power <= q * (1 + 1e-6) + 1e-12).all()


def test_moments_bound_the_tail_and_say_more_with_every_order():
    epsilon = np.random.default_rng(3).lognormal(-2, 0.5, 400)
    found = exposure_moments(epsilon)
    for k, value in zip((1, 2, 4, 8), found.values, strict=True):
        assert value == pytest.approx(sum(float(e) ** k for e in epsilon) / 400)
    counted = np.array([np.mean(epsilon >= t) for t in found.threshold])
    assert found.share == pytest.approx(counted)
    assert (found.bounds >= counted).all()
    promised = [found.quantile(0.95, k) for k in (1, 2, 4, 8)]
    assert promised[0] == pytest.approx(found.values[0] / 0.05)
    assert promised == sorted(promised, reverse=True)
    assert promised[-1] > np.quantile(epsilon, 0.95)
