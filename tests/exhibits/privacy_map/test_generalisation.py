"""From moments of ε to a gap."""

import numpy as np
import pytest
from scipy import stats

import dpcore as dp
from dpcore.exhibits.privacy_map import generalisation as general
from tests.individual.conftest import OBJECTIVE, OPS, OUTPUT, random_data
from tests.individual.oracles import laws


def test_generalisation_bounds_by_sampling_and_order():
    rng = np.random.default_rng(0)
    epsilon, other = rng.exponential(0.1, 200), rng.exponential(0.2, 300)
    pairs = np.exp(epsilon[:, None] + other) - 1 + 1e-3 + np.exp(epsilon)[:, None] * 1e-3
    assert general.cross_domain_bound(epsilon, other, 1e-3) == pytest.approx(pairs.mean(), rel=1e-12)
    assert general.cross_domain_bound(epsilon, epsilon, 0.0) == pytest.approx(np.exp(epsilon).mean() ** 2 - 1)
    assert general.simple_bound(epsilon, other, 1e-3) >= general.cross_domain_bound(epsilon, other, 1e-3)
    assert general.cross_domain_bound(np.zeros(3), np.zeros(3), 0.0) == 0


def test_another_population_is_a_weighted_one(ds):
    weights = general.tilted(ds, 0.7)
    values, vectors = np.linalg.eigh(np.cov(ds.X.T, bias=True))
    score = (ds.X - ds.X.mean(axis=0)) @ vectors[:, -1] / np.sqrt(values[-1])
    slope = np.diff(np.log(weights)) / np.diff(score)
    assert np.abs(slope) == pytest.approx(0.7)
    assert weights.mean() == pytest.approx(1)
    assert general.tilted(ds, 0.0) == pytest.approx(1.0)
    rng = np.random.default_rng(2)
    epsilon, other, counts = rng.exponential(0.1, 9), rng.exponential(0.2, 5), [1, 2, 0, 4, 3]
    repeated = general.cross_domain_bound(epsilon, np.repeat(other, counts), 0.01)
    assert general.cross_domain_bound(epsilon, other, 0.01, counts) == pytest.approx(repeated)
    found = general.measure_generalisation(ds, OUTPUT, repeats=2, draws=5, shift=0.7)
    rng, gaps = np.random.default_rng(0), []
    for _ in range(2):
        train, test = np.split(rng.permutation(60), 2)
        part = dp.Dataset.from_arrays(ds.X[train], ds.y[train])
        theta = general.draw(OUTPUT, part, 5, rng)
        lost = np.minimum((ds.y[:, None] - ds.X @ theta.T) ** 2 / (2 * np.abs(ds.y).max()) ** 2, 1).mean(axis=1)
        gaps.append(np.dot(weights[test], lost[test]) / 30 - np.dot(weights[train], lost[train]) / 30)
    assert found.gap == pytest.approx(np.mean(gaps))
    grown = np.exp(dp.individual_privacy(part, OUTPUT, delta=found.delta).epsilon)
    there = np.dot(grown, weights[train]) / weights[train].sum()
    assert found.proposition == pytest.approx(grown.mean() * there - 1 + found.delta * (1 + grown.mean()))


@pytest.mark.parametrize("mechanism", [OPS, OUTPUT, OBJECTIVE], ids=["posterior", "output", "objective"])
def test_draws_follow_the_law_and_the_gap_stays_below_the_promise(ds, mechanism):
    theta = general.draw(mechanism, ds, 4_000, np.random.default_rng(1))
    mean, covariance = laws(mechanism, ds.X, ds.y)
    white = np.linalg.solve(np.linalg.cholesky(covariance), (theta - mean).T)
    assert stats.kstest(white.ravel(), "norm").pvalue > 1e-4
    found = general.measure_generalisation(ds, mechanism, repeats=6, draws=5)
    assert found.gap - 4 * found.standard_error <= found.proposition <= found.corollary
    assert 0 <= found.train_loss <= 1


def test_generalisation_needs_rows_and_a_known_mechanism():
    with pytest.raises(dp.DataError, match="four rows"):
        general.measure_generalisation(random_data(1, 3, 1), OPS)
    unknown = dp.ApproximateMinimaPerturbation(1.0, 1.0, 1.0, 1.0, tau=1e-3, sigma_out=1.0)
    with pytest.raises(dp.UnsupportedError, match="no per-instance analysis"):
        general.draw(unknown, random_data(1, 9, 1), 1, np.random.default_rng(0))
