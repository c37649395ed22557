"""What every per-instance analysis must satisfy; each check takes a release of linear regression and fails on its own.

The truth is the law of the release: refits with and without a row, their two normal laws from `GlmRelease.spread`, and the
textbook divergence of multivariate normal laws. A new entry of `ANALYSES` and `RELEASES` needs nothing here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dpcore as dp
from dpcore.data import Dataset, Domain
from dpcore.data.stream.recipe import Block
from dpcore.individual import ANALYSES, leverage
from dpcore.individual.exposure import Exposures
from dpcore.individual.fit.leverage import ridge_fit
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.passes.blocks import Moments, row_values
from dpcore.individual.rows.group_privacy import group_privacy
from dpcore.mechanisms import GlmRelease
from tests.individual.oracles import normal_divergence

DELTAS = (1e-9, 1e-5, 1e-2, 0.3)
EPSILONS = (0.0, 0.05, 0.7, 4.0)
ORDERS = (1.5, 3.0)
DIRECTIONS = ("add", "remove")


@cache
def data(n: int = 14, d: int = 2, seed: int = 0) -> Dataset:
    """Rows inside the unit ball, one of them far from the others, targets inside [−1, 1]."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 0.5
    X[3] *= 0.1
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1))[:, None]
    return Dataset.from_arrays(X, np.clip(X.sum(axis=1) + 0.5 * rng.normal(size=n), -1, 1), domain=Domain())


