"""Finite rows and iterations beside their limits, the cut, and rounds of recycling, by arithmetic of their own."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from dpcore.exhibits.noise_augmentation.pictures import path_picture, recycling_rounds, row_picture
from dpcore.exhibits.noise_augmentation.settings import SETTINGS, case_of
from dpcore.learners.napp import GaussianNoise, Regularizer, SphericalLaplace, Weighting
from tests.learners.napp.test_fixed_points import linear_data

STRENGTH, FLOOR = 0.4, 0.3
WEIGHTING = Weighting(Regularizer("lasso", STRENGTH), FLOOR, "moor")


def case(n=120):
    X, y = linear_data(n=n, p=16)
    return case_of("", SETTINGS["linear"], X, np.clip(y, -0.5, 0.5))


def ridges(problem, b, count):
    """θ of re-weighted ridges, from the normal equations."""
    weights, found = np.full(16, FLOOR), []
    for _ in range(count):
        theta = np.linalg.solve(problem.X.T @ problem.X + 2 * np.diag(weights), problem.X.T @ problem.y - b)
        weights = np.maximum(STRENGTH / (2 * np.maximum(np.abs(theta), 1e-200)), FLOOR)
        found.append(theta)
    return np.array(found)


def test_distances_to_the_limit_with_rows_and_without():
    one, noise = case(), GaussianNoise(0.05)
    b = 0.05 * np.random.default_rng(0).standard_normal(16)
    coarse, fine = (path_picture(one, WEIGHTING, noise, selection="none", rows=rows, limit=6) for rows in (40, 10_000))
    paths = ridges(one, b, 400)
    np.testing.assert_allclose(fine.noise, b)
    np.testing.assert_allclose(fine.apart_without, np.linalg.norm(paths[:6] - paths[-1], axis=1), rtol=1e-3, atol=1e-4)
    assert fine.apart_without[-1] < fine.apart_without[0]
    assert np.mean(fine.apart[-3:]) < np.mean(coarse.apart[-3:]) / 3
    theta = fine.trace.theta
    held = theta != 0
    np.testing.assert_allclose(fine.alone[held], STRENGTH / np.abs(theta[held]))
    assert np.isinf(fine.alone[~held]).all()


@pytest.mark.parametrize("t", [1, 2])
def test_appended_rows_carry_the_noise_and_their_squares_the_weights(t):
    """−Σ yᵢeᵢ = b and Σ eᵢⱼ² ≈ 2mⱼ; with four times the rows the fit is half as far from its limit."""
    one = case()
    shown = row_picture(one, WEIGHTING, GaussianNoise(0.05), rows=200, t=t)
    b = 0.05 * np.random.default_rng(0).standard_normal(16)
    (theta,) = ridges(one, b, 1)
    weights = np.maximum(STRENGTH / (2 * np.abs(theta)), FLOOR) if t == 2 else np.full(16, FLOOR)
    y, rows = shown.table["y"].to_numpy(), shown.table.drop(columns="y").to_numpy()
    np.testing.assert_allclose(-y @ rows, b, atol=1e-12)
    assert shown.carried < 1e-12
    found = (rows**2).sum(axis=0) / (2 * weights)
    assert np.mean(found) == pytest.approx(1.0, abs=0.15)
    assert np.abs(found - 1).max() < 0.6
    assert (shown.spread, shown.slope) == (np.abs(rows).max(), pytest.approx(-0.5, abs=0.1))
    assert shown.distance[2] < shown.here < shown.distance[1]
    for place in (0, -1):  # the data are drawn from the first to the last
        np.testing.assert_array_equal(shown.data[place], one.X[place, :2])
        assert shown.data_y[place] == one.y[place]


@pytest.mark.parametrize("noise", [GaussianNoise(2.0), SphericalLaplace(1.0)])
def test_no_entry_of_the_noise_lies_below_the_cut(noise):
    deviation = 2.0 if isinstance(noise, GaussianNoise) else np.sqrt(17.0)
    options = {"selection": "vs", "rows": None, "limit": 2, "seed": 3}
    whole, cut = (path_picture(case(), WEIGHTING, noise, cut=at, **options) for at in (-np.inf, -1.0))
    assert whole.noise.min() < -deviation
    assert cut.cut == pytest.approx(-deviation)
    assert -deviation < cut.noise.min() < 0


def test_a_round_of_recycling_by_hand():
    """Δ = (1−r)ε (1 − Λ₀/min m); b shrinks by rε/(rε + Δ), and the budget never passes ε."""
    one, epsilon = case(), 0.8
    strong = Weighting(Regularizer("lasso", 1.0), 0.05, "moor")
    found = recycling_rounds(one, strong, GaussianNoise(0.05), epsilon, rounds=3)
    lasso = Lasso(alpha=1.0 / len(one.y), fit_intercept=False, tol=1e-14, max_iter=10**6).fit(one.X, one.y).coef_
    assert found.budget[0] == pytest.approx(0.4)
    first = path_picture(one, strong, GaussianNoise(0.05), selection="none", rows=None, limit=3000).limit
    smallest = max(1.0 / (2 * np.abs(first).max()), 0.05)
    assert found.distance[0] == pytest.approx(np.linalg.norm(first - lasso), rel=1e-4)
    assert found.budget[1] == pytest.approx(0.4 + 0.4 * (1 - 0.05 / smallest), rel=1e-6)
    assert np.all(np.diff(found.budget) >= -1e-12)
    assert found.budget[-1] <= epsilon + 1e-12
