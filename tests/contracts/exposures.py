"""What every per-instance analysis must satisfy, exact or an expansion; each check takes a release and fails on its own.

The numbers are compared with themselves under changes that must not matter, and with the worst case. A new entry of
`ANALYSES` or `GLM_ANALYSES` and of `RELEASES` needs nothing here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import special

import dpcore as dp
from dpcore.data import Dataset, Domain
from dpcore.individual import ANALYSES, IndividualPrivacy, leverage
from dpcore.individual.exposure import GLM_ANALYSES, Exposures
from dpcore.mechanisms import GlmRelease
from dpcore.profiles import DIRECTIONS, Bound

DELTAS = (1e-9, 1e-5, 1e-2, 0.3)
EPSILONS = (0.0, 0.05, 0.7, 4.0)
LOG_DELTA = float(np.log(1e-5))
# Relative distance of δ(ε(δ)) to δ in an expansion: fixed rules of integration move so much at a kink of f''.
ROOT = 3e-3


@cache
def model_data(kind: str, n: int = 40, d: int = 2) -> Dataset:
    """Rows inside the unit ball, one of them close to 0, and targets of a kind inside [−1, 1]."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * 0.6
    X[3] *= 0.1
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1))[:, None]
    u = X.sum(axis=1)
    targets = {
        "numeric": np.clip(u + 0.5 * rng.normal(size=n), -1, 1),
        "binary": np.where(rng.uniform(size=n) < special.expit(2 * u), 1.0, -1.0),
        "count": np.minimum(rng.poisson(np.exp(u - 1)), 1.0),
    }
    return Dataset.from_arrays(X, targets[kind], domain=Domain())


def linear_data(d: int = 2) -> Dataset:
    """Few rows, for linear regression."""
    return model_data("numeric", 14, d)


def data_of(mechanism: GlmRelease) -> Dataset:
    """Rows that suit the model of a release."""
    return linear_data() if mechanism.is_linear else model_data(mechanism.target.name)


def rows_of(mechanism: GlmRelease, dataset: Dataset | None = None) -> Exposures:
    """The exposures of all rows."""
    dataset = data_of(mechanism) if dataset is None else dataset
    if mechanism.is_linear:
        return ANALYSES.find(mechanism).of_rows(mechanism, dataset, leverage(dataset, mechanism.lam))
    kind = GLM_ANALYSES.find(mechanism)
    return kind.of_rows(mechanism, dataset, kind.fit(mechanism, dataset))


@cache
def result_of(mechanism: GlmRelease, delta: float = 1e-6) -> IndividualPrivacy:
    return dp.individual_privacy(data_of(mechanism), mechanism, delta)


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
    result, root = result_of(mechanism), 1e-6 if mechanism.is_linear else ROOT
    for delta in DELTAS:
        epsilon = result.epsilon_at(delta)
        seen = epsilon > 0
        assert (result.delta_at(epsilon) <= delta * (1 + root)).all()
        same(result.delta_at(epsilon)[seen], delta, rtol=root)
        assert (result.delta_at(np.zeros_like(epsilon))[seen] > delta).all()
    assert (result.epsilon_at(DELTAS[0]) > 0).any()


def check_some_rows_are_those_of_all(mechanism: GlmRelease) -> None:
    rows = rows_of(mechanism)
    epsilon, some = rows.epsilon(LOG_DELTA), [11, 3, 4]
    same(rows.take(some).epsilon(LOG_DELTA), epsilon[some])
    same(Exposures.joined([rows.take(slice(5, None)), rows.take(slice(0, 5))]).epsilon(LOG_DELTA), np.roll(epsilon, -5))


def check_the_order_of_rows_does_not_matter(mechanism: GlmRelease) -> None:
    dataset = data_of(mechanism)
    order = np.random.default_rng(1).permutation(dataset.n_samples)
    moved = Dataset.from_arrays(dataset.X[order], dataset.y[order])
    found, expected = dp.individual_privacy(moved, mechanism).epsilon, result_of(mechanism).epsilon[order]
    same(found, expected, rtol=1e-8 if mechanism.is_linear else 1e-6)


def check_a_profile_is_its_row_and_says_whether_it_is_an_estimate(mechanism: GlmRelease) -> None:
    result, close = result_of(mechanism), 1e-8 if mechanism.is_linear else 1e-6
    for row in (0, 3):
        profile = result.profile(row)
        assert (profile.bound is Bound.ESTIMATE) != mechanism.is_linear
        same(profile.delta(np.array(EPSILONS)), [result.delta_at(epsilon)[row] for epsilon in EPSILONS], rtol=close)
        same(profile.epsilon(1e-5), result.epsilon_at(1e-5)[row], rtol=1e-6)
        for epsilon in (0.05, 0.7):
            both = np.maximum(*(profile.delta(epsilon, direction=direction) for direction in DIRECTIONS))
            assert profile.delta(epsilon) == pytest.approx(float(both), rel=1e-9)


def check_no_row_is_above_the_worst_case(mechanism: GlmRelease) -> None:
    result, rows = result_of(mechanism), data_of(mechanism).n_samples
    if refused(lambda: result.worst_case):
        return
    worst, renyi = result.worst_case, mechanism.worst_renyi(2.0, Domain(), rows)
    assert result.epsilon.max() <= result.worst_case_epsilon * (1 + 1e-9)
    for epsilon in EPSILONS:
        assert result.delta_at(epsilon).max() <= float(worst.delta(epsilon)) * (1 + 1e-9)
    assert max(result.exposures.renyi(2.0, way).max() for way in DIRECTIONS) <= renyi * (1 + 1e-9)
    assert result.for_all.epsilon <= float(mechanism.worst_case(Domain(), rows).epsilon(result.delta))


def check_no_record_of_the_domain_is_above_the_most_exposed_one(mechanism: GlmRelease) -> None:
    if mechanism.shaped_by_data:
        return
    result = result_of(mechanism)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 2))
    X /= np.linalg.norm(X, axis=1)[:, None]
    X[100:] *= rng.uniform(size=(100, 1))
    tried = result.what_if(X, rng.choice(mechanism.target.extremes(1.0), size=200)).epsilon
    found, close = result.for_all, 1e-7 if mechanism.is_linear else 1e-4
    assert 0.8 * found.epsilon <= tried.max() <= found.epsilon * (1 + close) <= found.upper * (1 + close)


def check_noise_is_all_of_the_noise(mechanism: GlmRelease) -> None:
    rows = rows_of(mechanism)
    before = rows.epsilon(LOG_DELTA)
    for share in (0.25, 0.5, 3.0):
        noisier = mechanism.with_noise(share)
        assert noisier.level == pytest.approx(mechanism.level * share)
        expected = rows_of(noisier).epsilon(LOG_DELTA)
        same(rows.with_noise(share).epsilon(LOG_DELTA), expected)
        assert (expected.max() - before.max()) * (share - 1) < 0  # single rows may come into sight of a flat loss
        assert not mechanism.is_linear or ((expected - before) * (share - 1) <= 0).all()
    assert np.isfinite(rows.with_noise(np.inf).epsilon(LOG_DELTA)).all()
    assert (mechanism.with_penalty(7.0).lam, mechanism.with_penalty(7.0).level) == (7.0, mechanism.level)


CHECKS = tuple(value for name, value in dict(globals()).items() if name.startswith("check_"))
