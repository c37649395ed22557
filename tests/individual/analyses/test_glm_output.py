"""Output perturbation of any GLM by one step: closed forms of the squared loss, and refits."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore as dp
from dpcore.individual.analyses.glm_output import OutputExpansion
from dpcore.individual.analyses.output_perturbation import GaussianOutput
from dpcore.individual.fit.glm import GlmFit
from dpcore.individual.fit.leverage import leverage
from dpcore.profiles import Bound
from tests.individual.analyses.test_glm_posterior import linear
from tests.individual.conftest import labelled

SHAPES = ["identity", "gram", "gram_squared", ((2.0, 0.3, 0.0), (0.3, 1.0, 0.1), (0.0, 0.1, 4.0))]


@pytest.mark.parametrize("shape", SHAPES, ids=["identity", "gram", "gram_squared", "matrix"])
def test_of_the_squared_loss_it_is_the_closed_form(shape):
    dataset, _ = linear()
    mechanism = dp.OutputPerturbation(sigma=0.7, lam=0.4, shape=shape)
    fit, lever = GlmFit.of(dataset, mechanism), leverage(dataset, 0.4)
    found, known = (
        kind.of_rows(mechanism, dataset, at) for kind, at in ((OutputExpansion, fit), (GaussianOutput, lever))
    )
    np.testing.assert_allclose(found.shift, known.shift, rtol=1e-9)
    X, y = np.array([[3.0, -1.0, 2.0], [0.0, 0.0, 0.0]]), np.array([-4.0, 2.0])
    added = OutputExpansion.of_added(mechanism, fit, X, y).shift
    np.testing.assert_allclose(added, GaussianOutput.of_added(mechanism, lever, X, y).shift, rtol=1e-9)


def test_all_rows_are_one_step_and_the_step_is_measured_on_exact_rows():
    dataset, seen = labelled(1, 200, 3), []
    result = dp.individual_privacy(dataset, dp.OutputPerturbation(sigma=0.2, lam=1.0, loss="logistic"), 1e-6)
    theta, X = result.leverage.theta, dataset.X
    odds = 1 / (1 + np.exp(dataset.y * (X @ theta)))
    inverse = np.linalg.inv((X * (odds * (1 - odds))[:, None]).T @ X + np.eye(3))
    left = 1 - odds * (1 - odds) * np.einsum("ij,jk,ik->i", X, inverse, X)
    np.testing.assert_allclose(
        result.exposures.shift, odds * np.linalg.norm(X @ inverse, axis=1) / left / 0.2, rtol=1e-6
    )
    assert result.profile(0).bound is Bound.ESTIMATE
    found = result.exact([3, 50, 199], progress=seen.append)
    assert (found.error < 1e-6).all()
    assert found.expansion_error == pytest.approx(np.abs(result.epsilon[found.rows] / found.epsilon - 1).max())
    assert 1e-4 < found.expansion_error < 0.05
    assert seen == [0.0, 1 / 3, 2 / 3]


@pytest.mark.parametrize(("n", "d", "delta"), [(1, 2, 1e-6), (3, 5, 1e-6), (50, 3, 1e-300)])
def test_extremes(n, d, delta):
    dataset = labelled(1, 50, d)
    some = dp.Dataset.from_arrays(dataset.X[:n], dataset.y[:n])
    result = dp.individual_privacy(some, dp.OutputPerturbation(sigma=0.3, lam=1.0, loss="logistic"), delta)
    found = result.exact(0)
    assert found.epsilon[0] > 0
    assert found.epsilon[0] == pytest.approx(result.epsilon[0], rel=0.1)
