"""The one rule reaches its accuracy on Synthetic-L over random 80/20 splits."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.data.samples.published import synthetic_l
from dpcore.exhibits import training


@pytest.mark.parametrize(("epsilon", "target"), [(0.1, 93.5), (1.0, 95.0), (8.0, 95.2)])
def test_synthetic_l_on_ten_splits(epsilon, target):
    data, learner, found = synthetic_l(), dp.AMP("logistic", epsilon=epsilon, delta=1e-5), []
    for repeat in range(10):
        parts = training.split(data, 0.2, repeat, 0)
        theta = learner.fit(parts.train, np.random.default_rng([0, repeat, 0])).theta
        found.append(100 * np.mean((parts.X_test @ theta > 0) == (parts.y_test > 0)))
    assert np.mean(found) >= target
