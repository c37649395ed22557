"""Realised losses against densities by change of variables; refits of GLMs against solutions from scratch."""

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize

import dpcore as dp
from dpcore.data import Dataset
from dpcore.exhibits.per_instance.drawn_release import released
from dpcore.individual import ex_post, ex_post_added, glm_exposure
from tests.individual.conftest import random_data

FUNCTIONS = {  # f(u; y), f' and f'' written out
    "logistic": (
        lambda u, y: np.logaddexp(0, -y * u),
        lambda u, y: -y / (1 + np.exp(y * u)),
        lambda u, y: np.exp(u) / (1 + np.exp(u)) ** 2,
    ),
    "poisson": (lambda u, y: np.exp(u) - y * u, lambda u, y: np.exp(u) - y, lambda u, y: np.exp(u)),
    "squared": (lambda u, y: (u - y) ** 2 / 2, lambda u, y: u - y, lambda u, y: np.ones_like(u)),
}


def data(loss, n=30, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) / 2
    y = {"logistic": np.sign(rng.normal(size=n)), "poisson": rng.poisson(1.0, n) * 1.0, "squared": rng.normal(size=n)}
    return Dataset.from_arrays(X, y[loss])


def log_density(loss, X, y, lam, sigma, theta):
    """log p(θ) of objective perturbation: the density of b(θ) = −∇J(θ) times |det ∂b/∂θ|, the Jacobian by differences."""
    slope = FUNCTIONS[loss][1]

    def noise(t):
        return -(X.T @ slope(X @ t, y) + lam * t)

    h = 1e-5
    columns = [
        (8 * (noise(theta + h * e) - noise(theta - h * e)) - noise(theta + 2 * h * e) + noise(theta - 2 * h * e))
        / (12 * h)
        for e in np.eye(theta.size)
    ]
    log_jacobian = np.linalg.slogdet(np.column_stack(columns))[1]
    return stats.norm.logpdf(noise(theta), scale=sigma).sum() + log_jacobian


@pytest.mark.parametrize("loss", FUNCTIONS)
def test_realised_loss_is_the_ratio_of_the_two_densities(loss):
    ds, lam, sigma = data(loss), 0.7, 0.9
    theta = np.array([0.3, -0.5, 0.2])
    found = ex_post(ds, theta, sigma=sigma, lam=lam, loss=loss)
    with_all = log_density(loss, ds.X, ds.y, lam, sigma, theta)
    for row in (0, 11, 29):
        rest = np.delete(np.arange(30), row)
        without = log_density(loss, ds.X[rest], ds.y[rest], lam, sigma, theta)
        assert found.loss[row] == pytest.approx(with_all - without, abs=1e-9)
        others = Dataset.from_arrays(ds.X[rest], ds.y[rest])
        added = ex_post_added(others, theta, ds.X[row : row + 1], ds.y[row : row + 1], sigma=sigma, lam=lam, loss=loss)
        assert added.loss[0] == pytest.approx(found.loss[row], abs=1e-11)
    assert found.loss == pytest.approx(found.volume + found.size + found.alignment)


@pytest.mark.parametrize("length", [1e4, 1e7, 1e9])
def test_the_volume_of_a_row_that_alone_decides_a_coefficient_keeps_its_digits(length):
    """log det with it − log det without it, at 50 digits; 1 minus its leverage would be rounding."""
    ds = data("squared")
    X = np.vstack([ds.X, [0.0, 0.0, length]])
    found = ex_post(Dataset.from_arrays(X, np.append(ds.y, 1.0)), np.zeros(3), sigma=1.0, lam=0.7, loss="squared")
    with mpmath.mp.workdps(50):
        rest = mpmath.matrix(ds.X.tolist())
        without = rest.T * rest + mpmath.mpf(0.7) * mpmath.eye(3)
        with_all = without.copy()
        with_all[2, 2] += mpmath.mpf(length) ** 2
        expected = float(mpmath.log(mpmath.det(with_all) / mpmath.det(without)))
    assert found.volume[-1] == pytest.approx(expected, rel=1e-12)


def test_the_realised_loss_averages_to_the_divergence_of_linear_regression():
    """Its mean over releases is the KL divergence between the two normal laws, known in closed form."""
    ds, lam, sigma, row = data("squared", n=20, d=2), 1.0, 0.8, 4
    rest = np.delete(np.arange(20), row)
    H, H2 = (X.T @ X + lam * np.eye(2) for X in (ds.X, ds.X[rest]))
    theta, theta2 = np.linalg.solve(H, ds.X.T @ ds.y), np.linalg.solve(H2, ds.X[rest].T @ ds.y[rest])
    cov, precision = sigma**2 * np.linalg.inv(H @ H), H2 @ H2 / sigma**2
    gap = theta - theta2
    kl = 0.5 * (
        np.trace(precision @ cov)
        - 2
        + gap @ precision @ gap
        - np.linalg.slogdet(cov)[1]
        - np.linalg.slogdet(precision)[1]
    )
    draws = np.random.default_rng(1).multivariate_normal(theta, cov, 1_000)
    losses = [ex_post(ds, draw, sigma=sigma, lam=lam, loss="squared").loss[row] for draw in draws]
    assert np.mean(losses) == pytest.approx(kl, abs=4 * np.std(losses) / np.sqrt(len(losses)))


