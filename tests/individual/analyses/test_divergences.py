"""Divergences in closed form."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.data import Domain
from dpcore.mechanisms.normal_divergence import normal_renyi_terms
from tests.individual.conftest import random_data

OPS = dp.PosteriorSampling(gamma=0.5, lam=1.0)
OUTPUT = dp.OutputPerturbation(sigma=0.5, lam=1.0)
OBJECTIVE = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, loss="squared")
MECHANISMS = [OPS, OUTPUT, OBJECTIVE]
IDS = ["posterior", "output", "objective"]


@pytest.fixture(scope="module")
def ds():
    return random_data(1, 60, 3, domain=Domain())


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=IDS)
def test_at_order_one_it_is_the_limit(ds, mechanism):
    at, near = dp.individual_privacy(ds, mechanism).exposures.renyi([1.0, 1.0 + 1e-6], "add").T
    np.testing.assert_allclose(at, near, rtol=1e-4, atol=1e-12)


def test_divergence_from_a_much_narrower_normal_law_is_infinite():
    plain, factor = normal_renyi_terms(np.array([1.5, 2.0, 3.0]), np.array(0.5))
    assert np.isfinite([plain[0], factor[0]]).all()
    assert plain[1:].tolist() == factor[1:].tolist() == [np.inf, np.inf]
