"""The generators: the model they state, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from dpcore.data import Domain, linear_gaussian, logistic_gaussian
from dpcore.errors import ParameterError
from tests.refusals import refuses


def test_linear_rows_lie_on_the_sphere_and_targets_are_clipped():
    made = linear_gaussian(400, 5, 0.5, np.random.default_rng(0))
    assert np.linalg.norm(made.dataset.X, axis=1) == pytest.approx(np.ones(400), rel=1e-14)
    assert np.linalg.norm(made.theta) == pytest.approx(1.0, rel=1e-14)
    assert np.abs(made.dataset.y).max() == 1.0
    assert made.dataset.domain == Domain(rows="normalize")


def test_linear_residuals_are_the_stated_noise():
    bare = linear_gaussian(50, 4, 0.0, np.random.default_rng(2))
    np.testing.assert_allclose(bare.dataset.y, bare.dataset.X @ bare.theta, rtol=1e-13, atol=1e-15)
    made = linear_gaussian(4000, 3, 0.05, np.random.default_rng(1))
    inside = np.abs(made.dataset.y) < 1
    residual = (made.dataset.y - made.dataset.X @ made.theta)[inside & (np.abs(made.dataset.X @ made.theta) < 0.7)]
    assert stats.kstest(residual / 0.05, "norm").pvalue > 1e-3
    cosine = made.dataset.X[:, 0]
    assert stats.kstest((cosine + 1) / 2, "uniform").pvalue > 1e-3


def test_labels_follow_the_logistic_model():
    made = logistic_gaussian(20_000, 2, 3.0, np.random.default_rng(4))
    assert set(made.dataset.y) == {-1.0, 1.0}
    chance = special.expit(3.0 * made.dataset.X @ made.theta)
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.0)):
        chosen = (chance >= low) & (chance < high)
        spread = np.sqrt((chance[chosen] * (1 - chance[chosen])).sum())
        assert abs((made.dataset.y[chosen] > 0).sum() - chance[chosen].sum()) < 4.5 * spread


def test_parameters_are_checked_the_generator_must_be_given_and_theta_must_fit():
    for arguments, message in (
        ((5, 0, 0.1), "n_features must"),
        ((5, 3, -0.1), "noise must"),
    ):
        refuses(ParameterError, message, linear_gaussian, *arguments, np.random.default_rng(0))
    refuses(ParameterError, r"rng must be a numpy\.random\.Generator", linear_gaussian, 5, 3, 0.1, 0)
