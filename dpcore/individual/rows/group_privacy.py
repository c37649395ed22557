"""Several rows of one release together: group privacy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from scipy.optimize import brentq

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.individual.analyses.output_perturbation import GaussianOutput
from dpcore.individual.analyses.renyi import ORDERS
from dpcore.individual.exposure import ANALYSES
from dpcore.individual.fit.leverage import leverage
from dpcore.individual.result import IndividualPrivacy, individual_privacy
from dpcore.mechanisms.objective_perturbation import ObjectivePerturbation
from dpcore.mechanisms.output_perturbation import OutputPerturbation
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from dpcore.profiles.renyi import epsilon_over_orders


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
    values = [
        epsilon_over_orders(ORDERS - 1, _normal_renyi(*pair, gap), delta) for pair in (precisions, precisions[::-1])
    ]
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
