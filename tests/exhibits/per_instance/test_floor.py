"""What no noise hides."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.exhibits.per_instance.floor import floor_curve, floors
from tests.individual.conftest import OPS, OUTPUT


def test_a_hot_posterior_still_shows_the_row(ds):
    result = dp.individual_privacy(ds, OPS, 1e-4)
    row = int(np.argmax(result.leverage.out_of_sample))
    curve = floor_curve(result, row)
    cold = dp.individual_privacy(ds, dp.PosteriorSampling(gamma=1e-12, lam=1.0), 1e-4)
    assert floors(result) == pytest.approx(cold.epsilon, rel=1e-4, abs=1e-7)
    assert curve.row_floor == pytest.approx(cold.epsilon[row], rel=1e-4)
    assert (curve.row >= curve.row_floor * (1 - 1e-9)).all()
    at = dp.individual_privacy(ds, dp.PosteriorSampling(gamma=float(curve.gamma[40]), lam=1.0), 1e-4)
    assert curve.row[40] == pytest.approx(at.epsilon[row], rel=1e-8)
    assert curve.median[40] == pytest.approx(np.median(at.epsilon), rel=1e-8)
    assert (floors(dp.individual_privacy(ds, OUTPUT)) == 0).all()
    with pytest.raises(dp.UnsupportedError, match="posterior sample"):
        floor_curve(dp.individual_privacy(ds, OUTPUT), row)
