"""Loss distributions, growth and tuning curves against closed forms and direct formulas."""

from __future__ import annotations

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as peer
from scipy.stats import norm

import dpcore as dp
from dpcore.accountants.rdp import RenyiComposition
from dpcore.exhibits import composition as ac
from tests.accountants.homemade import Leaking
from tests.errata.oracles import gaussian_delta, gaussian_epsilon
from tests.refusals import refuses


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_the_area_drawn_beyond_epsilon_is_delta_in_every_frame(epsilon):
    """Two releases that make a Gaussian one: δ in closed form, the law normal with variance twice its mean."""
    for law in ac.drift([(dp.Gaussian(200**0.5), 2)], epsilon, "remove", (1, 2, 7, 30, 100)):
        assert law.density.size == law.tail.size <= 121
        shift = np.sqrt(law.times) / 10
        delta = gaussian_delta(epsilon, shift)
        assert law.delta == pytest.approx(delta, rel=1e-3, abs=1e-12)
        if delta > 1e-8:
            assert np.trapezoid(law.tail, x=law.losses) == pytest.approx(delta, rel=1e-3)
        truth = norm.pdf(law.losses, shift**2 / 2, shift)
        assert np.abs(law.density - truth).max() < 2e-3 * truth.max()
        assert (law.mean, law.infinite) == (pytest.approx(shift**2 / 2, rel=1e-4), 0)


@pytest.mark.thorough
@pytest.mark.parametrize("delta", [1e-2, 1e-5])
def test_growth_of_a_mixed_pipeline_agrees_with_another_library_in_the_worse_direction(delta):
    times, grid = (1, 40), 1e-4
    parts = [(dp.Laplace(2.0), 2), (dp.Subsampled(dp.Gaussian(1.0), 0.1), 5)]
    laplace = peer.from_laplace_mechanism(2.0, value_discretization_interval=grid)
    sampled = peer.from_gaussian_mechanism(1.0, sampling_prob=0.1, value_discretization_interval=grid)
    theirs = [laplace.self_compose(2 * k).compose(sampled.self_compose(5 * k)) for k in times]
    truth = [whole.get_epsilon_for_delta(delta) for whole in theirs]
    np.testing.assert_allclose(ac.growth_of_repeats("PLD", parts, delta, times=times).y, truth, rtol=1e-3)


def test_growth_has_no_point_where_infinite_losses_exceed_delta():
    growth = ac.growth_of_repeats("PLD", [(Leaking(dp.Gaussian(2.0), 0.01), 2)], 0.1, times=(1, 10))
    np.testing.assert_array_equal(np.isfinite(growth.y), [True, False])


def test_gaussians_are_one_gaussian_and_others_stay():
    parts = ((dp.Gaussian(10.0), 4), (dp.Laplace(3.0), 2), (dp.Gaussian(6.0, 2.0), 9))
    merged = ac.in_closed_form(parts)
    gaussian = next(mechanism for mechanism, _ in merged if isinstance(mechanism, dp.Gaussian))
    assert gaussian.shift**2 == pytest.approx(4 / 100 + 9 * 4 / 36)
    assert sorted(count for _, count in merged) == [1, 2]
    assert ac.in_closed_form(((dp.Gaussian(2.0), 1),)) == ((dp.Gaussian(2.0), 1),)


def test_the_moment_bound_is_not_asked_where_no_round_off_shows(monkeypatch):
    asked = []
    compute = RenyiComposition._log_delta
    monkeypatch.setattr(RenyiComposition, "_log_delta", lambda self, *rest: asked.append(1) or compute(self, *rest))
    bracket = ac.composed_for_drawing(((dp.Subsampled(dp.Gaussian(1.0), 0.01), 1000),))
    curve = ac.composed_epsilon_curve("x", bracket.upper)
    assert np.isfinite(curve.y).all()
    assert asked == []