@pytest.mark.parametrize("loss", ["logistic", "poisson"])
def test_refitted_rows_are_exact_and_the_error_of_one_step_is_measured(loss):
    ds, lam, sigma = data(loss, n=60), 0.5, 0.3
    found = glm_exposure(ds, sigma=sigma, lam=lam, loss=loss, delta=1e-5, exact=5, rows=[1, 2])
    f, slope, _ = FUNCTIONS[loss]

    def fit(X, y):
        return minimize(
            lambda t: f(X @ t, y).sum() + lam / 2 * t @ t, np.zeros(3), jac=lambda t: X.T @ slope(X @ t, y) + lam * t,
            method="BFGS", options={"gtol": 1e-11},
        ).x  # fmt: skip

    assert found.refitted[[1, 2]].all()
    moved = np.array([np.linalg.norm(found.theta - fit(np.delete(ds.X, i, 0), np.delete(ds.y, i))) for i in range(60)])
    assert found.moved[found.refitted] == pytest.approx(moved[found.refitted], rel=1e-6)
    errors = np.abs(found.one_step / moved - 1)
    assert found.step_error == pytest.approx(errors[found.refitted].max(), rel=1e-3)
    assert set(np.argsort(-moved)[:4]) <= set(np.flatnonzero(found.refitted))
    row = int(np.argmax(moved))
    gaussian = dp.Gaussian(sigma=sigma, sensitivity=float(moved[row]))
    assert found.epsilon[row] == pytest.approx(float(gaussian.epsilon(1e-5)), rel=1e-5)
    assert float(found.profile(row).epsilon(1e-5)) == pytest.approx(found.epsilon[row], rel=1e-9)
    assert list(found.frame().columns[:3]) == ["row", "epsilon", "moved"]
    assert "n_samples=60" in repr(found)


def precise_fit(loss, X, y, lam):
    """The minimiser to nineteen digits: residuals in extended precision, steps in doubles, halved while J rises."""
    f, slope, bend = FUNCTIONS[loss]
    X, y, t = X.astype(np.longdouble), y.astype(np.longdouble), np.zeros(X.shape[1], dtype=np.longdouble)

    def value(t):
        return f(X @ t, y).sum() + lam * (t @ t) / 2

    for _ in range(200):
        u = X @ t
        gradient = X.T @ slope(u, y) + lam * t
        hessian = (X.T * bend(u, y)) @ X + lam * np.eye(t.size)
        step = np.linalg.solve(hessian.astype(float), gradient.astype(float))
        if np.linalg.norm(step) < 1e-18 * np.linalg.norm(t.astype(float)):
            break
        while np.linalg.norm(step) > 1e-8 and not value(t - step) <= value(t):
            step = step / 2
        t = t - step
    return t


def hard_designs():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(24, 3))
    yield "plain", X, 0.3
    yield "n = d + 1", X[:4], 0.05
    yield "duplicate rows", np.repeat(X[:6], 4, axis=0), 0.2
    yield "high leverage", np.vstack([X[:20] / 50, [[4.0, -3.0, 5.0]]]), 0.01


@pytest.mark.parametrize("loss", FUNCTIONS)
@pytest.mark.parametrize(("X", "lam"), [case[1:] for case in hard_designs()], ids=[case[0] for case in hard_designs()])
def test_refits_have_nine_digits_on_hard_designs(X, lam, loss):
    ds = Dataset.from_arrays(X, data(loss, n=len(X)).y)
    found = glm_exposure(ds, sigma=0.5, lam=lam, loss=loss, delta=1e-5, exact=len(X))
    theta = precise_fit(loss, X, ds.y, lam)
    for row in range(len(X)):
        other = precise_fit(loss, np.delete(X, row, 0), np.delete(ds.y, row), lam)
        moved = float(np.sqrt(((theta - other) ** 2).sum()))
        assert found.moved[row] == pytest.approx(moved, rel=1e-9)
        epsilon = float(dp.Gaussian(sigma=0.5, sensitivity=moved).epsilon(1e-5))
        assert found.epsilon[row] == pytest.approx(epsilon, rel=1e-9, abs=1e-15)
    assert np.max(found.leverage) > (0.9 if len(X) == 21 and loss == "squared" else 0)


