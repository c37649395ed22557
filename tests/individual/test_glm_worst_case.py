"""The worst case of models beyond linear regression against the exact value of hostile data sets."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dpcore as dp
from dpcore.glm.losses import Huber

DOMAIN = dp.Domain(row_norm=1.0, target_bound=1.0)
LINE = Huber(threshold=0.05)  # within reach of the release the loss of a record with target 1 is a line of this slope


def release(kind, level, lam, loss, clip=None):
    if kind == "posterior":
        return dp.PosteriorSampling(gamma=level**-2, lam=lam, loss=loss, clip=clip)
    return dp.OutputPerturbation(sigma=level, lam=lam, loss=loss, clip=clip)


@pytest.mark.parametrize("kind", ["posterior", "output"])
def test_one_record_of_linear_loss_attains_the_worst_case(kind):
    dataset = dp.Dataset.from_arrays(np.array([[1.0]]), np.array([1.0]), domain=DOMAIN)
    result = dp.individual_privacy(dataset, release(kind, 0.08, 1.0, LINE), 1e-4)
    found = result.exact(0)
    assert result.worst_case_epsilon > 1
    assert found.epsilon[0] == pytest.approx(result.worst_case_epsilon, rel=1e-6)
    assert found.epsilon[0] == pytest.approx(result.epsilon[0], rel=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["posterior", "output"])
@pytest.mark.parametrize(
    ("loss", "clip"), [("logistic", None), ("smoothed_hinge", None), ("poisson", 0.5), ("squared", 0.3)]
)
def test_no_hostile_data_set_is_above_the_worst_case(kind, loss, clip):
    ends = dp.PosteriorSampling(gamma=1.0, lam=1.0, loss=loss).target.extremes(1.0)
    closest = 0.0
    for lam, copies, mine, theirs in itertools.product((0.2, 2.0), (6,), ends, ends):
        X, y = np.append(np.full(copies, -0.7), 1.0)[:, None], np.append(np.full(copies, theirs), mine)
        dataset = dp.Dataset.from_arrays(X, y, domain=DOMAIN)
        result = dp.individual_privacy(dataset, release(kind, 1.0, lam, loss, clip), 1e-4)
        found = result.exact(copies, 0.03)
        assert found.epsilon[0] - found.error[0] <= result.worst_case_epsilon
        closest = max(closest, found.epsilon[0] / result.worst_case_epsilon)
    assert closest > 0.25