def test_repetition_multiplies_counts_and_growth_is_that_of_one_gaussian():
    growth = ac.growth_of_repeats("PLD", [(dp.Gaussian(10.0), 1)], 1e-5)
    np.testing.assert_allclose(growth.y, [gaussian_epsilon(np.sqrt(k) / 10, 1e-5) for k in growth.x], rtol=1e-4)
    assert (growth.x[0], growth.x[-1]) == (1, 100)
    parts = ((dp.Gaussian(10.0), 3), (dp.Laplace(5.0), 1))
    assert sorted(count for _, count in ac.repeated(parts, 4)) == [4, 12]
    truth = float(dp.Gaussian(10.0 / 4).epsilon(1e-6))
    assert truth <= ac.repeated_epsilon(((dp.Gaussian(10.0), 2),), "pld", 8, 1e-6) <= truth * (1 + 1e-4)
    assert ac.repeated_epsilon(((dp.Gaussian(10.0), 2),), "saddle", 8, 1e-6) == pytest.approx(truth, rel=1e-7)
    refuses(dp.ParameterError, "times", ac.repeated, parts, 0)


def test_theorems_charge_every_gaussian_by_itself():
    one = ((dp.Gaussian(10.0), 1),)
    added, advanced = (ac.repeated_epsilon(one, theorem, 16, 1e-5) for theorem in ("basic", "advanced"))
    assert added == pytest.approx(16 * float(dp.Gaussian(10.0).epsilon(1e-5 / 16)), rel=1e-6)
    assert advanced > 3 * float(dp.Gaussian(2.5).epsilon(1e-5))


def test_tuning_costs_at_least_one_run_and_grows_with_the_mean():
    base = dp.Gaussian(5.0)
    for law in ac.LAWS:
        curve = ac.tuning_curve(law, base, law, 1e-5)
        assert (np.diff(curve.y) > 0).all()
        assert (curve.y > float(base.epsilon(1e-5))).all()
    refuses(dp.ParameterError, "law", ac.tuning_curve, "x", base, "uniform", 1e-5)
    published = ac.released_runs_curve("all", ((base, 1),), 1e-5)
    exact = [float(dp.Gaussian(5.0 / np.sqrt(k)).epsilon(1e-5)) for k in published.x]
    assert (published.y >= exact).all()
    assert np.allclose(published.y, exact, rtol=1e-4)


def test_mean_number_of_runs_covers_a_candidate_as_often_as_asked():
    mean = ac.mean_runs(10, 0.786)
    assert mean == pytest.approx(15.4, abs=0.05)
    runs = np.random.default_rng(0).poisson(mean, 200_000)
    assert 1 - np.mean(0.9**runs) == pytest.approx(0.786, abs=3e-3)
    assert ac.mean_runs(1, 0.1) == 1.0
    refuses(dp.ParameterError, "coverage", ac.mean_runs, 3, 1.0)


@pytest.mark.parametrize("method", ["basic", "advanced"])
def test_a_bound_known_as_epsilon_of_delta_is_drawn_on_its_own_curve_and_inside_the_chart(method):
    bound = dp.compose([(dp.Gaussian(20.0), 200), (dp.Laplace(20.0), 100)], method).upper
    whole = ac.composed_delta_curve(method, bound, 200.0)
    seen = np.isfinite(whole.y)
    assert seen.sum() > 100
    np.testing.assert_allclose(bound.delta(whole.x[seen]), whole.y[seen], rtol=1e-6)
    near = ac.composed_delta_curve(method, bound, 40.0)
    assert near.x.max() <= 40.0
    assert np.isfinite(near.y).sum() < seen.sum()


@pytest.mark.thorough
def test_a_hundred_runs_of_the_longest_pipeline_are_bracketed_without_overflow():
    """Steps of the grid far above 700 nats: the curve between two nodes is a ratio of exponentials."""
    low, high = ac.composed_for_drawing(((dp.Laplace(0.1), 100_000_000),)).epsilon(1e-5)
    mean = 1e8 * (10 + np.expm1(-10.0))
    assert low < 1.01 * mean
    assert mean < high < 1.2 * mean
