import numpy as np
import pytest

import dpcore as dp
from dpcore.data import Dataset
from tests.individual.conftest import random_data
from tests.individual.oracles import precise_refit, ridge


def test_many_chunks_equal_one_pass():
    ds = random_data(3, 30_000, 9)
    lev = dp.leverage(ds, 2.0)
    H = ds.X.T @ ds.X + 2.0 * np.eye(9)
    np.testing.assert_allclose(lev.in_sample, np.einsum("ij,ij->i", ds.X @ np.linalg.inv(H), ds.X), rtol=1e-11)
    np.testing.assert_allclose(lev.residual, ds.y - ds.X @ ridge(ds.X, ds.y, 2.0), rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(lev.factor @ lev.factor.T, H, rtol=1e-12)
    np.testing.assert_allclose(lev.gram, ds.X.T @ ds.X, rtol=1e-12)


def deciding(size: float) -> Dataset:
    """One row of thirty as large as this."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 3))
    X[7] *= size
    return Dataset.from_arrays(X, rng.normal(size=30))


def nearly_collinear() -> Dataset:
    rng = np.random.default_rng(9)
    X = rng.normal(size=(50, 3))
    X[:, 2] = X[:, 0] + 1e-5 * rng.normal(size=50)
    return Dataset.from_arrays(X, rng.normal(size=50))


HARD = {  # data, λ, rows, and how close the residual comes
    **{
        f"a row of {size:g} decides the fit, λ = {lam:g}": (deciding(size), lam, (7, 0, 20), 1e-9)
        for size in (1e1, 1e3, 1e5, 1e8, 1e12)
        for lam in (0.0, 1.0)
    },
    **{f"one more row than columns, {seed}": (random_data(seed, 5, 4), 0.0, range(5), 1e-9) for seed in range(4)},
    **{
        f"{n} rows and {d} columns, λ = {lam:g}": (random_data(n + d, n, d), lam, range(0, n, 1 + n // 6), 1e-9)
        for n, d, lam in ((40, 1, 0.0), (60, 4, 1.0), (5, 8, 0.3), (1, 1, 2.0), (300, 5, 50.0))
    },
    "fewer rows than columns": (random_data(8, 6, 9), 1e-7, range(6), 1e-7),
    "nearly collinear columns": (nearly_collinear(), 0.0, range(0, 50, 7), 1e-9),
    "a row of zeros": (Dataset.from_arrays([[0.0, 0.0], [1.0, 0.5], [0.2, 0.9]], [0.4, 0.1, 0.2]), 1.0, range(3), 1e-9),
}


@pytest.mark.parametrize("case", HARD)
def test_hard_fits_against_refits_in_many_digits(case):
    ds, lam, rows, close = HARD[case]
    lev = dp.leverage(ds, lam)
    for row in rows:
        mu, r = precise_refit(ds.X, ds.y, lam, row)
        assert lev.out_of_sample[row] == pytest.approx(float(mu), rel=1e-9)
        assert lev.loo_residual[row] == pytest.approx(float(r), rel=close)
        assert lev.in_sample[row] == pytest.approx(float(mu / (1 + mu)), rel=1e-9)
        assert lev.residual[row] == pytest.approx(float(r / (1 + mu)), rel=close)


def test_columns_in_very_different_units():
    rng = np.random.default_rng(10)
    X = rng.normal(size=(40, 3))
    y = rng.normal(size=40)
    plain = dp.leverage(Dataset.from_arrays(X, y), 0.0)
    scaled = dp.leverage(Dataset.from_arrays(X * np.array([1e-9, 1.0, 1e9]), y), 0.0)
    np.testing.assert_allclose(scaled.in_sample, plain.in_sample, rtol=1e-11)
    np.testing.assert_allclose(scaled.loo_residual, plain.loo_residual, rtol=1e-10)


@pytest.mark.parametrize("lam", [-1.0, np.nan, np.inf, "1", True])
def test_a_penalty_that_is_no_number_is_refused(small, lam):
    with pytest.raises(dp.ParameterError, match="lam must be"):
        dp.leverage(small, lam)


X20 = np.random.default_rng(0).normal(size=(20, 2))
COLLINEAR = Dataset.from_arrays(np.column_stack([X20, X20[:, 0] - 2 * X20[:, 1]]), np.ones(20))
UNDETERMINED = [
    (COLLINEAR, 0.0, r"collinear.*larger lam"),
    (COLLINEAR, 1e-30, "working precision with lam = 1e-30"),
    (random_data(1, 3, 5), 0.0, "fewer rows than columns"),
    (Dataset.from_arrays([[1.0, 0.0], [2.0, 0.0]], [1.0, 2.0], names=["a", "b"]), 0.0, "Column 'b' is zero"),
    (Dataset.from_arrays([[1.0, 0.0], [2.0, 0.0], [0.5, 0.0], [0.3, 4.0]], np.ones(4)), 0.0,
     "Without row 4 the coefficients are not determined with lam = 0"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "lam", "sentence"), UNDETERMINED)
def test_coefficients_that_are_not_determined_are_refused(data, lam, sentence):
    with pytest.raises(dp.DataError, match=sentence):
        dp.leverage(data, lam)
    assert np.isfinite(dp.leverage(COLLINEAR, 1e-3).loo_residual).all()


def test_results_are_read_only_and_their_repr_shows_no_row(small):
    lev = dp.leverage(small, 1.0)
    assert repr(lev) == "Leverage(n_samples=60, n_features=3, lam=1.0)"
    with pytest.raises(ValueError, match="read-only"):
        lev.in_sample[0] = 0
