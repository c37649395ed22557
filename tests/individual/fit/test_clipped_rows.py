"""A row whose gradient the clip cuts is said to be cut, by as much as it is."""

from html import unescape

import numpy as np
import pytest

import dpcore as dp
from dpcore.data import Domain
from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.interfaces.report import report_html


def visits(cell: float, seed: int = 4) -> dp.Dataset:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2)) / 3
    y = rng.poisson(np.exp(X @ [1.0, -0.5] + 0.5)).astype(float)
    y[11] = cell
    return dp.Dataset.from_arrays(X, y, domain=Domain(4.0, 100.0))


@pytest.mark.parametrize("mechanism", [dp.PosteriorSampling, dp.OutputPerturbation])
def test_the_share_that_is_left_is_that_of_a_refit_without_the_row(mechanism):
    data = visits(60.0)
    noise = {"gamma": 1.0} if mechanism is dp.PosteriorSampling else {"sigma": 1.0}
    result = dp.individual_privacy(data, mechanism(**noise, lam=1.0, loss="poisson", clip=2.0))
    rest = np.delete(np.arange(80), 11)
    theta = dp.solve(dp.Problem("poisson", data.X[rest], data.y[rest], lam=1.0, clip=2.0), 1e-10).theta
    share = 2.0 / (abs(np.exp(data.X[11] @ theta) - 60.0) * np.linalg.norm(data.X[11]))
    assert share < 0.5
    assert result.leverage.unclipped[11] == pytest.approx(share, rel=1e-3)
    assert f"Its gradient is cut to C = 2, {100 * share:.2g} % of it" in result.explain(11)
    gradient = np.abs(np.exp(data.X @ theta) - data.y) * np.linalg.norm(data.X, axis=1)
    assert f"cuts the gradient of {np.count_nonzero(gradient > 2.0)} row" in result.clipping
    assert "most of it in rows 12, " in result.clipping
    assert result.clipping in unescape(report_html(ExposureSummary.of(result), hashes={}))


def test_nothing_is_said_where_nothing_is_cut():
    for data, clip in ((visits(60.0), None), (visits(2.0), 50.0)):
        result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0, loss="poisson", clip=clip))
        assert result.clipping == ""
        assert not any("cut" in result.explain(row) for row in range(80))
    assert dp.individual_privacy(visits(60.0), dp.PosteriorSampling(gamma=1.0, lam=1.0)).clipping == ""
