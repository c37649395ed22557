"""Where the iteration ends: at the lasso, elastic net and ridge of the corrected weights, by other minimisers."""

import numpy as np
import pytest
from scipy import integrate, optimize
from sklearn.linear_model import Lasso, LogisticRegression, Ridge

from dpcore.errors import ConvergenceError, ParameterError, UnsupportedError
from dpcore.glm import Problem
from dpcore.learners.napp import Regularizer, Weighting, run, stationary_point
from tests.refusals import refuses

TINY = 1e-12  # Λ₀ that leaves the target regulariser alone


def linear_data(n=200, p=8, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.25, 0.25, (n, p))
    return X, X @ np.r_[np.linspace(1, 0.2, p // 2), np.zeros(p - p // 2)] + 0.25 * rng.standard_normal(n)


def label_data(n=300, p=6, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, p))
    margin = X @ np.r_[np.linspace(3, 1, p // 2), np.zeros(p - p // 2)]
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(-margin)), 1.0, -1.0)


def logistic_lasso(X, y, strength, tol):
    options = {"l1_ratio": 1.0, "solver": "liblinear", "fit_intercept": False, "max_iter": 10**6, "random_state": 0}
    return LogisticRegression(C=1 / strength, tol=tol, **options).fit(X, y).coef_[0]


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("form", ["moor", "sum"])
def test_the_penalty_realised_is_the_one_asked_for_and_as_printed_its_lasso_is_twice_that(form, printed):
    theta = np.array([-2.0, -0.1, 0.3, 1.7])
    lasso, elastic_net = (
        Weighting(Regularizer(k, 0.4, kappa=0.3), TINY, form, printed) for k in ("lasso", "elastic_net")
    )
    expected = (2 if printed else 1) * 0.4 * np.abs(theta)
    np.testing.assert_allclose(lasso.realised(theta), expected, rtol=1e-9)
    np.testing.assert_allclose(elastic_net.realised(theta), expected + 0.4 * 0.3 * theta**2, rtol=1e-9)


def test_ridge_needs_no_iteration_and_takes_the_larger_strength():
    X, y = linear_data()
    problem = Problem("squared", X, y, lam=0.0)
    for strength, floor, effective in ((0.7, 0.2, 0.7), (0.2, 0.7, 0.7)):
        for printed in (False, True):
            expected = Ridge(alpha=2 * effective, fit_intercept=False, tol=1e-15).fit(X, y).coef_
            trace = run(problem, Weighting(Regularizer("ridge", strength), floor, "moor", printed), limit=2)
            assert np.abs(trace.theta - expected).max() < 1e-8
            assert np.abs(trace.paths[0] - trace.paths[-1]).max() < 1e-12


@pytest.mark.parametrize(("loss", "form", "kind"), [
    ("squared", "moor", "lasso"),
    ("squared", "sum", "elastic_net"),
    ("logistic", "moor", "elastic_net"),
    ("logistic", "sum", "ridge"),
    ("poisson", "sum", "lasso"),
    ("smoothed_hinge", "moor", "lasso"),
])  # fmt: skip
def test_direct_solution_minimises_what_the_weights_realise(loss, form, kind):
    """A general minimiser that only sees function values and gradients, started at and around the answer, finds nothing lower."""
    X, y = label_data(n=80, p=4) if loss in ("logistic", "smoothed_hinge") else linear_data(n=80, p=4)
    y = np.round(np.abs(3 * y)) if loss == "poisson" else y
    rng = np.random.default_rng(5)
    problem = Problem(loss, X, y, lam=0.0, linear=rng.standard_normal(4))
    weighting = Weighting(Regularizer(kind, 0.8), 0.5, form)
    found = stationary_point(problem, weighting)

    def objective(theta):
        return problem.value(theta) + float(weighting.realised(theta).sum())

    assert found.objective == pytest.approx(objective(found.theta), abs=1e-9)
    start = found.theta + 0.3 * rng.standard_normal(4)
    options = {"xatol": 1e-10, "fatol": 1e-13, "maxiter": 1500}
    assert optimize.minimize(objective, start, method="Nelder-Mead", options=options).fun >= found.objective - 1e-9
    limit = run(problem, weighting, limit=4000, tolerance=1e-12)
    assert np.abs(limit.theta - found.theta).max() < 1e-5  # a coefficient near its threshold settles slowly


def test_selection_noise_weighs_the_absolute_values():
    X, y = linear_data()
    problem = Problem("squared", X, y, lam=0.0)
    b = np.abs(np.random.default_rng(2).standard_normal(8))
    found = stationary_point(problem, Weighting(Regularizer("lasso", 0.3), 0.2), selection=b).theta
    scaled = Lasso(alpha=1.0, fit_intercept=False, tol=1e-15, max_iter=10**6)
    whole = np.vstack([X, np.sqrt(0.4) * np.eye(8)]) / (0.3 + b)  # absorb the penalties into the columns
    expected = scaled.set_params(alpha=1 / len(whole)).fit(whole, np.r_[y, np.zeros(8)]).coef_ / (0.3 + b)
    assert np.abs(found - expected).max() < 1e-8


def test_sign_updates_settle_unless_the_noise_outweighs_the_lasso():
    X, y = linear_data()
    problem, weighting = Problem("squared", X, y, lam=0.0), Weighting(Regularizer("lasso", 2.0), 0.2)
    b = np.abs(np.random.default_rng(2).standard_normal(8))
    small = run(problem.replace(linear=0.4 * b), weighting, flip=True, limit=4000, tolerance=1e-13)
    assert small.converged
    assert np.abs(small.theta - stationary_point(problem, weighting, selection=0.4 * b).theta).max() < 1e-8
    large = run(problem.replace(linear=b), weighting, flip=True, limit=400)
    assert large.oscillating.any()
    assert not large.converged
    assert np.all(large.theta[large.oscillating] == 0)
    assert np.all(large.paths[-1][large.oscillating] != 0)


@pytest.mark.parametrize("kind", ["ridge", "lasso", "elastic_net", "bridge"])
@pytest.mark.parametrize("form", ["moor", "sum"])
@pytest.mark.parametrize("printed", [False, True])
def test_realised_regulariser_is_the_integral_of_its_weights(kind, form, printed):
    weighting = Weighting(Regularizer(kind, 1.3, kappa=0.4, gamma=0.8), 0.9, form, printed)
    for theta in (0.05, 0.6, 3.0):
        points = [weighting.crossover] if weighting.crossover < theta else None
        area, _ = integrate.quad(
            lambda t: 2 * t * float(weighting.after(np.array([t]))[0]), 0, theta, points=points, epsabs=1e-13, limit=200
        )
        assert float(weighting.realised(theta)) == pytest.approx(area, rel=1e-9)
        step = 1e-5
        around = np.array([float(weighting.realised(theta + k * step)) for k in (-1, 0, 1)])
        assert float(weighting.curvature(theta)) == pytest.approx(around @ [1, -2, 1] / step**2, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("b", [-3.0, 0.5, 2.5])
def test_a_column_of_zeros_is_held_by_the_floor_alone(b):
    """A level that no record of the sample has: bθ + r(θ) has its minimum at 0 or at −b/(2Λ₀)."""
    X, y = label_data(n=40, p=3)
    problem = Problem("logistic", np.c_[X, np.zeros(40)], y, lam=0.0, linear=[0.0, 0.0, 0.0, b])
    found = stationary_point(problem, Weighting(Regularizer("lasso", 1.0), 0.4, "moor")).theta
    assert found[3] == pytest.approx(-b / 0.8 if abs(b) > 1 else 0.0, abs=1e-9)
    bare = stationary_point(problem.replace(linear=None), Weighting(Regularizer("lasso", 1.0), 0.0)).theta
    assert bare[3] == 0
    if abs(b) > 1:
        refuses(ConvergenceError, "no minimiser", stationary_point, problem, Weighting(Regularizer("lasso", 1.0), 0.0))


@pytest.mark.parametrize("reach", [3.0, 300.0])
def test_records_that_are_all_clipped_at_zero_are_no_obstacle(reach):
    """Every loss is a line around 0, so that the first model has no curvature; the minimiser lies far away."""
    y = reach * np.array([1.0, 1.1, 1.3, 1.7, 2.0])
    problem = Problem("squared", np.ones((5, 1)), y, lam=0.0, clip=0.5)
    found = stationary_point(problem, Weighting(Regularizer("lasso", 0.3), 0.0))

    def slope(t):
        return np.clip(t - y, -0.5, 0.5).sum() + 0.3

    assert found.theta[0] == pytest.approx(optimize.brentq(slope, 0, 3 * reach, xtol=1e-12), abs=1e-8)


def test_redundant_columns_are_no_obstacle():
    """All levels of two categories beside each other, which coordinate descent alone would crawl along."""
    rng = np.random.default_rng(0)
    levels = rng.integers(0, 5, 600), rng.integers(0, 9, 600)
    X = np.c_[np.eye(5)[levels[0]], np.eye(9)[levels[1]], 0.01 * rng.standard_normal((600, 3))]
    y = np.where(rng.random(600) < 0.2 + 0.08 * levels[1], 1.0, -1.0)
    strength = 0.02
    found = stationary_point(Problem("logistic", X, y, lam=0.0), Weighting(Regularizer("lasso", strength), 0.0))
    other = logistic_lasso(X, y, strength, 1e-9)
    least = np.sum(np.logaddexp(0, -y * (X @ other))) + strength * np.abs(other).sum()
    assert found.objective == pytest.approx(least, rel=1e-8)
    assert found.objective <= least * (1 + 1e-12)


def test_hard_cases_raise_or_answer():
    X, y = linear_data(n=3, p=8)
    problem = Problem("squared", X, y, lam=0.0)
    refuses(UnsupportedError, "bridge", stationary_point, problem, Weighting(Regularizer("bridge", 1.0), 1.0))
    nothing = stationary_point(problem, Weighting(Regularizer("lasso", 1e6), 1.0))
    assert np.all(nothing.theta == 0)
    underdetermined = stationary_point(problem, Weighting(Regularizer("lasso", 1e-3), 1e-6))
    assert underdetermined.residual <= 1e-9
    Xl, _ = label_data(n=20)
    separable = Problem("logistic", Xl, np.where(Xl[:, 0] > 0, 1.0, -1.0), lam=0.0)
    with pytest.raises(ConvergenceError):
        stationary_point(separable, Weighting(Regularizer("ridge", 0.0), 0.0), tol=1e-300)
    refuses(ParameterError, "kappa", Regularizer, "elastic_net", 1.0, kappa=1.0)
    refuses(ParameterError, "gamma", Regularizer, "bridge", 1.0, gamma=2.0)
