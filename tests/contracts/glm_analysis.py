"""What every per-instance analysis of a model beyond linear regression must satisfy; each check takes a release.

The analyses are expansions, so they are compared with themselves under changes that must not matter, with fits to other
rows, and with the worst case. A new entry of `GLM_ANALYSES` and `RELEASES` needs nothing here.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy import special
from scipy.integrate import simpson

import dpcore as dp
from dpcore.data import Dataset, Domain
from dpcore.individual import IndividualPrivacy
from dpcore.individual.exposure import GLM_ANALYSES, Exposures
from dpcore.individual.method import EpsilonMethod
from dpcore.mechanisms import GlmRelease
from dpcore.profiles import DIRECTIONS, Bound
from tests.contracts.analysis import refused, same

DELTAS = (1e-9, 1e-5, 1e-2)
EPSILONS = (0.0, 0.05, 0.7)
ORDER = 2.0
ROOT = 3e-3  # relative distance of δ(ε(δ)) to δ: fixed rules of integration move by this much at a kink of f''
LOG_DELTA = float(np.log(1e-5))


@cache
def data(kind: str, n: int = 40) -> Dataset:
    """Rows inside the unit ball, one of them close to 0, and targets of a kind inside [−1, 1]."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)) * 0.6
    X[3] *= 0.1
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1))[:, None]
    u = X.sum(axis=1)
    targets = {
        "numeric": np.clip(u + 0.5 * rng.normal(size=n), -1, 1),
        "binary": np.where(rng.uniform(size=n) < special.expit(2 * u), 1.0, -1.0),
        "count": np.minimum(rng.poisson(np.exp(u - 1)), 1.0),
    }
    return Dataset.from_arrays(X, targets[kind], domain=Domain())


def rows_of(mechanism: GlmRelease, dataset: Dataset) -> Exposures:
    """The exposures of all rows."""
    kind = GLM_ANALYSES.find(mechanism)
    return kind.of_rows(mechanism, dataset, kind.fit(mechanism, dataset))


@cache
def _result(mechanism: GlmRelease, kind: type[Exposures], delta: float) -> IndividualPrivacy:
    return dp.individual_privacy(data(mechanism.target.name), mechanism, delta)


def result_of(mechanism: GlmRelease, delta: float = 1e-6) -> IndividualPrivacy:
    """All rows by the analysis that is registered for it."""
    return _result(mechanism, GLM_ANALYSES[type(mechanism)], delta)


def check_epsilon_is_the_smallest_that_meets_delta(mechanism: GlmRelease) -> None:
    result = result_of(mechanism)
    for delta in DELTAS:
        epsilon = result.epsilon_at(delta)
        seen = epsilon > 0
        same(result.delta_at(epsilon)[seen], delta, rtol=ROOT)
        assert (result.delta_at(epsilon) <= delta * (1 + ROOT)).all()
        assert (result.delta_at(np.zeros_like(epsilon))[seen] > delta).all()
    assert (result.epsilon_at(DELTAS[0]) > 0).any()


def check_its_numbers_say_that_they_are_an_expansion(mechanism: GlmRelease) -> None:
    assert result_of(mechanism).method is EpsilonMethod.EXPANSION


def check_curves_fall(mechanism: GlmRelease) -> None:
    result = result_of(mechanism)
    by_delta = np.array([result.epsilon_at(delta) for delta in DELTAS])
    by_epsilon = np.array([result.delta_at(epsilon) for epsilon in EPSILONS])
    assert (np.diff(by_delta, axis=0) <= 0).all()
    assert (np.diff(by_epsilon, axis=0) <= 0).all()
    assert ((by_epsilon >= 0) & (by_epsilon <= 1)).all()


def check_some_rows_are_those_of_all(mechanism: GlmRelease) -> None:
    rows = rows_of(mechanism, data(mechanism.target.name))
    epsilon, some = rows.epsilon(LOG_DELTA), [11, 3, 4]
    same(rows.take(some).epsilon(LOG_DELTA), epsilon[some])
    same(Exposures.joined([rows.take(slice(5, None)), rows.take(slice(0, 5))]).epsilon(LOG_DELTA), np.roll(epsilon, -5))


def check_the_order_of_rows_does_not_matter(mechanism: GlmRelease) -> None:
    dataset = data(mechanism.target.name)
    order = np.random.default_rng(1).permutation(dataset.n_samples)
    moved = Dataset.from_arrays(dataset.X[order], dataset.y[order])
    expected = result_of(mechanism).epsilon[order]
    same(dp.individual_privacy(moved, mechanism).epsilon, expected, rtol=1e-6)


def check_a_profile_is_its_row_and_says_that_it_is_an_estimate(mechanism: GlmRelease) -> None:
    result = result_of(mechanism)
    for row in (0, 3):
        profile = result.profile(row)
        assert profile.bound is Bound.ESTIMATE
        same(profile.delta(np.array(EPSILONS)), [result.delta_at(epsilon)[row] for epsilon in EPSILONS], rtol=1e-6)
        same(profile.epsilon(1e-5), result.epsilon_at(1e-5)[row], rtol=1e-6)
        both = np.maximum(*(profile.delta(0.05, direction=direction) for direction in DIRECTIONS))
        assert profile.delta(0.05) == pytest.approx(float(both), rel=1e-9)


