"""Realised losses against densities by change of variables; refits of GLMs against solutions from scratch."""

import mpmath
import numpy as np
import pytest
from scipy import stats

import dpcore as dp
from dpcore.data import Dataset
from dpcore.exhibits.per_instance.drawn_release import released
from dpcore.individual import ex_post
from tests.individual.oracles import precise_fit
from tests.oracles import LOSSES

FUNCTIONS = ("logistic", "poisson", "squared")


def data(loss, n=30, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) / 2
    y = {"logistic": np.sign(rng.normal(size=n)), "poisson": rng.poisson(1.0, n) * 1.0, "squared": rng.normal(size=n)}
    return Dataset.from_arrays(X, y[loss])


def log_density(loss, X, y, lam, sigma, theta):
    """log p(θ) of objective perturbation: the density of b(θ) = −∇J(θ) times |det ∂b/∂θ|, the Jacobian by differences."""
    slope = LOSSES[loss][1]

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


def hard_designs():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(24, 3))
    yield "plain", X, 0.3
    yield "n = d + 1", X[:4], 0.05
    yield "duplicate rows", np.repeat(X[:6], 4, axis=0), 0.2
    yield "high leverage", np.vstack([X[:20] / 50, [[4.0, -3.0, 5.0]]]), 0.01


@pytest.mark.parametrize(("loss", "clip"), [("logistic", None), ("poisson", None), ("logistic", 0.3)])
@pytest.mark.parametrize(("X", "lam"), [case[1:] for case in hard_designs()], ids=[case[0] for case in hard_designs()])
def test_refits_have_nine_digits_on_hard_designs(X, lam, loss, clip):
    ds = Dataset.from_arrays(X, data(loss, n=len(X)).y)
    mechanism = dp.OutputPerturbation(sigma=0.5, lam=lam, loss=loss, clip=clip)
    found = dp.individual_privacy(ds, mechanism, 1e-5).exact(range(len(X)))
    theta = precise_fit(loss, X, ds.y, lam, clip)
    for row in range(len(X)):
        other = precise_fit(loss, np.delete(X, row, 0), np.delete(ds.y, row), lam, clip)
        moved = float(np.sqrt(((theta - other) ** 2).sum()))
        epsilon = float(dp.Gaussian(sigma=0.5, sensitivity=moved).epsilon(1e-5))
        assert found.epsilon[row] == pytest.approx(epsilon, rel=1e-9, abs=1e-15)


def test_without_a_penalty_the_fit_must_be_determined():
    release = dp.OutputPerturbation(sigma=1.0, lam=0.0, loss="poisson")
    X, y = data("squared", n=20).X, np.arange(20.0) % 4
    twice = Dataset.from_arrays(np.column_stack([X, X[:, 0] - X[:, 1]]), y)
    with pytest.raises(dp.DataError, match="not determined with lam = 0"):
        dp.individual_privacy(twice, release)
    alone = Dataset.from_arrays(np.column_stack([X, np.arange(20) == 6]), y)
    with pytest.raises(dp.DataError, match="Without row 7 the coefficients are not determined"):
        dp.individual_privacy(alone, release).exact(6)


@pytest.mark.parametrize("loss", FUNCTIONS)
def test_a_release_solves_the_perturbed_problem_and_carries_its_losses(loss):
    ds, lam, sigma = data(loss), 0.7, 0.9
    theta, found = released(ds, dp.ObjectivePerturbation(sigma, lam, lipschitz=1.0, smoothness=1.0, loss=loss), 5)
    noise = sigma * np.random.default_rng(5).standard_normal(3)
    gradient = ds.X.T @ LOSSES[loss][1](ds.X @ theta, ds.y) + lam * theta + noise
    assert np.linalg.norm(gradient) < 1e-7
    assert found.loss == pytest.approx(ex_post(ds, theta, sigma=sigma, lam=lam, loss=loss).loss)
