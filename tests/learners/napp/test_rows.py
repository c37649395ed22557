"""Augmented rows: what they carry, at which rate they reach the limit, and that a plain fit of them is the regularised one."""

import numpy as np
import pytest

from dpcore.errors import ParameterError, UnsupportedError
from dpcore.glm import Huber, Problem, SmoothedHinge
from dpcore.glm.losses.pseudo_huber import PseudoHuber
from dpcore.learners.napp import Regularizer, Weighting, augmented_rows, run, scheme
from tests.refusals import refuses

LOSSES = ("squared", "logistic", "poisson", "smoothed_hinge")


def data(loss, n=150, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.5, 0.5, (n, p))
    margin = X @ np.linspace(2, -1, p)
    if loss == "squared":
        return X, margin + 0.3 * rng.standard_normal(n)
    if loss == "poisson":
        return X, rng.poisson(np.exp(margin)).astype(float)
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(-margin)), 1.0, -1.0)


@pytest.mark.parametrize("loss", LOSSES)
def test_rows_carry_the_noise_exactly_to_first_order(loss):
    b = np.array([1.0, -2.0, 0.5])
    rows = augmented_rows(loss, np.array([1.0, 2.0, 0.0]), b, 400, np.random.default_rng(0))
    assert rows.carried == pytest.approx(b, abs=1e-12)
    slope = Problem(loss, rows.X, rows.y, lam=0.0).gradient(np.zeros(3))
    assert slope == pytest.approx(b, abs=1e-12)
    wide = loss not in ("squared", "poisson")
    assert np.ptp(rows.X[:, 2]) == pytest.approx(2 * np.abs(rows.X[:, 2]).max() * wide)


@pytest.mark.parametrize("loss", LOSSES)
def test_rows_realise_the_weights(loss):
    """Σℓ(e_i θ) − Σℓ(0) − bᵀθ against Σ mθ², within the sampling error of the variances."""
    weights, theta, rows = np.array([0.5, 2.0]), np.array([0.7, -0.4]), 40_000
    values = []
    for seed in range(30):
        extra = augmented_rows(loss, weights, None, rows, np.random.default_rng(seed))
        problem = Problem(loss, extra.X, extra.y, lam=0.0)
        values.append(problem.value(theta) - problem.value(np.zeros(2)))
    target = float(weights @ theta**2)
    assert np.mean(values) == pytest.approx(target, abs=4 * np.std(values) / np.sqrt(30) + 2e-4 * target)
    assert np.std(values) < 3 * target * np.sqrt(2 / rows) * (2 if loss == "smoothed_hinge" else 1)


def test_trace_reports_convergence():
    X, y = data("squared")
    problem, weighting = Problem("squared", X, y, lam=0.0), Weighting(Regularizer("lasso", 1.0), 0.1, "moor")
    trace = run(problem, weighting, limit=500)
    assert trace.converged
    assert trace.percentage_change.size == len(trace.paths) - 1
    assert trace.percentage_change[-1] < 1e-6 < trace.percentage_change[0]
    short = run(problem, weighting, limit=2)
    assert (short.converged, len(short.paths)) == (False, 2)
    noisy = run(problem, weighting, limit=6, rows=400)
    assert (len(noisy.paths), noisy.losses.shape) == (6, (6,))
    assert run(problem, Weighting(Regularizer("ridge", 1.0), 0.1), limit=1).converged


def test_records_are_clipped_and_appended_rows_are_not():
    """With the gradient of every record clipped far below that of the rows, b and the ridge still arrive in full."""
    X, y = data("squared")
    b, weighting = np.array([30.0, -20.0, 10.0, 0.0]), Weighting(Regularizer("ridge", 5.0), 1.0)
    problem = Problem("squared", X, y, lam=0.0, linear=b, clip=0.02)
    limit = run(problem, weighting, limit=1).theta
    norms = np.linalg.norm(X, axis=1)

    def gradient(theta):
        slopes = np.clip(X @ theta - y, -0.02 / norms, 0.02 / norms)
        return slopes @ X + 10.0 * theta + b

    assert np.abs(gradient(limit)).max() < 1e-6
    away = [run(problem, weighting, limit=1, rows=40_000, rng=seed).theta - limit for seed in range(3)]
    assert np.linalg.norm(np.mean(away, axis=0)) < 0.02 * np.linalg.norm(limit)


def test_columns_that_vanish_leave_the_clipping_of_whole_records():
    X, y = data("squared")
    problem = Problem("squared", X, y, lam=0.0, clip=0.05)
    kept = np.array([True, False, True, False])
    theta = np.array([0.4, -0.7])
    whole = np.array([0.4, 0.0, -0.7, 0.0])
    part = problem.columns(kept)
    assert part.value(theta) == pytest.approx(problem.value(whole), rel=1e-12)
    assert part.gradient(theta) == pytest.approx(problem.gradient(whole)[kept], abs=1e-12)


def test_bad_requests_get_a_sentence():
    rng = np.random.default_rng(0)
    refuses(ParameterError, "multiple of 4", augmented_rows, "squared", np.ones(2), None, 102, rng)
    refuses(UnsupportedError, "curved at 0", scheme, Huber())
    refuses(UnsupportedError, "four models", scheme, PseudoHuber())  # curved at 0, but none of the source's models
    rows = np.ones((2, 1))
    refuses(ParameterError, "limit", run, Problem("squared", rows, np.ones(2)), Weighting(Regularizer(), 1.0), limit=0)


def test_extreme_rows_and_weights():
    X, y = data("logistic")
    problem = Problem("logistic", X, y, lam=0.0, linear=np.full(4, 1e3))
    huge = run(problem, Weighting(Regularizer("lasso", 1e6), 1e6), limit=60)
    assert np.abs(huge.theta).max() < 1e-2
    tiny = run(problem.replace(linear=None), Weighting(Regularizer("ridge", 1e-9), 1e-9), limit=1, rows=4)
    assert np.isfinite(tiny.theta).all()
    assert scheme(SmoothedHinge(2.0)).curvature == 0.5
