"""Every private learner adds the noise that its target needs, in units where nothing is 1."""

import numpy as np
import pytest
from scipy import stats

import dpcore as dp
from tests.contracts import noise


@pytest.mark.thorough
@pytest.mark.parametrize("name", noise.READ_OFF)
def test_what_is_drawn_has_the_law_that_the_target_needs(name):
    drawn = noise.standard_normal(name)
    assert drawn.mean(axis=0) == pytest.approx(0.0, abs=4 / np.sqrt(noise.RUNS))
    covariance = np.cov(drawn.T, bias=True)
    assert np.abs(covariance - np.eye(len(covariance))).max() < 4 * np.sqrt(2 / noise.RUNS)
    assert stats.kstest(drawn.ravel(), "norm").pvalue > 1e-3


def test_every_private_learner_has_a_law():
    assert {name.partition(",")[0] for name in noise.READ_OFF} == set(dp.LEARNERS) - {"non_private"}