def law(mechanism: GlmRelease, X: np.ndarray, y: np.ndarray, gram: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the release, solved from scratch; `gram` is what the shape of the noise may look at."""
    hessian = X.T @ X + mechanism.lam * np.eye(X.shape[1])
    theta = np.linalg.solve(hessian, X.T @ y)
    fit = SimpleNamespace(theta=theta, factor=np.linalg.cholesky(hessian), gram=gram)
    root = mechanism.spread(fit, np.eye(len(theta)))
    return theta, root @ root.T


def rows_of(mechanism: GlmRelease, dataset: Dataset) -> Exposures:
    """The exposures of all rows."""
    return ANALYSES.find(mechanism).of_rows(mechanism, dataset, leverage(dataset, mechanism.lam))


def without(dataset: Dataset, row: int) -> Dataset:
    """All rows but one."""
    return Dataset.from_arrays(np.delete(dataset.X, row, 0), np.delete(dataset.y, row), domain=dataset.domain)


def same(found: np.ndarray, expected: np.ndarray, rtol: float = 1e-9) -> None:
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-13)


def refused(compute: Callable[[], Any]) -> bool:
    """Whether there is no answer, for a reason that is a sentence."""
    try:
        compute()
    except dp.UnsupportedError as reason:
        return len(str(reason)) > 40
    return False


def check_epsilon_is_the_smallest_that_meets_delta(mechanism: GlmRelease) -> None:
    result = dp.individual_privacy(data(), mechanism)
    for delta in DELTAS:
        epsilon = result.epsilon_at(delta)
        seen = epsilon > 0
        assert (result.delta_at(epsilon) <= delta * (1 + 1e-6)).all()
        same(result.delta_at(epsilon)[seen], delta, rtol=1e-6)
        assert (result.delta_at(np.zeros_like(epsilon))[seen] > delta).all()
    assert seen.any() or (result.epsilon_at(DELTAS[0]) > 0).any()


def check_curves_fall(mechanism: GlmRelease) -> None:
    result = dp.individual_privacy(data(), mechanism)
    by_delta = np.array([result.epsilon_at(delta) for delta in DELTAS])
    by_epsilon = np.array([result.delta_at(epsilon) for epsilon in EPSILONS])
    assert (np.diff(by_delta, axis=0) <= 0).all()
    assert (np.diff(by_epsilon, axis=0) <= 0).all()
    assert ((by_epsilon >= 0) & (by_epsilon <= 1)).all()


def check_some_rows_are_those_of_all(mechanism: GlmRelease) -> None:
    rows, log_delta = rows_of(mechanism, data()), float(np.log(1e-5))
    epsilon = rows.epsilon(log_delta)
    some = [11, 3, 4]
    same(rows.take(some).epsilon(log_delta), epsilon[some])
    same(Exposures.joined([rows.take(slice(5, None)), rows.take(slice(0, 5))]).epsilon(log_delta), np.roll(epsilon, -5))


def check_the_order_of_rows_does_not_matter(mechanism: GlmRelease) -> None:
    dataset = data()
    order = np.random.default_rng(1).permutation(dataset.n_samples)
    moved = Dataset.from_arrays(dataset.X[order], dataset.y[order])
    expected = dp.individual_privacy(dataset, mechanism).epsilon[order]
    same(dp.individual_privacy(moved, mechanism).epsilon, expected, rtol=1e-8)


def check_rows_read_in_pieces_are_those_in_memory(mechanism: GlmRelease) -> None:
    if not ANALYSES.find(mechanism).by_block:
        return
    dataset, total = data(), Moments()
    pieces = [slice(0, 5), slice(5, 6), slice(6, None)]
    blocks = [Block(dataset.X[part], dataset.y[part], dataset.row_labels[part]) for part in pieces]
    for block in blocks:
        total.add(block)
    fit = ridge_fit(dataset.names, total.gram, total.moment, mechanism.lam, lambda: None)
    found = np.concatenate([row_values(fit, block, mechanism, float(np.log(1e-5)))[0]["epsilon"] for block in blocks])
    same(found, dp.individual_privacy(dataset, mechanism, 1e-5).epsilon, rtol=1e-8)


def check_divergences_are_those_of_refits(mechanism: GlmRelease) -> None:
    """Rows' Rényi divergences, and those of their δ(ε) curves, against both laws in all dimensions, in each direction."""
    dataset = data()
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


def check_a_profile_is_its_row(mechanism: GlmRelease) -> None:
    result = dp.individual_privacy(data(), mechanism)
    for row in (0, 3):
        profile = result.profile(row)
        same(profile.delta(np.array(EPSILONS)), [result.delta_at(epsilon)[row] for epsilon in EPSILONS], rtol=1e-8)
        same(profile.epsilon(1e-5), result.epsilon_at(1e-5)[row], rtol=1e-6)
        both = np.maximum(*(profile.delta(0.7, direction=direction) for direction in DIRECTIONS))
        assert profile.delta(0.7) == pytest.approx(float(both), rel=1e-9)


def check_a_row_is_what_it_would_add(mechanism: GlmRelease) -> None:
    if mechanism.shaped_by_data:
        return
    dataset = data()
    epsilon = dp.individual_privacy(dataset, mechanism, 1e-5).epsilon
    for row in (0, 3):
        found = dp.individual_privacy(without(dataset, row), mechanism, 1e-5).what_if(dataset.X[row], dataset.y[row])
        assert found.epsilon == pytest.approx(epsilon[row], rel=1e-8)


def check_no_row_is_above_the_worst_case(mechanism: GlmRelease) -> None:
    result = dp.individual_privacy(data(), mechanism)
    if refused(lambda: result.worst_case):
        return
    worst, renyi = result.worst_case, mechanism.worst_renyi(2.0, Domain(), data().n_samples)
    assert result.epsilon.max() <= result.worst_case_epsilon * (1 + 1e-9)
    for epsilon in EPSILONS:
        assert result.delta_at(epsilon).max() <= float(worst.delta(epsilon)) * (1 + 1e-9)
    assert max(result.exposures.renyi(2.0, way).max() for way in DIRECTIONS) <= renyi * (1 + 1e-9)
    assert result.for_all.epsilon <= float(mechanism.worst_case(Domain(), data().n_samples).epsilon(result.delta))


def check_no_record_of_the_domain_is_above_the_most_exposed_one(mechanism: GlmRelease) -> None:
    if mechanism.shaped_by_data:
        return
    result = dp.individual_privacy(data(), mechanism)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 2))
    X /= np.linalg.norm(X, axis=1)[:, None]
    X[100:] *= rng.uniform(size=(100, 1))
    tried = result.what_if(X, np.where(rng.uniform(size=200) < 0.5, -1.0, 1.0)).epsilon
    assert tried.max() <= result.for_all.epsilon * (1 + 1e-7)
    assert tried.max() >= 0.8 * result.for_all.epsilon
    assert result.for_all.epsilon <= result.for_all.upper


