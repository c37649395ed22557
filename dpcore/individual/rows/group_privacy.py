"""Several rows of one release together: group privacy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from dpcore.individual.result import IndividualPrivacy, individual_privacy
from dpcore.mechanisms.releases import GlmRelease
from dpcore.mechanisms.two_normals import normal_renyi_terms
from dpcore.profiles.renyi import epsilon_over_orders


@dataclass(frozen=True)
class GroupPrivacy:
    r"""ε of several rows together, nats at `delta`.

    The chain removes one row after another. On the way out, the δ of each step is multiplied by e^ε of all earlier
    steps; on the way back, by e^ε of all later steps:

    .. math:: ε = \sum_i ε_i, \quad δ̃ = \max\left(\sum_i e^{\sum_{j<i} ε_j} δ_i, \; \sum_i e^{\sum_{j>i} ε_j} δ_i\right)

    Parameters
    ----------
    epsilon : joint if that is exact, else the smaller of joint and chain
    joint : ε from the laws with and without all of them: exact for output perturbation, else from Rényi divergences;
        None if these are not known
    chain : ε from removing one row after another
    largest : ε of the most exposed row of the group alone
    method : what `epsilon` is
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
    dataset, mechanism : the rows and the release
    rows : positions, at least one and not all rows
    delta : δ in (0, 1)

    Raises
    ------
    ParameterError, DataError, UnsupportedError

    References: wang-2019 (Fact 6).
    """
    return together(individual_privacy(dataset, mechanism, validation.open_probability("delta", delta)), rows)


def together(result: IndividualPrivacy, rows: Any) -> GroupPrivacy:
    """`group_privacy` of some rows of a result, whose fit to all rows is used again."""
    dataset, mechanism, delta = result.dataset, result.mechanism, result.delta
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


def joint_epsilon(result: IndividualPrivacy, rows: np.ndarray) -> float | None:
    """`GroupPrivacy.joint` of the rows at these positions: of the two ways the quick one; None if it is not known."""
    rest = _without(result.dataset, rows, result.mechanism)
    return _joint(result.mechanism, result.leverage, rest, result.delta)[0]


def _joint(mechanism: GlmRelease, fit: Leverage, rest: Leverage, delta: float) -> tuple[float | None, bool]:
    """ε between the laws with and without the rows that `rest` lacks (None if unknown), and whether it is exact."""
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
        If lam = 0 and the other rows do not determine the coefficients, or would not without one more row.
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
    """Rényi divergences at `ALPHAS` of two normal laws, given by square roots of their covariances."""
    _, singular, axes = np.linalg.svd(np.linalg.solve(second, first))
    values = np.square(singular)  # precisions of the second law in units of the first
    along = np.square(axes @ np.linalg.solve(first, gap))
    plain, factor = normal_renyi_terms(ALPHAS[:, None], 1 / values)
    with np.errstate(all="ignore"):
        return (plain + factor * along).sum(axis=1)


def _chain(dataset: Dataset, mechanism: GlmRelease, rows: np.ndarray, delta: float) -> float:
    """ε of the chain: rows are removed one after another, each step at the δ for which δ̃ = δ."""
    steps, kept = [], np.arange(dataset.n_samples)
    for row in rows:
        part = Dataset.from_arrays(dataset.X[kept], dataset.y[kept])
        analysis = analysis_of(mechanism)
        exposures = analysis.of_rows(mechanism, part, analysis.fit(mechanism, part))
        steps.append(exposures.take([int(np.searchsorted(kept, row))]).epsilon)
        kept = kept[kept != row]
    return chained_epsilon(steps, delta)


def chained_epsilon(steps: Sequence[Callable[[float], Any]], delta: float) -> float:
    """ε at δ between the first and the last of several laws, in both directions, from log δ ↦ ε of neighbouring laws.

    Every step takes the same share of δ. The result is inf if no share is small enough, as when ε of a step grows
    faster than log(1/δ).
    """

    def spent(log_share: float) -> tuple[float, float]:
        epsilons = np.array([step(log_share) for step in steps], dtype=float).ravel()
        ways = [np.logaddexp.reduce(np.append(0.0, np.cumsum(way)[:-1])) for way in (epsilons, epsilons[::-1])]
        return float(log_share + max(ways) - np.log(delta)), float(epsilons.sum())

    high = float(np.log(delta / len(steps)))
    if spent(high)[0] <= 1e-12:
        return spent(high)[1]
    low = high - 1.0
    while spent(low)[0] > 0 and low > -600:
        low -= 20.0
    if spent(low)[0] > 0:
        return np.inf
    root = brentq(lambda at: spent(at)[0], low, high, xtol=1e-10)
    return spent(root - 1e-9)[1]
