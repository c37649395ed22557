"""From moments of ε to a gap."""

import numpy as np
import pytest
from scipy import stats

import dpcore as dp
from dpcore.data import Domain
from dpcore.studies.per_instance import generalisation as general
from tests.individual.conftest import random_data
from tests.individual.oracles import laws

OPS = dp.PosteriorSampling(gamma=0.5, lam=1.0)
OUTPUT = dp.OutputPerturbation(sigma=0.5, lam=1.0)
OBJECTIVE = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, loss="squared")
MECHANISMS = [OPS, OUTPUT, OBJECTIVE]
IDS = ["posterior", "output", "objective"]


@pytest.fixture(scope="module")
def ds():
    return random_data(1, 60, 3, domain=Domain())


def test_generalisation_bounds_by_sampling_and_order():
    rng = np.random.default_rng(0)
    epsilon, other = rng.exponential(0.1, 200), rng.exponential(0.2, 300)
    pairs = np.exp(epsilon[:, None] + other) - 1 + 1e-3 + np.exp(epsilon)[:, None] * 1e-3
    assert general.cross_domain_bound(epsilon, other, 1e-3) == pytest.approx(pairs.mean(), rel=1e-12)
    assert general.generalisation_bound(epsilon, 0.0) == pytest.approx(np.exp(epsilon).mean() ** 2 - 1)
    assert general.simple_bound(epsilon, other, 1e-3) >= general.cross_domain_bound(epsilon, other, 1e-3)
    assert general.generalisation_bound(np.zeros(3), 0.0) == 0


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=IDS)
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
    with pytest.raises(dp.UnsupportedError, match="no per-instance analysis"):
        general.draw(dp.ApproximateMinimaPerturbation(
            sigma=1.0, lam=1.0, lipschitz=1.0, smoothness=1.0, tau=1e-3, sigma_out=1.0
        ), random_data(1, 9, 1), 1, np.random.default_rng(0))  # fmt: skip
