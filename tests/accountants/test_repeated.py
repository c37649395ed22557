"""Many runs of one pipeline against closed forms and another library: every law and its tail, for few runs and many."""

import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as peer
from scipy.stats import binom, norm

import dpcore as dp
from dpcore.accountants.repeated import RepeatedLoss
from tests.accountants.homemade import Leaking
from tests.errata.oracles import gaussian_delta


def tail(repeats, k, epsilon):
    x, mass = repeats.law(k)
    infinite = repeats.infinite(k)
    return infinite + (1 - infinite) * float(np.sum(mass * -np.expm1(np.minimum(epsilon - x, 0.0))))


@pytest.mark.parametrize(("sigma", "count"), [(10.0, 1), (0.5, 1), (20.0, 200), (300.0, 550_000)])
@pytest.mark.parametrize("k", [1, 3, 100])
def test_gaussian_runs_have_the_normal_law_of_their_loss(sigma, count, k):
    repeats = RepeatedLoss(((dp.Gaussian(sigma), count),), "remove", 100)
    variance = k * count / sigma**2
    x, mass = repeats.law(k)
    assert mass.sum() == pytest.approx(1.0, abs=1e-7)
    assert mass @ x == pytest.approx(variance / 2, rel=1e-5)
    truth = norm.cdf(x + 0.5 * (x[1] - x[0]), variance / 2, math.sqrt(variance))
    assert np.abs(np.cumsum(mass) - truth).max() < 2e-5
    epsilon = variance / 2 + math.sqrt(variance)
    if epsilon < 300:
        assert tail(repeats, k, epsilon) == pytest.approx(gaussian_delta(epsilon, math.sqrt(variance)), rel=1e-4)


@pytest.mark.parametrize("k", [1, 7, 100])
def test_randomised_responses_have_the_binomial_law_of_their_loss(k):
    pure, count = 0.5, 3
    repeats = RepeatedLoss(((dp.RandomizedResponse(pure), count),), "add", 100)
    heads = np.arange(k * count + 1)
    chance, loss = binom.pmf(heads, k * count, 1 / (1 + math.exp(-pure))), pure * (2 * heads - k * count)
    x, mass = repeats.law(k)
    for value, probability in zip(loss, chance, strict=True):
        assert mass[np.abs(x - value) < 0.4 * pure].sum() == pytest.approx(probability, abs=1e-9)
    for epsilon in (0.1, 1.0, 5.0):
        truth = float(np.sum(chance * -np.expm1(np.minimum(epsilon - loss, 0.0))))
        assert tail(repeats, k, epsilon) == pytest.approx(truth, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("direction", ["add", "remove"])
@pytest.mark.parametrize("k", [1, 40])
def test_mixed_and_sampled_pipelines_agree_with_another_library(direction, k):
    parts = ((dp.Laplace(2.0), 2), (dp.Subsampled(dp.Gaussian(1.0), 0.1), 5))
    repeats = RepeatedLoss(parts, direction, 40)
    grid = 1e-4
    laplace = peer.from_laplace_mechanism(2.0, value_discretization_interval=grid)
    sampled = peer.from_gaussian_mechanism(1.0, sampling_prob=0.1, value_discretization_interval=grid)
    whole = laplace.self_compose(2 * k).compose(sampled.self_compose(5 * k))
    law = whole._pmf_add if direction == "add" else whole._pmf_remove
    for epsilon in (0.5, 2.0, 6.0):
        assert tail(repeats, k, epsilon) == pytest.approx(float(law.get_delta_for_epsilon(epsilon)), rel=3e-3, abs=1e-9)


def test_infinite_losses_add_up():
    repeats = RepeatedLoss(((Leaking(dp.Gaussian(2.0), 0.01), 2),), "remove", 10)
    assert repeats.infinite(10) == pytest.approx(1 - 0.99**20, rel=1e-9)
    truth = 1 - 0.99**20 * (1 - gaussian_delta(3.0, math.sqrt(5)))
    assert 0.18 < tail(repeats, 10, 3.0) == pytest.approx(truth, rel=1e-3)
