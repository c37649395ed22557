"""Many levels of noise, and penalties, from few fits, against one analysis of each."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.errors import or_reason
from dpcore.individual.all_rows.along_noise import along_noise, along_penalty
from dpcore.individual.all_rows.pictured import histogram
from pages.your_data.per_instance import moving
from pages.your_data.per_instance.views import ExposureView
from tests.individual.conftest import in_ball


@pytest.mark.parametrize(
    "mechanism",
    [dp.PosteriorSampling(3.0, lam=10.0), dp.PosteriorSampling(3.0, lam=0.02), dp.OutputPerturbation(0.5, lam=10.0)],
)
@pytest.mark.parametrize("delta", [1e-2, 1e-9])
def test_every_level_of_linear_regression_is_what_it_is_alone(mechanism, delta):
    data = dp.load_sample("diabetes")
    levels = [1e-3, 0.05, 0.7, 80.0]
    for level, found in zip(levels, at_all(along_noise, data, mechanism, delta, levels), strict=True):
        alone = dp.individual_privacy(data, mechanism.at_noise(level), delta)
        np.testing.assert_allclose(found.epsilon, alone.epsilon, rtol=1e-11)
        assert found.quantiles(0.5) == pytest.approx(alone.quantiles(0.5), rel=1e-11)
        assert found.for_all == pytest.approx(alone.for_all.epsilon, rel=1e-9)
        assert found.worst_case == pytest.approx(float(alone.worst_case.epsilon(delta)), rel=1e-9)


EXPANSIONS = [
    dp.PosteriorSampling(gamma=1.0, lam=1.0, loss="poisson", clip=0.5),
    dp.OutputPerturbation(sigma=1.0, lam=1.0, loss="logistic"),
    dp.ObjectivePerturbation(sigma=1.0, lam=1.0, loss="poisson", clip=0.5),
]


@pytest.mark.parametrize("mechanism", EXPANSIONS)
@pytest.mark.parametrize(("along", "moved"), [(along_noise, "at_noise"), (along_penalty, "with_penalty")])
def test_levels_between_those_computed_are_nearly_what_they_are_alone(mechanism, along, moved):
    data, delta, levels = some_rows(mechanism), 1e-4, np.geomspace(0.5, 2.0, 16)
    found = at_all(along, data, mechanism, delta, levels)
    for place in (0, 3, 11):
        alone = dp.individual_privacy(data, getattr(mechanism, moved)(float(levels[place])), delta)
        off = abs(found[place].epsilon - alone.epsilon) / np.maximum(alone.epsilon, 1e-3)
        assert np.median(off) < 0.01
        assert np.quantile(off, 0.9) < 0.04
        assert off.max() < (0.1 if place else 1e-9)  # the first is computed for all rows
        assert found[place].for_all is None
        worst, _ = or_reason(lambda alone=alone: alone.worst_case_epsilon)
        assert found[place].worst_case == (worst and pytest.approx(worst, rel=0.02))


def test_without_a_guarantee_the_rows_alone_are_told():
    data, mechanism = dp.load_sample("diabetes"), dp.PosteriorSampling(gamma=1.0, lam=1.0)
    (found,) = at_all(along_noise, data, mechanism, 1e-6, [2.0], False)
    assert found.epsilon == pytest.approx(dp.individual_privacy(data, mechanism.at_noise(2.0), 1e-6).epsilon, rel=1e-12)
    assert (found.for_all, found.worst_case) == (None, None)


def test_of_many_rows_some_stand_for_all():
    rng = np.random.default_rng(5)
    X = in_ball(rng.normal(size=(20_000, 3)))
    y = np.where(rng.random(20_000) < 1 / (1 + np.exp(-4 * X[:, 0])), 1.0, -1.0)
    data = dp.Dataset.from_arrays(X, y, domain=dp.Domain(1.0, 1.0))
    mechanism = dp.OutputPerturbation(sigma=0.3, lam=1.0, loss="logistic")
    alone = dp.individual_privacy(data, mechanism, 1e-6)
    assert set(moving.offers(ExposureView(data, alone, 1e-6))) == {"pi_sigma", "pi_lambda"}
    for along, levels in ((along_noise, [0.3, 3.0]), (along_penalty, [1.0, 10.0])):
        found = at_all(along, data, mechanism, 1e-6, levels)[0]
        assert found.epsilon.size < 5_000
        np.testing.assert_allclose(found.epsilon[:20], np.sort(alone.epsilon)[::-1][:20], rtol=1e-9)
        binned, whole = histogram(found, (), found.weights), histogram(alone)
        assert binned.counts.sum() + binned.zeros == 20_000
        np.testing.assert_allclose(binned.edges[-1], whole.edges[-1], rtol=1e-9)
        assert binned.edges.size == whole.edges.size
        assert found.quantiles(0.5) == pytest.approx(float(alone.quantiles(0.5)), rel=0.01)
        np.testing.assert_allclose(np.cumsum(binned.counts), np.cumsum(whole.counts), atol=200)


def at_all(along, *arguments):
    """What is found at each level, without the breaks in between."""
    return [found for found in along(*arguments) if found is not None]


def some_rows(mechanism):
    rng, counts = np.random.default_rng(3), mechanism.loss.target.name == "count"
    X = in_ball(rng.normal(size=(16, 3)))
    rate = X @ np.array([1.0, -2.0, 0.5])
    y = rng.poisson(np.exp(rate)) if counts else np.where(rng.random(16) < 0.5, -1.0, 1.0)
    return dp.Dataset.from_arrays(X, y.astype(float), domain=dp.Domain(1.0, 20.0 if counts else 1.0))


def test_without_a_worst_case_it_is_refused_and_no_moving_picture_offered():
    data, mechanism = dp.load_sample("diabetes"), dp.PosteriorSampling(gamma=3.0, lam=0.0)
    with pytest.raises(dp.UnsupportedError, match="no worst-case guarantee"):
        at_all(along_noise, data, mechanism, 1e-6, [3.0])
    assert moving.offers(ExposureView(data, dp.individual_privacy(data, mechanism, 1e-6), 1e-6)) == {}
    penalised = dp.individual_privacy(data, dp.PosteriorSampling(gamma=3.0, lam=1.0), 1e-6)
    assert set(moving.offers(ExposureView(data, penalised, 1e-6))) == {"pi_gamma", "pi_lambda"}
