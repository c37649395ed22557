import mpmath as mp
import numpy as np
import pytest

import dpcore as dp
from dpcore.data import Dataset
from dpcore.individual.analyses.output_perturbation import GaussianOutput
from tests.individual.oracles import refit_without
from tests.oracles import gaussian_log_delta


@pytest.mark.parametrize("size", [1e3, 1e8])
def test_shift_of_a_row_that_decides_the_fit(size):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(20, 2))
    X[4] *= size
    ds = Dataset.from_arrays(X, rng.normal(size=20))
    result = dp.individual_privacy(ds, dp.OutputPerturbation(sigma=1.0, lam=1.0))
    with mp.workdps(60):
        A, t = mp.matrix(X.tolist()), mp.matrix(ds.y.tolist())
        rest, t_rest = mp.matrix(np.delete(X, 4, 0).tolist()), mp.matrix(np.delete(ds.y, 4).tolist())
        step = mp.lu_solve(A.T * A + mp.eye(2), A.T * t) - mp.lu_solve(rest.T * rest + mp.eye(2), rest.T * t_rest)
        shift = float(mp.norm(step))
    assert result.profile(4).shift == pytest.approx(shift, rel=1e-9)


@pytest.mark.parametrize("log10_delta", [-300, -30, -6, -1, -0.05])
def test_epsilon_is_that_of_50_digits(log10_delta):
    log_delta = float(mp.mpf(log10_delta) * mp.log(10))
    low = 1e-9 if log10_delta < -10 else 1e-2
    shift = np.exp(np.random.default_rng(12).uniform(np.log(low), np.log(300.0), 12))
    epsilon = GaussianOutput(shift).epsilon(log_delta)
    for found, one in zip(epsilon, shift, strict=True):
        slack = 1e-9 * found + 1e-11 * one
        assert gaussian_log_delta(found + slack, 1.0, one) <= log_delta
        assert found == 0 or gaussian_log_delta(found - slack, 1.0, one) >= log_delta


def test_published_bound_is_never_below_the_exact_value():
    shift = np.geomspace(1e-6, 10.0, 400)
    rows = GaussianOutput(shift)
    for delta in (1e-300, 1e-12, 1e-6, 1e-2, 0.3, 0.9):
        bound, exact = rows.bound_epsilon(np.log(delta)), rows.epsilon(np.log(delta))
        assert (bound >= exact).all()
        assert np.isfinite(bound).any() or delta == 1e-300
        assert (bound[np.isfinite(bound)] <= 1).all()
    for epsilon in (0.0, 0.01, 0.5, 1.0, 3.0):
        assert (rows.bound_log_delta(np.array(epsilon)) >= rows.log_delta(np.array(epsilon))).all()


def test_bound_formula(small):
    mechanism = dp.OutputPerturbation(sigma=2.0, lam=1.0)
    result = dp.individual_privacy(small, mechanism, delta=1e-5, method="bound")
    refits = refit_without(small.X, small.y, 1.0, 3)
    shift = np.linalg.norm(refits.theta_with - refits.theta_without) / 2.0
    assert result.epsilon[3] == pytest.approx(shift * np.sqrt(2 * np.log(1.25e5)), rel=1e-9)
    assert result.delta_at(result.epsilon)[3] == pytest.approx(1e-5, rel=1e-9)


def test_gram_shapes_say_what_they_are_and_refuse_a_worst_case(small):
    for shape in ("gram", "gram_squared"):
        result = dp.individual_privacy(small, dp.OutputPerturbation(sigma=1.0, lam=1.0, shape=shape))
        assert "not a privacy guarantee" in result.caveat
        assert result.for_all.epsilon >= result.what_if([0.3, 0.4, 0.5], -1.0).epsilon
        with pytest.raises(dp.UnsupportedError, match="no worst case for shape"):
            _ = result.worst_case
    assert dp.individual_privacy(small, dp.OutputPerturbation(sigma=1.0, lam=1.0)).caveat == ""


def test_singular_gram_shape_is_refused():
    X = np.random.default_rng(0).normal(size=(20, 2))
    for third in (X.sum(axis=1), np.zeros(20)):
        ds = Dataset.from_arrays(np.column_stack([X, third]), np.ones(20))
        for shape in ("gram", "gram_squared"):
            with pytest.raises(dp.DataError, match="collinear"):
                dp.individual_privacy(ds, dp.OutputPerturbation(sigma=1.0, lam=1.0, shape=shape))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("round", "shape must be one of"),
        (np.ones((2, 3)), "square matrix"),
        (np.array([[1.0, 0.5], [0.0, 1.0]]), "symmetric"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "positive definite"),
    ],
)
def test_shapes_that_are_refused(shape, message):
    with pytest.raises(dp.ParameterError, match=message):
        dp.OutputPerturbation(sigma=1.0, lam=1.0, shape=shape)


def test_a_singular_shape_is_refused_whatever_rounding_makes_of_its_eigenvalue_and_units_do_not_matter():
    rng = np.random.default_rng(0)
    for size in np.repeat([2, 3, 5], 20):
        rows = rng.normal(size=(size - 1, size))
        with pytest.raises(dp.ParameterError, match="positive definite"):
            dp.OutputPerturbation(sigma=1.0, lam=1.0, shape=rows.T @ rows)
    for shape in (np.diag([1.0, 1e-40]), np.array([[1e40, 0.5e20], [0.5e20, 1.0]])):
        root = dp.OutputPerturbation(sigma=1.0, lam=1.0, shape=shape).root(np.eye(2))
        np.testing.assert_allclose(root.T @ root, shape, rtol=1e-12)


def test_a_matrix_of_the_wrong_size_is_refused(small):
    with pytest.raises(dp.ParameterError, match="shape must be 3 × 3"):
        dp.individual_privacy(small, dp.OutputPerturbation(sigma=1.0, lam=1.0, shape=np.eye(2)))
