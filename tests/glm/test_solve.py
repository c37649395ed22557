"""Solvers against each other, against independent objectives and against other packages; and what they refuse."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

import dpcore as dp
from dpcore.glm import SAG, SOLVERS, GradientDescent, Newton
from tests.glm.data import LOSS_NAMES, problem, rows, targets, true_norm

LOSSES = pytest.mark.parametrize("loss", LOSS_NAMES)


@LOSSES
def test_the_error_bound_holds(loss):
    p = problem(loss, lam=0.5, weights=np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    exact = dp.solve(p, 1e-11).theta
    for tol in (1e-1, 1e-3):
        for solver in ("newton", "lbfgs", "accelerated_gradient"):
            if loss == "poisson" and solver == "accelerated_gradient":
                continue
            fit = dp.solve(p, tol, solver)
            assert fit.error_bound == fit.gradient_norm / 0.5
            assert np.linalg.norm(fit.theta - exact) <= fit.error_bound * (1 + 1e-9)


@pytest.mark.parametrize(("loss", "family"), [("logistic", sm.families.Binomial()), ("poisson", sm.families.Poisson())])
def test_without_a_penalty_against_statsmodels(loss, family):
    X = rows(250, 4)
    y = targets(loss, X)
    theirs = sm.GLM((1 + y) / 2 if loss == "logistic" else y, X, family=family).fit(tol=1e-14, maxiter=100).params
    fit = dp.solve(dp.Problem(loss, X, y, lam=0.0), 1e-10)
    assert np.allclose(fit.theta, theirs, rtol=0, atol=1e-9)
    assert fit.error_bound == np.inf


@pytest.mark.parametrize("lam", [1e-2, 1e-6, 1e-12])
@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_separable_classes_are_solved_or_refused(lam, solver):
    X = np.column_stack([np.r_[np.linspace(-1, -0.1, 20), np.linspace(0.1, 1, 20)], np.ones(40)])
    p = dp.Problem("logistic", X, np.sign(X[:, 0]), lam=lam)
    fit = dp.solve(p, 1e-7, solver)
    assert true_norm("logistic", p, fit.theta) <= 1e-7 * (1 + 1e-6)
    assert (p.y * (X @ fit.theta) > 0).all()


def test_where_no_unique_minimiser_exists_that_is_said():
    X = np.array([[-1.0], [-0.5], [0.5], [1.0]])
    with pytest.raises(dp.ConvergenceError, match="no unique minimiser"):
        dp.solve(dp.Problem("logistic", X, np.sign(X[:, 0]), lam=0.0))
    wide = rows(3, 6)
    for loss in LOSS_NAMES:
        with pytest.raises(dp.ConvergenceError, match=r"no unique minimiser|use a larger lam"):
            dp.solve(dp.Problem(loss, wide, targets(loss, wide), lam=0.0))
    assert dp.solve(dp.Problem("squared", X, X[:, 0] * 2, lam=0.0)).theta == pytest.approx([2.0])


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_a_tolerance_below_round_off_is_refused_with_the_attainable_one(solver):
    with pytest.raises(dp.ConvergenceError, match="above tol = 1e-30: double precision resolves this gradient only to"):
        dp.solve(problem("logistic"), 1e-30, solver)


def test_a_start_far_away_is_survived_or_refused():
    p = problem("logistic")
    best = dp.solve(p, 1e-9).theta
    far = np.array([1e3, -1e3, 1e3, 1e3, -1e3])
    for solver in ("newton", "lbfgs"):
        assert np.allclose(dp.solve(p, 1e-9, solver, start=far).theta, best, atol=1e-8)
    for solver in ("newton", "lbfgs"):
        with pytest.raises(dp.ConvergenceError, match=r"stopped at a gradient norm of (inf|nan)"):
            dp.solve(problem("poisson"), 1e-9, solver, start=np.full(5, 1e5) * np.sign(problem("poisson").X[0]))


@pytest.mark.parametrize("clip", [0.1, 0.3, 1.0])
def test_kinks_that_sent_newton_round_in_circles(clip):
    """Steps that halve the last gradient norm, rather than the smallest so far, may come back to where they began."""
    X, b = [[-220.0, 170.0], [270.0, 60.0]], [0.001, 0.003]
    p = dp.Problem("smoothed_hinge", X, [1, -1], lam=0.01, linear=b, clip=clip)
    assert true_norm("smoothed_hinge", p, dp.solve(p, 1e-8, "newton").theta, clip) <= 1.001e-8


def test_a_first_step_to_where_the_loss_overflows():
    """The first Newton step of a Poisson fit overshoots to where e^u overflows."""
    p = dp.Problem("poisson", np.ones((1, 1)), [1e6], lam=1e-3)
    fit = dp.solve(p, 1e-6)
    assert np.exp(fit.theta[0]) - 1e6 + 1e-3 * fit.theta[0] == pytest.approx(0, abs=1e-6)


def test_gradient_descent_keeps_its_published_bound():
    """Theorem G: T ≤ log(S²‖θ₀−θ*‖²/τ²)/log(1+λ/(S−λ)) iterations, S = Σβ‖x‖²+λ."""
    p = problem("logistic", 100, 4, lam=2.0)
    best = dp.solve(p, 1e-12).theta
    smoothness, tol = 100 / 4 + 2.0, 1e-6
    fit = dp.solve(p, tol, "gradient_descent")
    bound = np.log(smoothness**2 * (best @ best) / tol**2) / np.log1p(2.0 / (smoothness - 2.0))
    assert fit.iterations <= bound
    assert fit.evaluations == 100 * (fit.iterations + 1)


def test_solves_in_many_threads_at_once_are_the_same_to_the_last_bit():
    problems = [problem("logistic", 3000, 30, seed) for seed in range(8)]
    alone = [dp.solve(p, 1e-9).theta for p in problems]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda p: dp.solve(p, 1e-9).theta, problems))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


def test_history_ends_at_the_verified_norm():
    p = problem("logistic")
    for solver in SOLVERS:
        if solver == "sag_shuffled":
            continue
        fit = dp.solve(p, 1e-7, solver)
        assert fit.history.shape[1] == 2
        assert fit.history[:, 1].min() == pytest.approx(fit.gradient_norm, rel=1e-6)
        assert fit.history[-1, 0] <= fit.evaluations
        assert (np.diff(fit.history[:, 0]) >= 0).all()


def test_the_solver_is_chosen_by_size():
    assert [dp.solve(problem("logistic", 10, d)).solver for d in (200, 201)] == ["Newton", "L-BFGS"]


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (lambda p: dp.solve(p, 0.0), dp.ParameterError, "tol must be > 0, got 0.0"),
        (lambda p: dp.solve(p, solver="adam"), dp.ParameterError, "solver must be one of 'newton', 'lbfgs', 'sag'"),
        (lambda p: dp.solve("logistic"), dp.ParameterError, "problem must be a Problem, got 'logistic'"),
        (lambda p: dp.solve(p, 1e-9, Newton(max_iterations=1)), dp.ConvergenceError, "it used up its 1 iterations"),
        (lambda p: dp.solve(p, 1e-9, GradientDescent(max_passes=3)), dp.ConvergenceError, "the gradient descent solve"),
        (lambda p: dp.solve(p, 1e-9, SAG(max_passes=2)), dp.ConvergenceError, "it used up its 2 passes over the data"),
        (lambda p: dp.solve(p.replace(lam=0), solver="accelerated_gradient"), dp.UnsupportedError, "use lam > 0"),
    ],
)
def test_refusals(call, kind, sentence):
    with pytest.raises(kind, match=sentence):
        call(problem("logistic"))


@pytest.mark.parametrize("solver", ["sag", "gradient_descent", "accelerated_gradient"])
def test_a_loss_without_a_curvature_bound_is_refused_where_one_is_needed(solver):
    with pytest.raises(dp.UnsupportedError, match="a predictor_bound, clip the gradients, or use solver='newton'"):
        dp.solve(problem("poisson"), solver=solver)
    assert dp.solve(problem("poisson", clip=0.5), solver=solver).converged


@settings(max_examples=150, deadline=None)
@given(
    loss=st.sampled_from(LOSS_NAMES),
    n=st.integers(1, 30),
    d=st.integers(1, 12),
    seed=st.integers(0, 10_000),
    log_lam=st.floats(-12, 6),
    log_noise=st.floats(-6, 6),
    log_scale=st.floats(-6, 4),
    clip=st.sampled_from([None, 1e-3, 1.0, 1e3]),
    solver=st.sampled_from(["newton", "lbfgs"]),
)
def test_any_problem_is_solved_verified_or_refused_with_a_sentence(
    loss, n, d, seed, log_lam, log_noise, log_scale, clip, solver
):
    X = rows(n, d, seed, norm=10.0**log_scale)
    b = 10.0**log_noise * np.random.default_rng(seed).standard_normal(d)
    y = targets(loss, X / max(1.0, 10.0**log_scale), seed)
    p = dp.Problem(loss, X, y, lam=10.0**log_lam, linear=b, clip=clip)
    tol = 1e-6
    try:
        fit, refusal = dp.solve(p, tol, solver), ""
    except dp.ConvergenceError as error:
        fit, refusal = None, str(error)
    if fit is None:
        assert refusal.endswith("another solver") or "double precision resolves" in refusal
    else:
        limit = np.inf if clip is None else clip
        assert true_norm(loss, p, fit.theta, limit) <= tol + 20 * p.gradient_round_off(fit.theta)


@pytest.mark.parametrize("loss", LOSS_NAMES)
@pytest.mark.parametrize("clip", [0.05, 0.4])
def test_a_start_without_clipping_changes_the_cost_and_not_the_answer(loss, clip):
    p = problem(loss, 300, 5, lam=0.05, clip=clip)
    default, cold = dp.solve(p, 1e-9), dp.solve(p, 1e-9, "newton")
    assert np.linalg.norm(default.theta - cold.theta) <= 2.01e-9 / 0.05
    free = problem(loss, 300, 5, lam=0.05)
    assert p.unclipped().value(cold.theta) == free.value(cold.theta)
    assert p.clip == clip
