"""Settings of the whole file: shares against every row's own ε, accuracy against drawn releases, the frontier against all pairs."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.exhibits.per_instance.settings import sweep_mechanisms, sweep_settings
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


def test_each_mechanism_varies_its_own_noise_and_the_penalty(case):
    data, mechanism = case
    data = dp.Dataset.from_arrays(data.X[:25], data.y[:25])
    seen = []
    found = sweep_mechanisms(data, mechanism, 1e-5, 0.3, lambda name, share: seen.append((name, share)))
    assert found.in_use.now.mechanism == mechanism
    assert {sweep.now.mechanism.release: sweep.now.mechanism.noise.name for sweep in found.sweeps.values()} == {
        "posterior": "gamma", "output": "sigma", "objective": "sigma"
    }  # fmt: skip
    assert not found.refused
    by_release = {sweep.now.mechanism.release: found.place(name) for name, sweep in found.sweeps.items()}
    assert by_release == {"posterior": 0, "output": 1, "objective": 2}, "whichever is in use"
    for sweep in found.sweeps.values():
        noise = sweep.now.mechanism.noise.name
        assert len({point.mechanism.lam for point in sweep.points}) == 5
        assert len({getattr(point.mechanism, noise) for point in sweep.points}) == 13
        assert {point.mechanism.loss for point in sweep.points} == {mechanism.loss}
        assert sweep.now.mechanism.level == pytest.approx(mechanism.level)
    best = found.best(0.8)
    assert [point.accuracy.cost for point in best.values()] == sorted(point.accuracy.cost for point in best.values())
    assert best == {name: found.sweeps[name].best(0.8) for name in best}
    assert [share for _, share in seen] == sorted(share for _, share in seen)
    assert {name for name, _ in seen} == set(found.sweeps)


def test_a_mechanism_without_settings_leaves_the_others(monkeypatch):
    def refused(cls, mechanism, dataset):
        raise dp.DataError("not here")

    monkeypatch.setattr(dp.ANALYSES[dp.OutputPerturbation], "fit", classmethod(refused))
    found = sweep_mechanisms(random_data(5, 40, 2), dp.PosteriorSampling(1.0, 1.0), 1e-5, 0.3)
    assert (found.refused, len(found.sweeps)) == ({"Output perturbation": "not here"}, 2)
    with pytest.raises(dp.DataError, match="not here"):
        sweep_mechanisms(random_data(5, 40, 2), dp.OutputPerturbation(1.0, 1.0), 1e-5, 0.3)


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
        near = 0.02 if whole < 0.925 else 0.008  # the 150 most exposed count as themselves
        assert point.share == pytest.approx(whole, abs=near)
