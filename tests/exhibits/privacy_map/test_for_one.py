"""One person in other data sets."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.exhibits.privacy_map.for_one import pdp_for_one
from tests.individual.conftest import OPS


def test_pdp_for_one_draws_other_data_sets(ds):
    result = dp.individual_privacy(ds, OPS)
    drawn = pdp_for_one(result, 5, repeats=20, rng=3)
    assert drawn.shape == (20,)
    assert drawn.min() < result.epsilon[5] < drawn.max()
    rows = np.random.default_rng(3).integers(59, size=59)
    X, y = np.delete(ds.X, 5, 0)[rows], np.delete(ds.y, 5)[rows]
    again = dp.individual_privacy(dp.Dataset.from_arrays(np.vstack([X, ds.X[5]]), np.append(y, ds.y[5])), OPS)
    assert drawn[0] == pytest.approx(again.epsilon[-1], rel=1e-9)
    smaller = pdp_for_one(result, 5, repeats=20, size=10, rng=3)
    assert smaller.mean() > drawn.mean()
    undetermined = dp.individual_privacy(ds, dp.PosteriorSampling(gamma=1.0, lam=0.0))
    assert np.isinf(pdp_for_one(undetermined, 5, repeats=2, size=2)).all()
