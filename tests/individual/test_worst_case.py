import itertools

import numpy as np
import pytest

import dpcore as dp
from dpcore.glm.losses import Huber
from dpcore.individual.analyses.posterior_sampling import PosteriorSample
from dpcore.mechanisms.output_perturbation import largest_change
from tests.individual.oracles import ridge

SETTINGS = [
    (1.0, 1.0, 1.0, 50), (0.01, 1.0, 1.0, 200), (30.0, 2.0, 0.5, 5), (500.0, 0.5, 3.0, 40), (1e-4, 1.5, 2.0, 9),
    (2.0, 1.0, 1.0, 1), (3.0, 1.0, 1.0, 0),
]  # fmt: skip
GAMMAS_AND_DELTAS = [*itertools.product((1e-3, 1.0), (1e-9, 1e-3))]


def random_pairs(seed, lam, row_norm, target_bound, n, count=300):
    """Random data sets and records of the domain, aligned ones among them: (X, y, x, t)."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        d = int(rng.integers(1, 4))
        w = rng.normal(size=d)
        w /= np.linalg.norm(w)
        if k % 3:  # equal rows of the length that hurts, up to a random factor
            length = min(row_norm, np.sqrt(lam / max(n, 1)) * 10 ** rng.uniform(-1.5, 1.5))
            X, y = np.tile(length * w, (n, 1)), np.full(n, target_bound)
            x = row_norm * (w if k % 2 else _unit(w + 0.5 * rng.normal(size=d))) * rng.uniform(0.2, 1) ** (k % 5 == 0)
        else:
            X = rng.normal(size=(n, d))
            X *= row_norm * rng.uniform(size=(n, 1)) / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)
            y = target_bound * np.sign(X @ w) * rng.uniform() ** (k % 2)
            x = row_norm * _unit(rng.normal(size=d)) * rng.uniform()
        theta = ridge(X, y, lam)
        yield X, y, x, -target_bound if x @ theta > 0 else target_bound


def _unit(v):
    return v / np.linalg.norm(v)


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_data_set_moves_the_estimate_farther_or_shows_a_record_more(setting):
    lam, *domain, n = setting
    moved, mu, residual = [], [], []
    for X, y, x, t in random_pairs(1, *setting):
        theta = ridge(X, y, lam)
        moved.append(np.linalg.norm(ridge(np.vstack([X, x]), np.append(y, t), lam) - theta))
        mu.append(x @ np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), x))
        residual.append(abs(t - x @ theta))
    assert 0.6 * largest_change(*setting) <= max(moved) <= largest_change(*setting) * (1 + 1e-12)
    for gamma, delta in GAMMAS_AND_DELTAS:
        worst = dp.PosteriorSampling(gamma=gamma, lam=lam).worst_case(dp.Domain(*domain), n)
        assert worst.bound is dp.Bound.EXACT
        highest = PosteriorSample(np.array(mu), np.sqrt(gamma) * np.array(residual)).epsilon(np.log(delta)).max()
        assert 0.4 * worst.epsilon(delta) <= highest <= worst.epsilon(delta) * (1 + 1e-9)


@pytest.mark.parametrize("setting", SETTINGS)
def test_equal_rows_in_one_dimension_are_as_bad(setting):
    """A dense grid over the length of n equal rows and of the record reaches the bounds and does not pass them."""
    lam, row_norm, target_bound, n = setting
    length = np.concatenate([[0.0], np.geomspace(1e-6, row_norm, 3_000)])[:, None]
    x = np.geomspace(1e-4, row_norm, 1_500)
    h = n * length**2 + lam
    theta = n * length * target_bound / h
    with_record = (n * length * target_bound - x * target_bound) / (h + x * x)
    moved = np.abs(with_record - theta).max()
    assert (1 - 2e-5) * largest_change(*setting) <= moved <= largest_change(*setting) * (1 + 1e-12)
    mu, residual = row_norm**2 / h[:, 0], target_bound + row_norm * theta[:, 0]
    for gamma, delta in GAMMAS_AND_DELTAS:
        worst = dp.PosteriorSampling(gamma=gamma, lam=lam).worst_case(dp.Domain(row_norm, target_bound), n)
        highest = PosteriorSample(mu, np.sqrt(gamma) * residual).epsilon(np.log(delta)).max()
        assert (1 - 2e-5) * worst.epsilon(delta) <= highest <= worst.epsilon(delta) * (1 + 1e-9)


LINE = Huber(threshold=0.05)  # within reach of the release the loss of a record with target 1 is a line of this slope


@pytest.mark.parametrize(
    "mechanism", [dp.PosteriorSampling(gamma=0.08**-2, lam=1.0, loss=LINE), dp.OutputPerturbation(0.08, 1.0, loss=LINE)]
)
def test_one_record_of_linear_loss_attains_the_worst_case(mechanism):
    dataset = dp.Dataset.from_arrays([[1.0]], [1.0], domain=dp.Domain())
    result = dp.individual_privacy(dataset, mechanism, 1e-4)
    found = result.exact(0).epsilon[0]
    assert found == pytest.approx(result.worst_case_epsilon, rel=1e-6)
    assert found == pytest.approx(result.epsilon[0], rel=1e-9)
    assert found > 1


def test_matrix_shape_scales_by_its_largest_eigenvalue():
    domain = dp.Domain()
    plain = dp.OutputPerturbation(sigma=1.0, lam=1.0).worst_case(domain, 30)
    shaped = dp.OutputPerturbation(sigma=1.0, lam=1.0, shape=[[2.0, 1.0], [1.0, 2.0]]).worst_case(domain, 30)
    assert shaped.shift == pytest.approx(np.sqrt(3.0) * plain.shift, rel=1e-12)


def test_no_guarantee_without_regularisation(small):
    for mechanism in (dp.PosteriorSampling(gamma=1.0, lam=0.0), dp.OutputPerturbation(sigma=1.0, lam=0.0)):
        with pytest.raises(dp.UnsupportedError, match=r"lam = 0.*no worst-case guarantee"):
            mechanism.worst_case(dp.Domain(), 10)
        with pytest.raises(dp.UnsupportedError):
            _ = dp.individual_privacy(small, mechanism).worst_case_epsilon


@pytest.mark.parametrize("n", [-1, 1.5, True, None])
def test_n_must_be_a_number_of_rows(n):
    for mechanism in (dp.PosteriorSampling(gamma=1.0, lam=1.0), dp.OutputPerturbation(sigma=1.0, lam=1.0)):
        with pytest.raises(dp.ParameterError, match="n must be"):
            mechanism.worst_case(dp.Domain(), n)
