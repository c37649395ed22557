"""Third derivatives: of the losses, and how they bend the margin of a record, by differences of refitted objectives."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.glm.losses import LOSSES, Clipped
from dpcore.individual.fit.glm import GlmFit
from dpcore.individual.fit.third import third_moments
from tests.individual.oracles import precise_fit

RELEASE = dp.PosteriorSampling(gamma=1.0, lam=0.7, loss="logistic")


@pytest.mark.parametrize("name", LOSSES)
def test_third_derivatives_are_differences_of_the_second(name):
    loss = LOSSES[name]
    y = np.full(7, {"binary": -1.0, "count": 2.0, "numeric": 0.3}[loss.target.name])
    u, h = np.array([-2.1, -1.3, -0.55, 0.11, 0.6, 1.45, 2.2]), 1e-5
    for one in (loss, Clipped(loss, np.array(0.6))):
        expected = (one.second_derivative(u + h, y) - one.second_derivative(u - h, y)) / (2 * h)
        np.testing.assert_allclose(one.third_derivative(u, y), expected, atol=1e-7)
        assert bool(one.bend_rate) == loss.third_derivative(u, y).any()


def data():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 3)) * [1.0, 0.6, 0.3]
    return X, np.where(rng.random(30) < 1 / (1 + np.exp(-2 * X.sum(axis=1))), 1.0, -1.0)


def hessian(X, theta):
    p = 1 / (1 + np.exp(-X @ theta))
    return (X.T * (p * (1 - p))) @ X + 0.7 * np.eye(3)


def along(X, theta, x):
    """κ and ℓ at θ by moving it along H⁻¹x."""
    basis = np.linalg.qr(np.column_stack([x, np.eye(3)]))[0][:, 1:3]
    moved = np.linalg.solve(hessian(X, theta), x)
    h, step = x @ moved, 1e-4
    bends, volumes = [], []
    for sign in (-1, 1):
        H = hessian(X, theta + sign * step * moved / h)
        bends.append(1 / (x @ np.linalg.solve(H, x)))
        volumes.append(np.log(np.linalg.det(basis.T @ H @ basis)))
    return h * (bends[1] - bends[0]) / (2 * step), (volumes[1] - volumes[0]) / (2 * step)


def test_rows_are_bent_by_the_other_rows():
    X, y = data()
    fit = GlmFit.of(dp.Dataset.from_arrays(X, y), RELEASE)
    for row in (0, 11):
        expected = along(np.delete(X, row, axis=0), fit.theta, X[row])
        assert (fit.records.skew[row], fit.records.drift[row]) == pytest.approx(expected, rel=1e-5)


def test_records_that_join_are_bent_by_all_rows_and_noise_moves_them():
    X, y = data()
    fit = GlmFit.of(dp.Dataset.from_arrays(X, y), RELEASE)
    x = np.array([0.8, -0.3, 0.5])
    found = fit.added(np.vstack([x, np.zeros(3)]), np.ones(2))
    skew, drift = along(X, fit.theta, x)
    assert found.skew == pytest.approx([skew, 0.0], rel=1e-5)
    assert found.drift == pytest.approx([drift, 0.0], rel=1e-5)
    basis, step = np.linalg.qr(np.column_stack([x, np.eye(3)]))[0][:, 1:3], 1e-2
    fits = [[precise_fit("logistic", X, y, 0.7, b=side * step * e) for side in (1, 0, -1)] for e in basis.T]
    second = [x @ (up - 2 * here + down) / step**2 for up, here, down in fits]
    assert found.scatter == pytest.approx([-sum(second), 0.0], rel=1e-3)


def test_third_derivatives_of_many_clipped_rows_add_up():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(5_000, 20)), rng.choice([-1.0, 1.0], size=5_000)
    loss, theta = Clipped(LOSSES["logistic"], rng.uniform(0.2, 0.8, 5_000)), rng.normal(size=20)
    found = third_moments(loss, theta, X, y)
    assert found is not None
    weight = loss.third_derivative(X @ theta, y)
    np.testing.assert_allclose(found[3].reshape(20, 20)[1, 7], weight @ (X[:, 3] * X[:, 1] * X[:, 7]), atol=1e-9)
