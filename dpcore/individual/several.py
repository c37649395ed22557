"""Several releases from one data set, and several rows of one release: composition and group privacy per row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from scipy.optimize import brentq

from dpcore import validation
from dpcore.accountants import compose
from dpcore.bracket import Bracket
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.individual.base import ANALYSES
from dpcore.individual.gaussian_output import GaussianOutput
from dpcore.individual.leverage import leverage
from dpcore.individual.result import IndividualPrivacy, individual_privacy
from dpcore.individual.row_renyi import ORDERS, renyi_to_epsilon, row_renyi
from dpcore.mechanisms.objective_perturbation import ObjectivePerturbation
from dpcore.mechanisms.output_perturbation import OutputPerturbation
from dpcore.mechanisms.posterior_sampling import PosteriorSampling

_ORDERS_AT_ONCE = 16
Release = tuple[IndividualPrivacy, int]


@dataclass(frozen=True, eq=False)
class ComposedRows:
    """ε of every row after all releases, nats, shape (n_samples,).

    epsilon : the smallest known upper value, exact where `exact`; basic : sum of the parts at δ shared equally;
    renyi : from summed Rényi divergences.
    """

    epsilon: np.ndarray
    basic: np.ndarray
    renyi: np.ndarray
    exact: bool


def compose_rows(releases: Sequence[Release], delta: float) -> ComposedRows:
    """Privacy of each row over independent releases of one data set.

    Any function of the outputs, computed without the data, keeps the value (post-processing).

    Parameters
    ----------
    releases : pairs of a per-instance result and how often its mechanism ran; all of one data set
    delta : probability

    Raises
    ------
    ParameterError
    """
    delta = validation.probability("delta", delta, allow_zero=False, allow_one=False)
    checked = _checked(releases)
    count = sum(times for _, times in checked)
    basic = sum(times * result.epsilon_at(delta / count) for result, times in checked)
    if all(isinstance(result.exposures, GaussianOutput) for result, _ in checked):
        shift = np.sqrt(sum(times * np.square(result.exposures.shift) for result, times in checked))
        epsilon = GaussianOutput(shift).epsilon(float(np.log(delta)))
        return ComposedRows(epsilon, basic, _by_renyi(checked, delta), True)
    renyi = _by_renyi(checked, delta)
    return ComposedRows(np.minimum(basic, renyi), basic, renyi, False)


def compose_row(releases: Sequence[Release], index: int, **options: Any) -> Bracket:
    """Certified bracket of the composed profile of one row, by position; `options` go to `dp.compose`."""
    return compose([(result.profile(index), times) for result, times in _checked(releases)], **options)


def _checked(releases: Sequence[Release]) -> list[Release]:
    checked = [(result, validation.integer("count", times, minimum=1)) for result, times in releases]
    if not checked:
        raise ParameterError("releases must hold at least one pair (result, count)")
    if len({result.dataset.sha256 for result, _ in checked}) > 1:
        raise ParameterError("all releases must be of the same data set")
    return checked


def _by_renyi(releases: Sequence[Release], delta: float) -> np.ndarray:
    size = releases[0][0].epsilon.size
    found = []
    for direction in ("add", "remove"):
        best = np.full(size, np.inf)
        for start in range(0, ORDERS.size, _ORDERS_AT_ONCE):
            orders = ORDERS[start : start + _ORDERS_AT_ONCE]
            total = sum(times * row_renyi(result.exposures, orders, direction) for result, times in releases)
            best = np.minimum(best, renyi_to_epsilon(total, orders, delta))
        found.append(best)
    return np.maximum(*found)


@dataclass(frozen=True)
class GroupPrivacy:
    r"""ε of several rows together, nats at `delta`.

    epsilon : the smallest of the others; joint : from the laws with and without all of them (exact for output
    perturbation, else by Rényi divergences); chain : one row after another,

    .. math:: ε = \sum_i ε_i, \quad δ̃ = \sum_i e^{ε_1 + … + ε_{i−1}} δ_i

    largest : ε of the most exposed row of the group alone.
    """

    epsilon: float
    joint: float
    chain: float
    largest: float
    exact: bool


def group_privacy(dataset: Dataset, mechanism: Any, rows: Any, delta: float = 1e-6) -> GroupPrivacy:
    """How visible a group of rows is together: all of them in the data, or none.

    Parameters
    ----------
    rows : positions, at least one and not all rows

    Raises
    ------
    ParameterError, DataError, UnsupportedError

    References: wang-2019.
    """
    delta = validation.probability("delta", delta, allow_zero=False, allow_one=False)
    result = individual_privacy(dataset, mechanism, delta)
    wanted = np.unique(np.atleast_1d(np.asarray(rows)))
    if wanted.dtype.kind not in "iu" or not 0 < wanted.size < dataset.n_samples:
        raise ParameterError(f"rows must be between 1 and {dataset.n_samples - 1} positions, got {rows!r}")
    if wanted[0] < 0 or wanted[-1] >= dataset.n_samples:
        raise ParameterError(f"rows must be positions from 0 to {dataset.n_samples - 1}, got {rows!r}")
    joint, exact = _joint(dataset, mechanism, wanted, delta, result)
    chain = _chain(dataset, mechanism, wanted, delta)
    largest = float(result.epsilon[wanted].max())
    return GroupPrivacy(joint if exact else min(joint, chain), joint, chain, largest, exact)


def _joint(
    dataset: Dataset, mechanism: Any, rows: np.ndarray, delta: float, result: IndividualPrivacy
) -> tuple[float, bool]:
    X, y = dataset.X, dataset.y
    rest_X, rest_y = np.delete(X, rows, axis=0), np.delete(y, rows)
    penalty = mechanism.lam * np.eye(X.shape[1])
    hessian, rest = X.T @ X + penalty, rest_X.T @ rest_X + penalty
    gap = linalg.solve(hessian, X.T @ y, assume_a="pos") - linalg.solve(rest, rest_X.T @ rest_y, assume_a="pos")
    if isinstance(mechanism, OutputPerturbation):
        shift = float(np.linalg.norm(mechanism.root(result.leverage.gram) @ gap)) / mechanism.sigma
        return float(GaussianOutput(np.array([shift])).epsilon(float(np.log(delta)))[0]), True
    if isinstance(mechanism, PosteriorSampling):
        precisions = mechanism.gamma * hessian, mechanism.gamma * rest
    elif isinstance(mechanism, ObjectivePerturbation):
        precisions = hessian @ hessian / mechanism.sigma**2, rest @ rest / mechanism.sigma**2
    values = [renyi_to_epsilon(_normal_renyi(*pair, gap), ORDERS, delta) for pair in (precisions, precisions[::-1])]
    return float(max(values)), False


def _normal_renyi(first: np.ndarray, second: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """Rényi divergences at `ORDERS` of two normal laws given by their precisions."""
    scale = linalg.cholesky(first, lower=True)
    inverse = linalg.solve_triangular(scale, np.eye(len(gap)), lower=True)
    values, axes = np.linalg.eigh(inverse @ second @ inverse.T)  # precisions of the second where the first is standard
    along = np.square(axes.T @ scale.T @ gap)
    alpha = ORDERS[:, None]
    mixed = (alpha / values + (1 - alpha)) * values  # s*² in units of the second's variance
    with np.errstate(all="ignore"):
        terms = -0.5 * np.log(values) - 0.5 * np.log(mixed) / (alpha - 1) + 0.5 * alpha * along * values / mixed
    return np.where((mixed > 0).all(axis=1), terms.sum(axis=1), np.inf)


def _chain(dataset: Dataset, mechanism: Any, rows: np.ndarray, delta: float) -> float:
    """Rows leave one after another; every step at the δ that makes δ̃ = δ."""
    steps, kept = [], np.arange(dataset.n_samples)
    for row in rows:
        part = Dataset.from_arrays(dataset.X[kept], dataset.y[kept])
        exposures = ANALYSES.find(mechanism).of_rows(mechanism, part, leverage(part, mechanism.lam))
        steps.append(exposures.take([int(np.searchsorted(kept, row))]))
        kept = kept[kept != row]

    def spent(log_share: float) -> tuple[float, float]:
        epsilons = np.array([step.epsilon(log_share)[0] for step in steps])
        before = np.concatenate([[0.0], np.cumsum(epsilons)[:-1]])
        return float(np.sum(np.exp(log_share + before))), float(epsilons.sum())

    high = float(np.log(delta / len(steps)))
    if spent(high)[0] <= delta * (1 + 1e-12):
        return spent(high)[1]
    low = high - 1.0
    while spent(low)[0] > delta and low > -600:
        low -= 20.0
    root = brentq(lambda at: np.log(spent(at)[0] / delta), low, high, xtol=1e-10)
    return spent(root - 1e-9)[1]
