"""The histogram of ε and the rows shown as points, counted again."""

from types import SimpleNamespace

import numpy as np
import pytest

import dpcore as dp
from dpcore.individual.all_rows.pictured import histogram, points
from dpcore.individual.method import EpsilonMethod
from tests.individual.conftest import random_data


def binned(epsilon, beside=()):
    return histogram(SimpleNamespace(epsilon=np.asarray(epsilon, dtype=float), method=EpsilonMethod.EXACT), beside)


@pytest.mark.parametrize(("largest", "log_scale", "rows"), [(2.0, False, 300), (500.0, True, 6000)])
def test_bins_run_from_the_least_to_the_largest_and_count_every_row(largest, log_scale, rows):
    epsilon = np.geomspace(0.5, largest, rows)
    found = binned([0.0, *epsilon, np.inf, np.inf])
    assert (found.edges[0], found.edges[-1]) == (0.5, largest)
    assert (found.zeros, found.infinite, found.log_scale) == (1, 2, log_scale)
    middle = [np.sum((epsilon >= a) & (epsilon < b)) for a, b in zip(found.edges[:-2], found.edges[1:-1], strict=True)]
    assert found.counts.tolist() == [*middle, np.sum(epsilon >= found.edges[-2])]
    steps = np.diff(np.log(found.edges) if log_scale else found.edges)
    np.testing.assert_allclose(steps, steps[0], rtol=1e-9)
    suggested = np.histogram_bin_edges(np.log(epsilon) if log_scale else epsilon, "auto").size - 1
    assert len(steps) == max(suggested, 12)
    assert (suggested > 12) == (rows > 300)


def test_equal_rows_and_none_at_all_still_have_bins():
    assert binned([0.3, 0.3]).edges[[0, -1]] == pytest.approx([0.27, 0.33])
    empty = binned([0.0, np.inf])
    assert (empty.edges[0], empty.edges[-1], empty.counts.sum()) == (0.5, 1.0, 0)


def test_a_value_shown_beside_decides_the_scale():
    assert not binned([0.5, 1.0]).log_scale
    assert binned([0.5, 1.0], [700.0]).log_scale
    assert not binned([0.5, 1.0], [np.inf, 0.0]).log_scale


def test_beyond_the_limit_the_most_exposed_quarter_stays():
    data = random_data(2, 400, 3)
    result = dp.individual_privacy(data, dp.OutputPerturbation(sigma=1.0, lam=1.0), delta=1e-6)
    everything, some = points(result, 400), points(result, 40)
    assert (everything.complete, some.complete) == (True, False)
    np.testing.assert_array_equal(everything.rows, np.arange(400))
    exposed = np.argsort(result.epsilon)[-10:]
    assert np.isin(exposed, some.rows).all()
    assert some.rows.size <= 40
    assert np.diff(np.setdiff1d(some.rows, exposed)).max() < 30
    np.testing.assert_array_equal(some.epsilon, result.epsilon[some.rows])
    np.testing.assert_array_equal(some.residual, result.leverage.residual[some.rows])
