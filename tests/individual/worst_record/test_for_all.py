import numpy as np
import pytest

import dpcore as dp
from dpcore.data import Dataset
from dpcore.individual.analyses.output_perturbation import GaussianOutput
from dpcore.individual.analyses.posterior_sampling import PosteriorSample
from dpcore.individual.exposure import ANALYSES
from dpcore.mechanisms.objective_perturbation.linear_regression import objective_of
from tests.individual.conftest import random_data

MECHANISMS = [
    *(dp.PosteriorSampling(gamma, lam) for gamma, lam in ((1.0, 0.5), (1e-4, 0.01), (50.0, 30.0))),
    *(dp.OutputPerturbation(0.1, lam) for lam in (0.5, 0.01)),
    *(dp.OutputPerturbation(0.1, lam, shape) for lam, shape in ((0.5, "gram"), (0.01, "gram_squared"))),
]


def exposure(mechanism, ds, X, delta):
    """ε of many added records with the least suitable y, from H by `inv`."""
    H = np.linalg.inv(ds.X.T @ ds.X + mechanism.lam * np.eye(ds.n_features))
    theta = H @ ds.X.T @ ds.y
    mu = np.einsum("ij,jk,ik->i", X, H, X)
    r = ds.domain.target_bound + np.abs(X @ theta)
    if isinstance(mechanism, dp.PosteriorSampling):
        return PosteriorSample(mu, np.sqrt(mechanism.gamma) * r).epsilon(np.log(delta))
    gram = ds.X.T @ ds.X
    A = {"identity": np.eye(len(H)), "gram": gram, "gram_squared": gram @ gram}[mechanism.shape]
    moved = np.sqrt(np.einsum("ij,jk,ik->i", X @ H, A, X @ H)) * r / (1 + mu)
    return GaussianOutput(moved / mechanism.sigma).epsilon(np.log(delta))


def ball(d, row_norm, seed=0):
    """A dense set of records in the ball: a grid for d ≤ 2, directions times lengths for d = 3."""
    if d == 1:
        return np.linspace(-row_norm, row_norm, 20_001)[:, None]
    if d == 2:
        angle, length = np.meshgrid(np.linspace(0, 2 * np.pi, 721), row_norm * np.linspace(0.01, 1, 60))
        return np.column_stack([(length * np.cos(angle)).ravel(), (length * np.sin(angle)).ravel()])
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40_000, d))
    return row_norm * X / np.linalg.norm(X, axis=1, keepdims=True) * np.minimum(1, 1.3 * rng.uniform(size=(40_000, 1)))


def check(mechanism, ds, X, *, near):
    delta = 1e-5
    result = dp.individual_privacy(ds, mechanism, delta=delta)
    found = result.for_all
    best = exposure(mechanism, ds, X, delta).max()
    assert np.linalg.norm(found.x) <= ds.domain.row_norm * (1 + 1e-12)
    assert abs(found.y) == ds.domain.target_bound
    assert best * (1 - 1e-6) <= found.epsilon <= min(best * (1 + near), found.upper * (1 + 1e-12))
    again = result.what_if(found.x, found.y)
    expected = pytest.approx((found.epsilon, found.leverage, found.residual), rel=1e-9)
    assert (again.epsilon, again.leverage, again.residual) == expected


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize(("d", "near"), [(1, 1e-6), (2, 2e-3), (3, 2e-2)])
def test_no_record_of_a_dense_search_is_more_exposed(mechanism, d, near):
    ds = random_data(20 + d, 25, d, domain=dp.Domain(row_norm=1.0, target_bound=1.0))
    check(mechanism, ds, ball(d, 1.0), near=near)


ALONG = np.array([[0.9, 0.0], [0.8, 0.0], [0.0, 0.3], [0.0, -0.3], [0.9, 0.0]])
HARD = {
    # leverage above one, so that the worst record can lie inside the ball
    "few rows and a large ball": random_data(5, 3, 2, domain=dp.Domain(row_norm=6.0, target_bound=2.0)),
    # θ̂ has no component along the smallest eigenvector of H
    "orthogonal to the weakest direction": Dataset.from_arrays(ALONG, [0.9, 0.7, 0.2, 0.2, 0.8], domain=dp.Domain()),
    "zero": Dataset.from_arrays([[0.5, 0.1], [0.2, -0.8], [0.3, 0.3]], np.zeros(3), domain=dp.Domain()),
}


@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize("mechanism", MECHANISMS[:5], ids=repr)
def test_hard_estimates(mechanism, case):
    ds = HARD[case]
    check(mechanism, ds, ball(2, ds.domain.row_norm), near=3e-3)


@pytest.mark.parametrize("mechanism", [*MECHANISMS, objective_of(0.5, 0.5)], ids=repr)
def test_the_upper_bound_is_attained_with_one_feature_and_no_signal(mechanism):
    """θ̂ = 0, and the ball holds the record whose leverage suits it best."""
    ds = Dataset.from_arrays([[0.9], [0.5], [-0.7]], np.zeros(3), domain=dp.Domain(row_norm=7.0))
    found = dp.individual_privacy(ds, mechanism, delta=1e-5).for_all
    fit, domain = dp.leverage(ds, mechanism.lam), dp.Domain(7.0, 1.0)
    upper = ANALYSES.find(mechanism).corner(mechanism, fit, domain, float(np.log(1e-5)))
    assert (upper, found.upper) == pytest.approx((found.epsilon, found.epsilon), rel=1e-9)


def test_a_domain_is_needed():
    result = dp.individual_privacy(random_data(1, 20, 2), dp.PosteriorSampling(gamma=1.0, lam=1.0))
    for name in ("for_all", "worst_case", "worst_case_epsilon"):
        with pytest.raises(dp.ParameterError, match="needs the public domain"):
            getattr(result, name)
    given = dp.individual_privacy(result.dataset, result.mechanism, domain=dp.Domain(2.0, 1.0))
    assert given.for_all.epsilon > result.epsilon.max()
