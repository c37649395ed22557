"""Many draws at once give what solving each alone gives."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.glm import solve_batch
from tests.glm.data import LOSS_NAMES, problem, true_norm

LOSSES = pytest.mark.parametrize("loss", LOSS_NAMES)


def _draws(count, d, size, seed=0):
    return size * np.random.default_rng(seed).standard_normal((count, d))


@LOSSES
@pytest.mark.parametrize("clip", [None, 0.4])
@pytest.mark.parametrize(("lam", "size"), [(1.0, 0.5), (0.05, 200.0)])
def test_every_draw_is_solved(loss, clip, lam, size):
    p = problem(loss, 400, 6, lam=lam, clip=clip)
    B = _draws(23, 6, size)
    tol = 1e-7
    batch = solve_batch(p, B, tol)
    assert batch.theta.shape == B.shape
    for b, theta, norm in zip(B, batch.theta, batch.gradient_norm, strict=True):
        alone = p.replace(linear=b)
        assert norm <= tol
        assert true_norm(loss, alone, theta, np.inf if clip is None else clip) <= tol * (1 + 1e-3) + 1e-11
        assert np.linalg.norm(theta - dp.solve(alone, tol).theta) <= 2.01 * tol / lam


def test_weights_and_many_more_draws_than_share_a_pass(monkeypatch):
    monkeypatch.setattr("dpcore.glm.batch._TOGETHER", 7)
    p = problem("logistic", 100, 3, lam=0.5, weights=np.array([1.0, 2.0, 5.0]))
    B = _draws(50, 3, 3.0)
    batch = solve_batch(p, B, 1e-9)
    for b, theta in zip(B, batch.theta, strict=True):
        assert true_norm("logistic", p.replace(linear=b), theta) <= 1.001e-9


def test_draws_that_the_shared_passes_leave_are_finished_alone(monkeypatch):
    monkeypatch.setattr("dpcore.glm.batch._PASSES", 3)
    monkeypatch.setattr("dpcore.glm.batch._TOGETHER", 4)
    p = problem("logistic", 200, 4, lam=0.1)
    B = np.vstack([_draws(5, 4, 0.001), _draws(5, 4, 300.0)])
    batch = solve_batch(p, B, 1e-8)
    assert batch.alone.tolist() == [False] * 5 + [True] * 5
    for b, theta in zip(B, batch.theta, strict=True):
        assert true_norm("logistic", p.replace(linear=b), theta) <= 1.001e-8


def test_the_problems_own_linear_term_is_replaced():
    p = problem("squared", 50, 3, noise=100.0)
    assert np.allclose(solve_batch(p, np.zeros((1, 3)), 1e-10).theta[0], dp.solve(p.replace(linear=None), 1e-10).theta)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda p: solve_batch(p, np.ones(5)), r"linear must be a finite array of the shape \(draws, 5\), got \(5,\)"),
        (lambda p: solve_batch(p.replace(lam=0), np.ones((1, 5))), "solve_batch needs lam > 0"),
    ],
)
def test_refusals(call, sentence):
    with pytest.raises(dp.ParameterError, match=sentence):
        call(problem("logistic"))
