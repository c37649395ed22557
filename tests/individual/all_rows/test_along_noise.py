"""Many levels of noise from one fit, against one analysis of each level."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.individual.all_rows.along_noise import along_noise
from pages.your_data.per_instance import moving
from pages.your_data.per_instance.views import ExposureView


@pytest.mark.parametrize(
    "mechanism",
    [
        dp.PosteriorSampling(gamma=3.0, lam=10.0),
        dp.PosteriorSampling(gamma=3.0, lam=0.02),
        dp.OutputPerturbation(sigma=0.5, lam=10.0),
    ],
)
@pytest.mark.parametrize("delta", [1e-2, 1e-9])
def test_every_level_is_what_it_is_alone(mechanism, delta):
    data = dp.load_sample("diabetes")
    levels = [1e-3, 0.7, 80.0]
    together = along_noise(dp.individual_privacy(data, mechanism, delta), levels)
    for level, found in zip(levels, together, strict=True):
        alone = dp.individual_privacy(data, mechanism.at_noise(level), delta)
        np.testing.assert_allclose(found.result.epsilon, alone.epsilon, rtol=1e-11)
        assert found.for_all == pytest.approx(alone.for_all.epsilon, rel=1e-9)
        assert found.worst_case == pytest.approx(float(alone.worst_case.epsilon(delta)), rel=1e-9)
        assert repr(found.result.mechanism.level)[:8] == repr(alone.mechanism.level)[:8]


@pytest.mark.parametrize(
    "mechanism",
    [
        dp.PosteriorSampling(gamma=1.0, lam=1.0, loss="logistic"),
        dp.PosteriorSampling(gamma=1.0, lam=1.0, loss="poisson", clip=0.5),
        dp.OutputPerturbation(sigma=1.0, lam=1.0, loss="poisson"),
        dp.ObjectivePerturbation(sigma=1.0, lam=1.0, loss="logistic"),
    ],
)
def test_every_level_of_an_expansion_is_what_it_is_alone(mechanism):
    data, delta = some_rows(mechanism), 1e-4
    levels = [0.1, 0.11, 0.13, 0.01]  # with a leap that misleads a guess
    together = along_noise(dp.individual_privacy(data, mechanism, delta), levels)
    for level, found in zip(levels, together, strict=True):
        alone = dp.individual_privacy(data, mechanism.at_noise(level), delta)
        np.testing.assert_allclose(found.result.epsilon, alone.epsilon, rtol=1e-9, atol=1e-12)
        assert found.for_all is None
        if np.isinf(mechanism.loss.constants(data.domain, mechanism.clip).lipschitz):
            assert found.worst_case is None
        else:
            assert found.worst_case == pytest.approx(float(alone.worst_case.epsilon(delta)), rel=1e-9)


def test_without_a_guarantee_the_rows_alone_are_told():
    result = dp.individual_privacy(dp.load_sample("diabetes"), dp.PosteriorSampling(gamma=1.0, lam=1.0), 1e-6)
    (found,) = along_noise(result, [2.0], guaranteed=False)
    assert found.result.epsilon == pytest.approx(result.with_noise(0.5**0.5).epsilon, rel=1e-12)
    assert (found.for_all, found.worst_case) == (None, None)


def some_rows(mechanism):
    rng, counts = np.random.default_rng(3), mechanism.loss.target.name == "count"
    X = rng.normal(size=(40, 3))
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    rate = X @ np.array([1.0, -2.0, 0.5])
    y = rng.poisson(np.exp(rate)) if counts else np.where(rng.random(40) < 0.5, -1.0, 1.0)
    return dp.Dataset.from_arrays(X, y.astype(float), domain=dp.Domain(1.0, 20.0 if counts else 1.0))


def test_without_a_worst_case_it_is_refused_and_no_moving_picture_offered():
    data = dp.load_sample("diabetes")
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=3.0, lam=0.0), 1e-6)
    with pytest.raises(dp.UnsupportedError, match="no worst-case guarantee"):
        next(along_noise(result, [3.0]))
    assert moving.offers(ExposureView(data, result, 1e-6)) == {}
    penalised = dp.individual_privacy(data, dp.PosteriorSampling(gamma=3.0, lam=1.0), 1e-6)
    assert set(moving.offers(ExposureView(data, penalised, 1e-6))) == {"pi_gamma", "pi_lambda"}
