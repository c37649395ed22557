"""R̂, effective sample size and the certificate of convergence, each against a law it is known for."""

import math

import numpy as np
import pytest
from scipy import signal, stats

import dpcore as dp
from dpcore.sampling import (
    Target,
    certified_steps,
    certified_total_variation,
    effective_size,
    proximal_sampler,
    split_rhat,
)
from dpcore.sampling.proximal import restricted_gaussian


def autoregression(phi, chains, steps, seed):
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((chains, steps + 500)) * math.sqrt(1 - phi**2)
    return signal.lfilter([1.0], [1.0, -phi], noise, axis=1)[:, 500:]


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9, -0.4])
def test_effective_size_of_an_autoregression(phi):
    draws = autoregression(phi, 8, 20_000, 3)
    expected = draws.size * (1 - phi) / (1 + phi)
    assert effective_size(draws) == pytest.approx(expected, rel=0.1)
    assert split_rhat(draws) < 1.005


def test_draws_that_never_moved_count_as_one_and_units_do_not_matter():
    for value in (0.1, 1 / 3, 2.7):
        assert {effective_size(np.full(shape, value)) for shape in ((4, 97), (4, 100), (3, 1000))} == {1.0}
    draws = autoregression(0.5, 4, 200, 5)
    assert effective_size(1e-170 * draws) == pytest.approx(effective_size(draws))


def test_rhat_sees_a_chain_elsewhere_and_a_trend():
    draws = autoregression(0.3, 4, 1000, 1)
    assert split_rhat(draws) < 1.01
    assert split_rhat(draws + np.array([[0], [0], [0], [2]])) > 1.2
    assert split_rhat(draws + np.linspace(0, 3, 1000)) > 1.2
    for steps in (20, 97, 1000):
        assert split_rhat(np.repeat([[0.1], [0.7], [2.3]], steps, axis=1)) == np.inf


def test_rhat_of_normal_draws_is_the_textbook_one():
    draws = autoregression(0.6, 4, 4000, 2)
    halves = draws.reshape(8, 2000)
    within, between = halves.var(axis=1, ddof=1).mean(), 2000 * halves.mean(axis=1).var(ddof=1)
    textbook = math.sqrt((1999 / 2000 * within + between / 2000) / within)
    assert split_rhat(draws) == pytest.approx(textbook, abs=2e-4)


def quadratic(m, curvature, radius=math.inf):
    """N(0, 1/(m + curvature)) with part of its curvature not declared as strong convexity."""
    total = m + curvature
    return Target(lambda x: total / 2 * np.sum(x**2, axis=1), lambda x: total * x, 1, m, radius, smoothness=curvature)


@pytest.mark.parametrize(("m", "curvature"), [(1.0, 0.5), (1.0, 4.0), (0.3, 3.0)])
@pytest.mark.parametrize("steps", [1, 2, 5, 20])
def test_certificate_covers_the_exact_distance(m, curvature, steps):
    """From a fixed start the law after t steps on a quadratic is a known Gaussian; started two deviations out."""
    target = quadratic(m, curvature)
    eta, total = target.step_size, m + curvature
    start = math.sqrt(2 / m)  # the certificate allows any start with E‖X − x₀‖² ≤ 2d/m; this one exceeds it for none
    mean, variance = start if 1 / total + start**2 <= 2 / m else math.sqrt(2 / m - 1 / total), 0.0
    for _ in range(steps):
        share = 1 / (1 + eta * total)
        mean, variance = share * mean, share**2 * (variance + eta) + eta * share
    x = np.linspace(-12, 12, 40_001) / math.sqrt(total)
    gap = np.abs(stats.norm.pdf(x, mean, math.sqrt(variance)) - stats.norm.pdf(x, 0, total**-0.5))
    exact = 0.5 * float(np.trapezoid(gap, x))
    assert exact <= certified_total_variation(target, steps) + 1e-9


@pytest.mark.parametrize("goal", [0.3, 1e-3, 1e-12])
def test_certified_steps_are_the_fewest(goal):
    target = quadratic(1.0, 9.0, radius=2.0)
    steps = certified_steps(target, goal)
    assert certified_total_variation(target, steps) <= goal
    assert steps == 1 or certified_total_variation(target, steps - 1) > goal


def test_an_unconverged_run_says_that_its_guarantee_is_void():
    short = proximal_sampler(quadratic(1e-4, 1.0), chains=4, steps=40, rng=np.random.default_rng(0))
    assert not short.converged
    assert "guarantee of the mechanism does not hold" in short.warning
    good = proximal_sampler(quadratic(1.0, 1.0), chains=4, steps=2000, rng=np.random.default_rng(0))
    assert good.converged
    assert good.warning == ""
    assert good.total_variation < 1e-12


@pytest.mark.parametrize("radius", [0.8, 2.5])
def test_steps_are_exact_at_any_step_size(radius):
    """One step from the target's own law leaves it there, however long the step."""
    target, law = quadratic(0.5, 1.5, radius), stats.truncnorm(-radius * 2**0.5, radius * 2**0.5, scale=2**-0.5)
    rng, start = np.random.default_rng(4), law.rvs(size=(8000, 1), random_state=9)
    for eta in (0.01, 1.0, 30.0):
        moved, _ = restricted_gaussian(target, start + math.sqrt(eta) * rng.standard_normal(start.shape), eta, rng)
        assert stats.kstest(moved[:, 0], law.cdf).pvalue > 1e-4


def test_bad_draws_and_targets_are_refused():
    for draws in (np.zeros((2, 7)), np.zeros(20), np.full((2, 20), np.nan)):
        with pytest.raises(dp.ParameterError, match=r"^draws must"):
            split_rhat(draws)
    given = {"dimension": 1, "strong_convexity": 1.0, "smoothness": 1.0}
    for name, bad in (("strong_convexity", 0.0), ("dimension", 0), ("radius", -1.0), ("smoothness", np.inf)):
        with pytest.raises(dp.ParameterError, match=f"{name} .*must"):
            Target(lambda x: x[:, 0], lambda x: x, **{**given, name: bad})