def check_noise_is_all_of_the_noise(mechanism: GlmRelease) -> None:
    dataset, log_delta = data(), float(np.log(1e-5))
    rows = rows_of(mechanism, dataset)
    before = rows.epsilon(log_delta)
    gram = dataset.X.T @ dataset.X
    for share in (0.25, 3.0):
        noisier = mechanism.with_noise(share)
        assert noisier.level == pytest.approx(mechanism.level * share)
        same(
            law(noisier, dataset.X, dataset.y, gram)[1],
            share**2 * law(mechanism, dataset.X, dataset.y, gram)[1],
            rtol=1e-12,
        )
        expected = rows_of(noisier, dataset).epsilon(log_delta)
        same(rows.with_noise(share).epsilon(log_delta), expected)
        assert ((expected - before) * (share - 1) <= 0).all()
        assert (expected != before).any()
    assert (mechanism.with_penalty(7.0).lam, mechanism.with_penalty(7.0).level) == (7.0, mechanism.level)


def check_the_published_bound_is_above_or_refused(mechanism: GlmRelease) -> None:
    exact = dp.individual_privacy(data(), mechanism)
    if refused(lambda: dp.individual_privacy(data(), mechanism, method="bound")):
        return
    bound = dp.individual_privacy(data(), mechanism, method="bound")
    assert (bound.epsilon >= exact.epsilon * (1 - 1e-12)).all()
    for epsilon in EPSILONS:
        assert (bound.log_delta_at(epsilon) >= exact.log_delta_at(epsilon) - 1e-9).all()


def check_records_along_an_axis(mechanism: GlmRelease) -> None:
    """`along` in one dimension, where every record lies along the only axis."""
    shape = getattr(mechanism, "shape", "identity")
    one = replace(mechanism, shape="identity") if shape != "identity" else mechanism
    kind, fit = ANALYSES.find(one), leverage(data(d=1), one.lam)
    h, length, residual = float(fit.factor[0, 0] ** 2), 0.6, 0.8
    added = kind.of_added(one, fit, np.array([[length]]), length * fit.theta + residual)
    same(
        kind.along(one, np.array([h]), length, np.array([residual])).epsilon(np.log(1e-5)), added.epsilon(np.log(1e-5))
    )


def check_groups_and_several_releases(mechanism: GlmRelease) -> None:
    """A group of one is its row; what is said to be exact is: two releases of 1/√2 of the noise are one with all of it."""
    dataset, log_delta = data(), float(np.log(1e-5))
    rows = rows_of(mechanism, dataset)
    epsilon = rows.epsilon(log_delta)
    alone = group_privacy(dataset, mechanism, [3], 1e-5)
    assert alone.chain == pytest.approx(epsilon[3], rel=1e-6)
    assert alone.joint >= epsilon[3] * (1 - 1e-9)
    assert alone.method is not EpsilonMethod.EXACT or alone.joint == pytest.approx(epsilon[3], rel=1e-9)
    together = rows.combined([(rows.with_noise(2.0), 4)])
    assert together is None or together.epsilon(log_delta) == pytest.approx(epsilon, rel=1e-9)


def check_a_draw_is_the_fit_and_noise(mechanism: GlmRelease) -> None:
    dataset = data()
    fit = leverage(dataset, mechanism.lam)
    theta, covariance = law(mechanism, dataset.X, dataset.y, fit.gram)
    drawn = mechanism.draw(fit, 20_000, np.random.default_rng(3))
    white = np.linalg.solve(np.linalg.cholesky(covariance), (drawn - theta).T)
    np.testing.assert_allclose(white.mean(axis=1), 0.0, atol=0.04)
    np.testing.assert_allclose(white @ white.T / 20_000, np.eye(2), atol=0.06)
    gram = dataset.X.T @ dataset.X
    assert mechanism.noise_error(fit, gram) == pytest.approx(np.trace(gram @ covariance), rel=1e-9)


CHECKS = tuple(value for name, value in dict(globals()).items() if name.startswith("check_"))
