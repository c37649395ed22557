"""Settings of the whole file: shares against every row's own ε, accuracy against drawn releases, the frontier against all pairs."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.studies.per_instance.settings import sweep_settings
from tests.individual.conftest import random_data

LOGISTIC = dp.OutputPerturbation(0.5, 1.0, loss="logistic")


@pytest.fixture(scope="module", params=["linear", "logistic"])
def case(request):
    data = random_data(5, 120, 3)
    if request.param == "linear":
        return data, dp.PosteriorSampling(1.0, 1.0)
    return dp.Dataset.from_arrays(data.X, np.where(data.y > 0, 1.0, -1.0)), LOGISTIC


def test_the_share_is_that_of_rows_whose_own_epsilon_is_at_most_the_target(case):
    data, mechanism = case
    found = sweep_settings(data, mechanism, 1e-5, 0.3)
    assert len(found.points) == 65
    assert len({point.share for point in found.points}) > 5
    for point in (*found.points[::9], found.now):
        epsilon = dp.individual_privacy(data, point.mechanism, 1e-5).epsilon
        assert point.share == pytest.approx(np.mean(epsilon <= 0.3), abs=1e-12)


def test_accuracy_is_that_of_drawn_releases():
    data = random_data(5, 120, 3)
    data = dp.Dataset.from_arrays(data.X, np.where(data.y > 0, 1.0, -1.0))
    found = sweep_settings(data, LOGISTIC, 1e-5, 0.3).now.accuracy
    theta = dp.solve(dp.Problem("logistic", data.X, data.y, lam=1.0), tol=1e-9).theta
    drawn = theta + 0.5 * np.random.default_rng(1).standard_normal((20_000, 3))
    right = np.sign(data.X @ drawn.T) == data.y[:, None]
    assert found.value == pytest.approx(right.mean(), abs=3 * right.mean(axis=0).std() / np.sqrt(64))
    assert found.fit == np.mean(np.sign(data.X @ theta) == data.y)


def test_nothing_beats_the_frontier_and_the_best_meets_the_share(case):
    found = sweep_settings(*case, 1e-5, 0.3)
    everything = (*found.points, found.now)
    frontier = found.frontier()
    for point in frontier:
        assert not [o for o in everything if o.share >= point.share and o.accuracy.cost < point.accuracy.cost]
    best = found.best(0.8)
    assert best in frontier or best.accuracy.cost in [point.accuracy.cost for point in frontier]
    assert best.share >= 0.8
    assert not [o for o in everything if o.share >= 0.8 and o.accuracy.cost < best.accuracy.cost]
    assert found.best(1.0) is None or found.best(1.0).share == 1.0


def test_of_many_rows_the_share_is_near_that_of_all_and_says_that_it_is_sampled(case):
    assert not sweep_settings(*case, 1e-5, 0.3).sampled
    data, mechanism = random_data(6, 2_000, 3), dp.OutputPerturbation(0.05, 1.0)
    found = sweep_settings(data, mechanism, 1e-5, 0.1)
    assert found.sampled
    for point in (*found.points[:13], found.now):
        whole = np.mean(dp.individual_privacy(data, point.mechanism, 1e-5).epsilon <= 0.1)
        assert point.share == pytest.approx(whole, abs=0.02)
        assert whole < 0.925 or point.share == pytest.approx(
            whole, abs=0.008
        )  # the 150 most exposed count as themselves