def check_divergences_are_those_of_the_curve(mechanism: GlmRelease) -> None:
    """e^D of order 2 is 1 + 2∫ e^ε δ + e^{−2ε} δ' dε, δ' the curve of the other direction."""
    rows = rows_of(mechanism, data(mechanism.target.name)).take([0])
    profile = rows.profile(0)
    epsilon = np.linspace(0.0, float(profile.epsilon(1e-13)) + 1e-9, 600)
    for direction, other in (DIRECTIONS, DIRECTIONS[::-1]):
        sticks = np.exp(epsilon) * profile.delta(epsilon, direction) + np.exp(-2 * epsilon) * profile.delta(
            epsilon, other
        )
        curve = np.log1p(2 * simpson(sticks, x=epsilon))
        same(rows.renyi(ORDER, direction)[0, 0], curve, rtol=2e-3)


def check_a_row_is_what_it_would_add(mechanism: GlmRelease) -> None:
    """The fit to the other rows instead of one step towards it, within the error the expansion is found to have."""
    dataset = data(mechanism.target.name)
    result = dp.individual_privacy(dataset, mechanism, 1e-5)
    for row in (0, int(result.most_exposed(1)[0])):
        X, y = np.delete(dataset.X, row, 0), np.delete(dataset.y, row)
        found = dp.individual_privacy(Dataset.from_arrays(X, y), mechanism, 1e-5).what_if(
            dataset.X[row], dataset.y[row]
        )
        stated = result.exact(row, 0.02).expansion_error
        assert found.epsilon == pytest.approx(result.epsilon[row], rel=max(0.25, 3 * stated))


def check_a_row_of_zeros_adds_nothing(mechanism: GlmRelease) -> None:
    result = result_of(mechanism, 1e-5)
    assert result.what_if(np.zeros(2), 1.0).epsilon == pytest.approx(0, abs=1e-12)


def check_no_row_is_above_the_worst_case(mechanism: GlmRelease) -> None:
    result = result_of(mechanism)
    if refused(lambda: result.worst_case):
        return
    assert result.epsilon.max() <= result.worst_case_epsilon
    for epsilon in EPSILONS:
        assert result.delta_at(epsilon).max() <= float(result.worst_case.delta(epsilon)) * (1 + 1e-9)
    renyi = mechanism.worst_renyi(ORDER, Domain(), data(mechanism.target.name).n_samples)
    assert max(result.exposures.renyi(ORDER, way).max() for way in DIRECTIONS) <= renyi * (1 + 1e-9)
    assert result.for_all.epsilon <= result.worst_case_epsilon


def check_no_record_of_the_domain_is_above_the_most_exposed_one(mechanism: GlmRelease) -> None:
    result = result_of(mechanism)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 2))
    X /= np.linalg.norm(X, axis=1)[:, None]
    X[100:] *= rng.uniform(size=(100, 1))
    tried = result.what_if(X, rng.choice(mechanism.target.extremes(1.0), size=200)).epsilon
    assert tried.max() <= result.for_all.epsilon * (1 + 1e-4)
    assert tried.max() >= 0.8 * result.for_all.epsilon
    assert result.for_all.epsilon <= result.for_all.upper


def check_noise_is_all_of_the_noise(mechanism: GlmRelease) -> None:
    dataset = data(mechanism.target.name)
    rows = rows_of(mechanism, dataset)
    before = rows.epsilon(LOG_DELTA)
    for share in (0.5, 3.0):
        expected = rows_of(mechanism.with_noise(share), dataset).epsilon(LOG_DELTA)
        same(rows.with_noise(share).epsilon(LOG_DELTA), expected)
        assert (expected.max() - before.max()) * (share - 1) < 0  # single rows may come into sight of a flat loss
    assert np.isfinite(rows.with_noise(np.inf).epsilon(LOG_DELTA)).all()


def check_a_comparison_with_delta_is_that_of_the_curve(mechanism: GlmRelease) -> None:
    rows = result_of(mechanism).exposures
    value = rows.log_delta(np.array(0.05))
    for level in (-20.0, LOG_DELTA, -2.0):
        clear = np.abs(value - level) > 0.05  # the curve itself is known to 1e-3 at kinks
        assert (rows.above(0.05, level) == (value > level))[clear].all()


def check_the_published_bound_is_refused(mechanism: GlmRelease) -> None:
    assert refused(lambda: dp.individual_privacy(data(mechanism.target.name), mechanism, method="bound"))


def check_exact_rows_keep_the_tolerance_and_are_below_the_worst_case(mechanism: GlmRelease) -> None:
    result, told = result_of(mechanism, 1e-5), []
    found = result.exact(result.most_exposed(2), 0.02, told.append)
    assert (found.error <= 0.02).all()
    assert told == sorted(told)
    assert told[0] == 0
    assert found.expansion_error < 0.5
    if not refused(lambda: result.worst_case):
        assert (found.epsilon - found.error <= result.worst_case_epsilon).all()


def check_the_search_for_the_most_exposed_record_can_be_stopped(mechanism: GlmRelease) -> None:
    result, told = dp.individual_privacy(data(mechanism.target.name), mechanism), []

    def stop(share: float) -> None:
        told.append(share)
        if share > 0:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        result.for_all_exactly(0.05, stop)
    assert told[0] == 0
    assert told[-1] < 0.5
    assert "for_all" not in vars(result)


def check_the_most_exposed_record_is_confirmed_without_the_expansion(mechanism: GlmRelease) -> None:
    result, told = result_of(mechanism), []
    found = result.for_all_exactly(0.05, told.append)
    assert found is result.for_all
    assert (found.known, found.error) == (found.exact.epsilon[0], found.exact.error[0])
    assert found.error <= 0.05
    assert found.known == pytest.approx(found.epsilon, rel=0.6)
    assert told == sorted(told)
    assert told[-1] <= 1


CHECKS = tuple(value for name, value in dict(globals()).items() if name.startswith("check_"))
