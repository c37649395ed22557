"""Several rows of one release together: group privacy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.errors import DataError, ParameterError
from dpcore.individual.exposure import ALPHAS, analysis_of
from dpcore.individual.fit.leverage import Leverage
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.result import individual_privacy
from dpcore.mechanisms.normal_divergence import normal_renyi_terms
from dpcore.mechanisms.releases import GlmRelease
from dpcore.profiles.renyi import epsilon_over_orders


@dataclass(frozen=True)
class GroupPrivacy:
    r"""ε of several rows together, nats at `delta`.

    epsilon : the smallest of the others; joint : from the laws with and without all of them (exact for output
    perturbation, else by Rényi divergences; None where they are not known); chain : one row after another,

    .. math:: ε = \sum_i ε_i, \quad δ̃ = \sum_i e^{ε_1 + … + ε_{i−1}} δ_i

    largest : ε of the most exposed row of the group alone; method : what `epsilon` is.
    """

    epsilon: float
    joint: float | None
    chain: float
    largest: float
    method: EpsilonMethod


def group_privacy(dataset: Dataset, mechanism: GlmRelease, rows: Any, delta: float = 1e-6) -> GroupPrivacy:
    """How visible a group of rows is together: all of them in the data, or none.

    Parameters
    ----------
    rows : positions, at least one and not all rows

    Raises
    ------
    ParameterError, DataError, UnsupportedError

    References: wang-2019 (Fact 6).
    """
    delta = validation.probability("delta", delta, allow_zero=False, allow_one=False)
    result = individual_privacy(dataset, mechanism, delta)
    wanted = np.unique(np.atleast_1d(np.asarray(rows)))
    if wanted.dtype.kind not in "iu" or not 0 < wanted.size < dataset.n_samples:
        raise ParameterError(f"rows must be between 1 and {dataset.n_samples - 1} positions, got {rows!r}")
    if wanted[0] < 0 or wanted[-1] >= dataset.n_samples:
        raise ParameterError(f"rows must be positions from 0 to {dataset.n_samples - 1}, got {rows!r}")
    joint, exact = _joint(mechanism, result.leverage, _without(dataset, wanted, mechanism), delta)
    chain = _chain(dataset, mechanism, wanted, delta)
    largest = float(result.epsilon[wanted].max())
    smallest = min([chain] if joint is None else [joint] if exact else [joint, chain])
    method = EpsilonMethod.EXACT if exact else result.method.composed(exactly=False)
    return GroupPrivacy(smallest, joint, chain, largest, method)


def _joint(mechanism: GlmRelease, fit: Leverage, rest: Leverage, delta: float) -> tuple[float | None, bool]:
    """ε between the laws with and without the rows that `rest` lacks, None if unknown, and whether it is exact."""
    together = analysis_of(mechanism).of_group(mechanism, fit, rest)
    if together is not None:
        return float(together.epsilon(float(np.log(delta)))[0]), True
    if not mechanism.is_linear:
        return None, False
    one, other = (mechanism.spread(some, np.eye(fit.theta.size)) for some in (fit, rest))
    gap = fit.theta - rest.theta
    values = [
        epsilon_over_orders(ALPHAS - 1, _normal_renyi(*pair, gap), delta) for pair in ((one, other), (other, one))
    ]
    return float(max(values)), False


def _without(dataset: Dataset, rows: np.ndarray, mechanism: GlmRelease) -> Leverage:
    """The fit to all rows but these.

    Raises
    ------
    DataError
        If lam = 0 and the others do not determine the coefficients, or would not without one more row.
    """
    rest = Dataset.from_arrays(np.delete(dataset.X, rows, axis=0), np.delete(dataset.y, rows), dataset.names)
    try:
        return analysis_of(mechanism).fit(mechanism, rest)
    except DataError as error:
        if mechanism.lam > 0:
            raise
        raise DataError(
            f"Without the {rows.size} rows of this group, and any one more, the coefficients are not determined with "
            "lam = 0, so what the group reveals together has no meaning: use a larger lam or a smaller group."
        ) from error


def _normal_renyi(first: np.ndarray, second: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """Rényi divergences at `ALPHAS` of two normal laws given by square roots of their covariances."""
    _, singular, axes = np.linalg.svd(np.linalg.solve(second, first))
    values = np.square(singular)  # precisions of the second where the first is standard
    along = np.square(axes @ np.linalg.solve(first, gap))
    plain, factor = normal_renyi_terms(ALPHAS[:, None], 1 / values)
    with np.errstate(all="ignore"):
        return (plain + factor * along).sum(axis=1)


def _chain(dataset: Dataset, mechanism: GlmRelease, rows: np.ndarray, delta: float) -> float:
    """Rows leave one after another; every step at the δ that makes δ̃ = δ."""
    steps, kept = [], np.arange(dataset.n_samples)
    for row in rows:
        part = Dataset.from_arrays(dataset.X[kept], dataset.y[kept])
        analysis = analysis_of(mechanism)
        exposures = analysis.of_rows(mechanism, part, analysis.fit(mechanism, part))
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
    if spent(low)[0] > delta:
        return np.inf  # a row's ε grows faster than log(1/δ), so that no share of δ is small enough
    root = brentq(lambda at: np.log(spent(at)[0] / delta), low, high, xtol=1e-10)
    return spent(root - 1e-9)[1]
