"""Divergences in closed form."""

import numpy as np

from dpcore.mechanisms.two_normals import normal_renyi_terms


def test_divergence_from_a_much_narrower_normal_law_is_infinite():
    plain, factor = normal_renyi_terms(np.array([1.5, 2.0, 3.0]), np.array(0.5))
    assert np.isfinite([plain[0], factor[0]]).all()
    assert plain[1:].tolist() == factor[1:].tolist() == [np.inf, np.inf]
