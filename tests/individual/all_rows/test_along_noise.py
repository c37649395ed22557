"""Many levels of noise from one fit, against one analysis of each level."""

from dataclasses import replace

import numpy as np
import pytest

import dpcore as dp
from dpcore.individual.all_rows.along_noise import along_noise


@pytest.mark.parametrize(
    "mechanism",
    [
        dp.PosteriorSampling(gamma=3.0, lam=10.0),
        dp.PosteriorSampling(gamma=3.0, lam=0.02),
        dp.OutputPerturbation(sigma=0.5, lam=10.0),
    ],
)
@pytest.mark.parametrize("delta", [1e-2, 1e-9])
def test_every_level_is_what_it_is_alone(mechanism, delta):
    data = dp.load_sample("diabetes")
    levels = [1e-3, 0.7, 80.0]
    together = along_noise(dp.individual_privacy(data, mechanism, delta), levels)
    for level, found in zip(levels, together, strict=True):
        alone = dp.individual_privacy(data, replace(mechanism, **{mechanism.noise.name: level}), delta)
        np.testing.assert_allclose(found.result.epsilon, alone.epsilon, rtol=1e-11)
        assert found.for_all == pytest.approx(alone.for_all.epsilon, rel=1e-9)
        assert found.worst_case == pytest.approx(float(alone.worst_case.epsilon(delta)), rel=1e-9)
        assert repr(found.result.mechanism.level)[:8] == repr(alone.mechanism.level)[:8]
