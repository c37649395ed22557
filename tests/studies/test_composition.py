"""Loss distributions, growth and tuning curves against closed forms and direct formulas."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import dpcore as dp
from dpcore.errors import ParameterError
from dpcore.studies import composition as ac


@pytest.mark.parametrize(("sigma", "count"), [(1.0, 1), (10.0, 100), (3.0, 9), (50.0, 40_000)])
def test_loss_of_gaussians_is_normal_with_variance_twice_its_mean(sigma, count):
    found = ac.loss_distribution("loss", dp.compose([(dp.Gaussian(sigma), count)]).upper)
    variance = count / sigma**2
    truth = norm.pdf(found.density.x, variance / 2, np.sqrt(variance))
    assert np.abs(found.density.y - truth).max() < 6e-3 * truth.max()
    assert found.mean == pytest.approx(variance / 2, rel=1e-9)
    assert found.infinite == 0


def test_loss_of_randomised_response_is_two_atoms():
    epsilon = 1.25
    found = ac.loss_distribution("loss", dp.RandomizedResponse(epsilon))
    mass = found.density.y * np.diff(found.density.x)[0]
    assert mass.sum() == pytest.approx(1.0, abs=1e-9)
    truthful = np.exp(epsilon) / (1 + np.exp(epsilon))
    assert mass[found.density.x > 0].sum() == pytest.approx(truthful, abs=1e-9)
    assert (mass * found.density.x).sum() == pytest.approx((2 * truthful - 1) * epsilon, rel=1e-3)


@pytest.mark.parametrize("direction", ["add", "remove"])
def test_loss_of_subsampled_gaussian_is_that_of_its_two_densities(direction):
    sigma, rate = 1.0, 0.2
    found = ac.loss_distribution("loss", dp.Subsampled(dp.Gaussian(sigma), rate), direction)
    x = np.random.default_rng(5).normal(0, sigma, 400_000)
    if direction == "remove":
        x += np.random.default_rng(6).random(x.size) < rate
    log_ratio = np.log1p(rate * np.expm1((2 * x - 1) / (2 * sigma**2)))
    losses = log_ratio if direction == "remove" else -log_ratio
    width = np.diff(found.density.x)[0]
    mass = np.cumsum(found.density.y * width)
    empirical = np.searchsorted(np.sort(losses), found.density.x + width / 2) / losses.size
    assert np.abs(mass - empirical).max() < 0.02
    assert found.mean == pytest.approx(losses.mean(), abs=4 * losses.std() / np.sqrt(x.size))


@pytest.mark.parametrize("mechanism", [dp.Laplace(0.5), dp.ExponentialMechanism(2.0), dp.Gaussian(0.2)], ids=repr)
def test_every_loss_distribution_is_one(mechanism):
    for direction in ("add", "remove"):
        found = ac.loss_distribution("loss", mechanism, direction)
        assert (found.density.y >= 0).all()
        assert found.density.y.sum() * np.diff(found.density.x)[0] == pytest.approx(1, abs=2e-2)
        assert found.density.x.size <= 400


def test_repetition_multiplies_counts_and_growth_is_that_of_one_gaussian():
    parts = ((dp.Gaussian(10.0), 3), (dp.Laplace(5.0), 1))
    assert sorted(count for _, count in ac.repeated(parts, 4)) == [4, 12]
    low, high = ac.repeated_epsilon(((dp.Gaussian(10.0), 2),), "pld", 8, 1e-6)
    truth = float(dp.Gaussian(10.0 / 4).epsilon(1e-6))
    assert low <= truth <= high <= truth * (1 + 1e-4)
    estimate, again = ac.repeated_epsilon(((dp.Gaussian(10.0), 2),), "saddle", 8, 1e-6)
    assert estimate == again == pytest.approx(truth, rel=1e-7)
    with pytest.raises(ParameterError, match="times"):
        ac.repeated(parts, 0)


def test_epsilon_curve_inverts_the_profile():
    curve = ac.composed_epsilon_curve("g", dp.Gaussian(2.0))
    assert curve.x[0] == pytest.approx(1e-15)
    assert np.allclose(np.log(dp.Gaussian(2.0).delta(curve.y)), np.log(curve.x), atol=1e-8)
    assert (
        np.isnan(ac.composed_epsilon_curve("kifer", dp.ObjectivePerturbation(5.0, 20.0, 1.0, 1.0, "kifer")).y).sum()
        < 29
    )


def test_tuning_costs_at_least_one_run_and_grows_with_the_mean():
    base = dp.Gaussian(5.0)
    for law in ac.LAWS:
        curve = ac.tuning_curve(law, base, law, 1e-5, points=9)
        assert (np.diff(curve.y) > 0).all()
        assert (curve.y > float(base.epsilon(1e-5))).all()
    with pytest.raises(ParameterError, match="law"):
        ac.tuning_curve("x", base, "uniform", 1e-5)
    published = ac.released_runs_curve("all", ((base, 1),), 1e-5, most=16)
    exact = [float(dp.Gaussian(5.0 / np.sqrt(k)).epsilon(1e-5)) for k in published.x]
    assert (published.y >= exact).all()
    assert np.allclose(published.y, exact, rtol=1e-4)


def test_mean_number_of_runs_covers_a_candidate_as_often_as_asked():
    mean = ac.mean_runs(10, 0.786)
    assert mean == pytest.approx(15.4, abs=0.05)
    runs = np.random.default_rng(0).poisson(mean, 200_000)
    assert 1 - np.mean(0.9**runs) == pytest.approx(0.786, abs=3e-3)
    assert ac.mean_runs(1, 0.1) == 1.0
    with pytest.raises(ParameterError, match="coverage"):
        ac.mean_runs(3, 1.0)


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
