"""Expected scores against drawn releases: objectives minimised again for each noise, posteriors summed up on a grid."""

import numpy as np
import pytest
from scipy import special

import dpcore as dp
from dpcore.glm import solve_batch
from dpcore.individual.analyses.accuracy import accuracy
from dpcore.individual.exposure import analysis_of
from tests.individual.conftest import in_ball
from tests.oracles import LOSSES

LAM, ROWS, DRAWS = 1.0, 120, 3_000
SCORES = {
    "squared": lambda u, y: np.sqrt(((u - y[:, None]) ** 2).mean(axis=0)),
    "logistic": lambda u, y: ((u > 0) == (y > 0)[:, None]).mean(axis=0),
    "poisson": lambda u, y: 2 * (special.xlogy(y, y)[:, None] - y[:, None] - y[:, None] * u + np.exp(u)).mean(axis=0),
}


def data(loss):
    rng = np.random.default_rng(5)
    X = in_ball(rng.normal(size=(ROWS, 2)))
    u = X @ [3.0, -2.0]
    targets = {
        "squared": u + 0.5 * rng.standard_t(2, size=ROWS),
        "logistic": np.where(rng.random(ROWS) < special.expit(u), 1.0, -1.0),
        "poisson": rng.poisson(np.exp(0.4 * u)).astype(float),
    }
    return X, targets[loss]


def minimisers(X, y, loss, b):
    """θ (2, n_draws) with ∇J(θ) = −b."""
    return solve_batch(dp.Problem(loss, X, y, lam=LAM), b.T, 1e-7).theta.T


def on_a_grid(X, y, loss, gamma):
    """Points θ and their masses under e^{−γJ}."""
    f = LOSSES[loss][0]
    centre, half = minimisers(X, y, loss, np.zeros((2, 1))), 12 / np.sqrt(gamma * LAM)
    while True:
        side = np.linspace(-half, half, 161)
        theta = centre + np.stack([part.ravel() for part in np.meshgrid(side, side)])
        J = f(X @ theta, y[:, None]).sum(axis=0) + LAM / 2 * (theta**2).sum(axis=0)
        mass = np.exp(-gamma * (J - J.min()))
        reach = 1.05 * np.abs(theta - centre)[:, mass > 1e-12].max()
        if reach > 0.7 * half:
            return theta, mass / mass.sum()
        half = reach


def truth(X, y, loss, release, level):
    if release == "objective":
        b = level * np.random.default_rng(1).normal(size=(2, DRAWS))
        drawn, mass = minimisers(X, y, loss, b), np.full(DRAWS, 1 / DRAWS)
    else:
        drawn, mass = on_a_grid(X, y, loss, level**-2)
    score = SCORES[loss](X @ drawn, y)
    return np.sqrt(mass @ score**2) if loss == "squared" else mass @ score


@pytest.mark.parametrize(
    ("release", "loss", "level", "tolerance"),
    [
        ("posterior", "squared", 1.0, 0.005), ("objective", "squared", 10.0, 0.02), ("posterior", "logistic", 30.0, 0.02),
        ("objective", "logistic", 0.3, 0.001), ("objective", "logistic", 10.0, 0.02), ("posterior", "poisson", 3.0, 0.01),
        ("objective", "poisson", 0.3, 0.005), ("objective", "poisson", 10.0, 0.03),
    ],
)  # fmt: skip
def test_expected_score_is_that_of_drawn_releases(release, loss, level, tolerance):
    """Accuracies to `tolerance`, root mean squared errors and deviances to as much of their value."""
    X, y = data(loss)
    kind, noise = {"posterior": (dp.PosteriorSampling, -2), "objective": (dp.ObjectivePerturbation, 1)}[release]
    mechanism = kind(level**noise, LAM, loss=loss)
    fit = analysis_of(mechanism).fit(mechanism, dp.Dataset.from_arrays(X, y))
    found = accuracy(mechanism, fit, X, y)
    scale = 1.0 if loss == "logistic" else found.value
    assert found.value == pytest.approx(truth(X, y, loss, release, level), abs=tolerance * scale)
    assert found.fit == pytest.approx(SCORES[loss]((X @ fit.theta)[:, None], y)[0])
    in_the_file = accuracy(mechanism, fit, X, y, unit=5.0).value
    assert in_the_file == pytest.approx((5.0 if loss == "squared" else 1.0) * found.value)


def test_output_perturbation_is_exact():
    X, y = data("logistic")
    mechanism = dp.OutputPerturbation(2.0, LAM, loss="logistic")
    fit = analysis_of(mechanism).fit(mechanism, dp.Dataset.from_arrays(X, y))
    drawn = fit.theta[:, None] + 2.0 * np.random.default_rng(2).normal(size=(2, 40_000))
    score = SCORES["logistic"](X @ drawn, y)
    assert accuracy(mechanism, fit, X, y).value == pytest.approx(score.mean(), abs=4 * score.std() / 200)
