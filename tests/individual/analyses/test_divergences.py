"""Divergences in closed form."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.data import Domain
from dpcore.mechanisms.normal_divergence import normal_renyi_terms
from tests.individual.conftest import random_data
from tests.individual.oracles import laws, normal_divergence

OPS = dp.PosteriorSampling(gamma=0.5, lam=1.0)
OUTPUT = dp.OutputPerturbation(sigma=0.5, lam=1.0)
OBJECTIVE = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, loss="squared")
MECHANISMS = [OPS, OUTPUT, OBJECTIVE]
IDS = ["posterior", "output", "objective"]


@pytest.fixture(scope="module")
def ds():
    return random_data(1, 60, 3, domain=Domain())


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=IDS)
def test_renyi_divergences_of_rows_are_those_of_the_d_dimensional_laws(ds, mechanism):
    result = dp.individual_privacy(ds, mechanism)
    alpha = np.array([1.5, 2.0, 6.0])
    found = {way: result.exposures.renyi(alpha, way) for way in ("add", "remove")}
    for row in (0, 30, int(result.epsilon.argmax())):
        with_ = laws(mechanism, ds.X, ds.y)
        without = laws(mechanism, np.delete(ds.X, row, 0), np.delete(ds.y, row))
        for k, order in enumerate(alpha):
            assert found["add"][row, k] == pytest.approx(normal_divergence(order, without, with_), rel=1e-8, abs=1e-12)
            assert found["remove"][row, k] == pytest.approx(
                normal_divergence(order, with_, without), rel=1e-8, abs=1e-12
            )
        near = result.exposures.renyi([1.0, 1.0 + 1e-6], "add")[row]
        assert near[0] == pytest.approx(near[1], rel=1e-4, abs=1e-12)


def test_divergence_from_a_much_narrower_normal_law_is_infinite():
    plain, factor = normal_renyi_terms(np.array([1.5, 2.0, 3.0]), np.array(0.5))
    assert np.isfinite([plain[0], factor[0]]).all()
    assert plain[1:].tolist() == factor[1:].tolist() == [np.inf, np.inf]
