"""The compiled stochastic average gradient against the published recursion, step by step, and its counts."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.glm import SAG
from tests.glm.data import problem, true_norm


def _published(p, order, step):
    """Algorithm 1 with re-weighting and exact regularisation, as a loop over dictionaries of past gradients."""
    n, d = p.X.shape
    theta, memory = np.zeros(d), {}
    for i in order:
        x, y = p.X[i], p.y[i]
        u = x @ theta
        slope = {"Logistic": lambda u=u, y=y: -y / (1 + np.exp(y * u)), "Squared": lambda u=u, y=y: u - y}[
            type(p.loss).__name__
        ]()
        if p.clip is not None:
            limit = p.clip / np.linalg.norm(x)
            slope = min(limit, max(-limit, slope))
        memory[i] = slope * x
        average = sum(memory.values()) / len(memory)
        theta = theta - step * (average + (p.penalty * theta + p.linear) / n)
    return theta


@pytest.mark.parametrize("clip", [None, 0.3])
@pytest.mark.parametrize("loss", ["logistic", "squared"])
@pytest.mark.parametrize("sampling", ["replacement", "shuffled"])
def test_each_step_is_the_published_one(loss, clip, sampling):
    from dpcore.glm.solver import Path

    n, passes = 30, 3
    p = problem(loss, n, 4, lam=5.0, clip=clip, weights=np.array([1.0, 0.5, 2.0, 1.0]))
    path = Path(p, np.zeros(4))
    SAG(sampling=sampling, max_passes=passes, step=0.5).run(path, 1e-300, np.random.default_rng(7))
    rng = np.random.default_rng(7)
    draw = (lambda: rng.integers(n, size=n)) if sampling == "replacement" else (lambda: rng.permutation(n))
    order = np.concatenate([draw() for _ in range(passes)])
    curvature = {"logistic": 0.25 if clip is None else 0.3 * 0.7, "squared": 1.0}[loss]
    smoothness = curvature + 5.0 * 2.0 / n
    assert np.allclose(path.theta, _published(p, order, 0.5 / smoothness), rtol=0, atol=1e-12)
    assert path.evaluations == passes * n


@pytest.mark.parametrize("lam", [0.1, 30.0])
@pytest.mark.parametrize("n", [1, 10, 500, 20_000])
def test_stop_checks_cost_at_most_two_passes(n, lam):
    p = problem("logistic", n, 8, lam=lam, noise=3.0)
    fit = dp.solve(p, 1e-6, SAG(max_passes=20_000), rng=0)
    assert fit.evaluations - fit.iterations <= 2 * n
    assert (fit.evaluations - fit.iterations) // n == len(fit.history)
    assert true_norm("logistic", p, fit.theta) <= 1.001e-6


def test_the_generator_moves_the_path_only():
    p = problem("logistic", 300, 4)
    first, again, other = (dp.solve(p, 1e-9, "sag", rng=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.theta, again.theta)
    assert not np.array_equal(first.theta, other.theta)
    assert np.allclose(first.theta, other.theta, atol=2e-9)
    assert np.array_equal(dp.solve(p, 1e-9, "sag", rng=np.random.default_rng(1)).theta, first.theta)


def test_a_trace_shows_the_true_norm_after_every_pass_without_counting_it():
    p = problem("logistic", 300, 4)
    plain, traced = dp.solve(p, 1e-6, "sag"), dp.solve(p, 1e-6, SAG(trace=True))
    assert np.array_equal(plain.theta, traced.theta)
    assert plain.evaluations == traced.evaluations
    assert len(traced.history) == traced.iterations // 300 + len(plain.history)
    assert traced.history[-1, 1] <= 1e-6 < traced.history[-6, 1]


def test_shuffling_is_faster_where_lam_is_large_and_says_so_where_it_fails():
    easy = problem("logistic", 1000, 5, lam=100.0)
    assert dp.solve(easy, 1e-6, "sag_shuffled").evaluations < dp.solve(easy, 1e-6, "sag").evaluations
    hard = problem("squared", 1000, 5, lam=0.01)
    with pytest.raises(dp.ConvergenceError, match="without replacement it need not converge when lam is small"):
        dp.solve(hard, 1e-6, SAG(sampling="shuffled", step=1.0, max_passes=2000))
    assert dp.solve(hard, 1e-6, "sag").converged
