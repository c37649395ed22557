"""What every per-instance analysis must satisfy; each check takes a release of linear regression and fails on its own.

The truth is the law of the release: refits with and without a row, their two normal laws from `GlmRelease.spread`, and the
textbook divergence of multivariate normal laws. A new entry of `ANALYSES` and `RELEASES` needs nothing here.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import dpcore as dp
from dpcore.data import Dataset
from dpcore.data.stream.recipe import Block
from dpcore.individual import ANALYSES, leverage
from dpcore.individual.fit.leverage import ridge_fit
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.passes.blocks import Moments, row_values
from dpcore.individual.rows.group_privacy import group_privacy
from dpcore.mechanisms import GlmRelease
from tests.contracts import exposures
from tests.contracts.exposures import EPSILONS, LOG_DELTA, linear_data, refused, rows_of, same
from tests.individual.oracles import normal_divergence

ORDERS = (1.5, 3.0)


def law(mechanism: GlmRelease, X: np.ndarray, y: np.ndarray, gram: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the release, solved from scratch; `gram` is what the shape of the noise may look at."""
    hessian = X.T @ X + mechanism.lam * np.eye(X.shape[1])
    theta = np.linalg.solve(hessian, X.T @ y)
    fit = SimpleNamespace(theta=theta, factor=np.linalg.cholesky(hessian), gram=gram)
    root = mechanism.spread(fit, np.eye(len(theta)))
    return theta, root @ root.T


def without(dataset: Dataset, row: int) -> Dataset:
    """All rows but one."""
    return Dataset.from_arrays(np.delete(dataset.X, row, 0), np.delete(dataset.y, row), domain=dataset.domain)


def check_rows_read_in_pieces_are_those_in_memory(mechanism: GlmRelease) -> None:
    dataset, total = linear_data(), Moments()
    pieces = [slice(0, 5), slice(5, 6), slice(6, None)]
    blocks = [Block(dataset.X[part], dataset.y[part], dataset.row_labels[part]) for part in pieces]
    for block in blocks:
        total.add(block)
    fit = ridge_fit(dataset.names, total.gram, total.moment, mechanism.lam, lambda: None)
    found = np.concatenate([row_values(fit, block, mechanism, LOG_DELTA)[0]["epsilon"] for block in blocks])
    same(found, dp.individual_privacy(dataset, mechanism, 1e-5).epsilon, rtol=1e-8)


def check_a_share_of_the_noise_scales_the_law(mechanism: GlmRelease) -> None:
    X, y = linear_data().X, linear_data().y
    for share in (0.25, 3.0):
        found = law(mechanism.with_noise(share), X, y, X.T @ X)[1]
        same(found, share**2 * law(mechanism, X, y, X.T @ X)[1], rtol=1e-12)


def check_divergences_are_those_of_refits(mechanism: GlmRelease) -> None:
    """Rows' Rényi divergences, and those of their δ(ε) curves, against both laws in all dimensions, in each direction."""
    dataset = linear_data()
    rows, gram = rows_of(mechanism, dataset), dataset.X.T @ dataset.X
    present = law(mechanism, dataset.X, dataset.y, gram)
    for row in (0, 9):
        rest = without(dataset, row)
        absent = law(mechanism, rest.X, rest.y, gram)
        for direction, pair in (("add", (absent, present)), ("remove", (present, absent))):
            expected = [normal_divergence(alpha, *pair) for alpha in ORDERS]
            same(rows.take([row]).renyi(ORDERS, direction)[0], expected, rtol=1e-7)
            curve = rows.profile(row).renyi(np.array(ORDERS), direction=direction)
            same(curve, expected, rtol=1e-5)


def check_a_row_is_what_it_would_add(mechanism: GlmRelease) -> None:
    if mechanism.shaped_by_data:
        return
    dataset = linear_data()
    epsilon = dp.individual_privacy(dataset, mechanism, 1e-5).epsilon
    for row in (0, 3):
        found = dp.individual_privacy(without(dataset, row), mechanism, 1e-5).what_if(dataset.X[row], dataset.y[row])
        assert found.epsilon == pytest.approx(epsilon[row], rel=1e-8)


def check_the_published_bound_is_above_or_refused(mechanism: GlmRelease) -> None:
    exact = dp.individual_privacy(linear_data(), mechanism)
    if refused(lambda: dp.individual_privacy(linear_data(), mechanism, method="bound")):
        return
    bound = dp.individual_privacy(linear_data(), mechanism, method="bound")
    assert (bound.epsilon >= exact.epsilon * (1 - 1e-12)).all()
    for epsilon in EPSILONS:
        assert (bound.log_delta_at(epsilon) >= exact.log_delta_at(epsilon) - 1e-9).all()


def check_records_along_an_axis(mechanism: GlmRelease) -> None:
    """`along` in one dimension, where every record lies along the only axis."""
    shape = getattr(mechanism, "shape", "identity")
    one = replace(mechanism, shape="identity") if shape != "identity" else mechanism
    kind, fit = ANALYSES.find(one), leverage(linear_data(d=1), one.lam)
    h, length, residual = float(fit.factor[0, 0] ** 2), 0.6, 0.8
    added = kind.of_added(one, fit, np.array([[length]]), length * fit.theta + residual)
    along = kind.along(one, np.array([h]), length, np.array([residual]))
    same(along.epsilon(np.log(1e-5)), added.epsilon(np.log(1e-5)))


def check_groups_and_several_releases(mechanism: GlmRelease) -> None:
    """A group of one is its row; what is said to be exact is: two releases of 1/√2 of the noise are one with all of it."""
    dataset, log_delta = linear_data(), LOG_DELTA
    rows = rows_of(mechanism, dataset)
    epsilon = rows.epsilon(log_delta)
    alone = group_privacy(dataset, mechanism, [3], 1e-5)
    assert alone.largest == pytest.approx(epsilon[3], rel=1e-9)
    assert alone.chain == pytest.approx(epsilon[3], rel=1e-6)
    assert alone.joint >= epsilon[3] * (1 - 1e-9)
    assert alone.method is not EpsilonMethod.EXACT or alone.joint == pytest.approx(epsilon[3], rel=1e-9)
    together = rows.combined([(rows.with_noise(2.0), 4)])
    assert together is None or together.epsilon(log_delta) == pytest.approx(epsilon, rel=1e-9)


def check_a_draw_is_the_fit_and_noise(mechanism: GlmRelease) -> None:
    dataset = linear_data()
    fit = leverage(dataset, mechanism.lam)
    theta, covariance = law(mechanism, dataset.X, dataset.y, fit.gram)
    drawn = mechanism.draw(fit, 20_000, np.random.default_rng(3))
    white = np.linalg.solve(np.linalg.cholesky(covariance), (drawn - theta).T)
    np.testing.assert_allclose(white.mean(axis=1), 0.0, atol=0.04)
    np.testing.assert_allclose(white @ white.T / 20_000, np.eye(2), atol=0.06)
    gram = dataset.X.T @ dataset.X
    assert mechanism.noise_error(fit, gram) == pytest.approx(np.trace(gram @ covariance), rel=1e-9)


CHECKS = (*exposures.CHECKS, *(value for name, value in dict(globals()).items() if name.startswith("check_")))