@pytest.mark.parametrize("loss", FUNCTIONS)
def test_refits_have_nine_digits_on_diabetes(loss):
    sample = dp.load_sample("diabetes")
    middle = np.median(sample.y)
    y = {"squared": sample.y, "logistic": np.where(sample.y > middle, 1.0, -1.0), "poisson": np.round(5 + 4 * sample.y)}
    ds = Dataset.from_arrays(sample.X, y[loss])
    found = glm_exposure(ds, sigma=0.5, lam=1.0, loss=loss, exact=3, rows=[7])
    theta = precise_fit(loss, ds.X, ds.y, 1.0)
    for row in np.flatnonzero(found.refitted):
        other = precise_fit(loss, np.delete(ds.X, row, 0), np.delete(ds.y, row), 1.0)
        assert found.moved[row] == pytest.approx(float(np.sqrt(((theta - other) ** 2).sum())), rel=1e-9)


def test_without_a_penalty_the_fit_must_be_determined():
    X = data("squared", n=20).X
    y = X @ [1.0, 2.0, 3.0] + data("squared", n=20).y
    found = glm_exposure(Dataset.from_arrays(X, y), sigma=1.0, lam=0.0, loss="squared", exact=20)
    for row in range(20):
        fits = [np.linalg.lstsq(A, b)[0] for A, b in ((X, y), (np.delete(X, row, 0), np.delete(y, row)))]
        assert found.moved[row] == pytest.approx(np.linalg.norm(fits[0] - fits[1]), rel=1e-9)
    twice = Dataset.from_arrays(np.column_stack([X, X[:, 0] - X[:, 1]]), y)
    with pytest.raises(dp.DataError, match="The coefficients are not determined with lam = 0"):
        glm_exposure(twice, sigma=1.0, lam=0.0, loss="squared")
    alone = Dataset.from_arrays(np.column_stack([X, np.arange(20) == 6]), y)
    for loss, target in (("squared", y), ("poisson", np.arange(20.0) % 4)):
        with pytest.raises(dp.DataError, match="Without row 7 the coefficients are not determined"):
            glm_exposure(Dataset.from_arrays(alone.X, target), sigma=1.0, lam=0.0, loss=loss, exact=20)


def test_all_rows_exact_when_all_are_asked_for():
    found = glm_exposure(data("logistic", n=12), sigma=1.0, lam=1.0, exact=100)
    assert found.refitted.all()


def test_bad_input_is_a_sentence():
    ds = data("logistic")
    with pytest.raises(dp.ParameterError, match="rows must be whole numbers from 0 to 29"):
        glm_exposure(ds, sigma=1.0, lam=1.0, rows=[30])
    with pytest.raises(dp.ParameterError, match="sigma must be > 0"):
        ex_post(ds, np.zeros(3), sigma=0.0, lam=1.0)
    with pytest.raises(dp.ParameterError, match="X must have 3 columns"):
        ex_post_added(ds, np.zeros(3), np.zeros((2, 2)), np.zeros(2), sigma=1.0, lam=1.0)


@pytest.mark.parametrize("loss", FUNCTIONS)
def test_a_release_solves_the_perturbed_problem_and_carries_its_losses(loss):
    ds, lam, sigma = data(loss), 0.7, 0.9
    theta, found = released(ds, dp.ObjectivePerturbation(sigma, lam, lipschitz=1.0, smoothness=1.0, loss=loss), 5)
    noise = sigma * np.random.default_rng(5).standard_normal(3)
    gradient = ds.X.T @ FUNCTIONS[loss][1](ds.X @ theta, ds.y) + lam * theta + noise
    assert np.linalg.norm(gradient) < 1e-7
    assert found.loss == pytest.approx(ex_post(ds, theta, sigma=sigma, lam=lam, loss=loss).loss)


def test_leverage_and_one_step_of_logistic_regression_are_those_of_its_hessian():
    data, lam = random_data(5, 40, 3), 0.7
    y = np.where(data.y > 0, 1.0, -1.0)
    found = glm_exposure(Dataset.from_arrays(data.X, y), sigma=0.5, lam=lam, loss="logistic", exact=0)
    odds = 1 / (1 + np.exp(y * (data.X @ found.theta)))
    inverse = np.linalg.inv((data.X * (odds * (1 - odds))[:, None]).T @ data.X + lam * np.eye(3))
    leverage = odds * (1 - odds) * np.einsum("ij,jk,ik->i", data.X, inverse, data.X)
    np.testing.assert_allclose(found.leverage, leverage, rtol=1e-6)
    np.testing.assert_allclose(
        found.one_step, odds * np.linalg.norm(data.X @ inverse, axis=1) / (1 - leverage), rtol=1e-6
    )
