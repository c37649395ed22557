"""Divergences in closed form."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.mechanisms.two_normals import normal_renyi_terms
from tests.individual.conftest import IDS, MECHANISMS


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=IDS)
def test_at_order_one_it_is_the_limit(small, mechanism):
    at, near = dp.individual_privacy(small, mechanism).exposures.renyi([1.0, 1.0 + 1e-6], "add").T
    np.testing.assert_allclose(at, near, rtol=1e-4, atol=1e-12)


def test_divergence_from_a_much_narrower_normal_law_is_infinite():
    plain, factor = normal_renyi_terms(np.array([1.5, 2.0, 3.0]), np.array(0.5))
    assert np.isfinite([plain[0], factor[0]]).all()
    assert plain[1:].tolist() == factor[1:].tolist() == [np.inf, np.inf]
