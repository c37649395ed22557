"""Who is exposed and why: neighbours of a row, what would protect it, subgroups, a fixed person in other data sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.errors import DataError
from dpcore.individual.base import ANALYSES
from dpcore.individual.leverage import leverage
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.summary import position

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Rows that pull the fit in the direction of one row: positions, and the cosine in the metric of H⁻¹."""

    rows: np.ndarray
    likeness: np.ndarray


def neighbours(result: IndividualPrivacy, index: int, count: int = 10) -> Neighbours:
    r"""The rows that share the leverage of a row, |x^⊤H^{-1}x_i|/\sqrt{x^⊤H^{-1}x · x_i^⊤H^{-1}x_i} largest first."""
    index = position(index, result.epsilon.size)
    count = min(validation.integer("count", count, minimum=1), result.epsilon.size - 1)
    X, factor = result.dataset.X, result.leverage.factor
    direction = linalg.cho_solve((factor, True), X[index])
    scale = np.sqrt(result.leverage.in_sample * result.leverage.in_sample[index])
    likeness = np.abs(X @ direction) / np.where(scale > 0, scale, np.inf)
    likeness[index] = -np.inf
    order = np.argsort(-likeness, kind="stable")[:count]
    return Neighbours(order, np.minimum(likeness[order], 1.0))


def added_epsilon(dataset: Dataset, mechanism: Any, x: np.ndarray, y: float, delta: float) -> float:
    """ε of one record (x, y) joining a data set that does not hold it, nats.

    Raises
    ------
    DataError, ParameterError, UnsupportedError
    """
    influence = leverage(dataset, mechanism.lam)
    x = np.asarray(x, dtype=float)
    whitened = linalg.solve_triangular(influence.factor, x, lower=True)
    added = ANALYSES.find(mechanism).of_added(
        mechanism, influence, x[None], np.array([whitened @ whitened]), np.array([y - x @ influence.theta])
    )
    return float(added.epsilon(float(np.log(validation.probability("delta", delta, allow_zero=False))))[0])


def without_row(dataset: Dataset, index: int) -> tuple[Dataset, np.ndarray, float]:
    """The other rows, and the row itself."""
    keep = np.delete(np.arange(dataset.n_samples), index)
    if not keep.size:
        raise DataError("a single row has no others to be compared with")
    return Dataset.from_arrays(dataset.X[keep], dataset.y[keep]), dataset.X[index], float(dataset.y[index])


@dataclass(frozen=True)
class Subgroup:
    """Exposure of the rows of one group: label, count, ε at `LEVELS`, mean and largest, nats."""

    label: str
    count: int
    quantiles: tuple[float, ...]
    mean: float
    largest: float


def subgroup(label: str, epsilon: np.ndarray) -> Subgroup:
    """Exposure of the rows of a group from the ε of each."""
    method = "linear" if np.isfinite(epsilon).all() else "higher"
    quantiles = tuple(float(value) for value in np.quantile(epsilon, LEVELS, method=method))
    return Subgroup(label, int(epsilon.size), quantiles, float(epsilon.mean()), float(epsilon.max()))


def pdp_for_one(
    result: IndividualPrivacy,
    index: int,
    *,
    repeats: int = 100,
    size: int | None = None,
    rng: int | np.random.Generator = 0,
) -> np.ndarray:
    """ε of one person in other data sets: the other rows drawn anew with replacement, shape (repeats,), nats.

    Parameters
    ----------
    index : position of the row that stays
    repeats : number of data sets drawn
    size : rows of each of them; as many as there are other rows by default

    Draws that leave the coefficients undetermined count as ε = ∞.
    """
    others, x, y = without_row(result.dataset, position(index, result.epsilon.size))
    repeats = validation.integer("repeats", repeats, minimum=1)
    size = others.n_samples if size is None else validation.integer("size", size, minimum=1)
    rng = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
    found = np.empty(repeats)
    for k in range(repeats):
        rows = rng.integers(others.n_samples, size=size)
        drawn = Dataset.from_arrays(others.X[rows], others.y[rows])
        try:
            found[k] = added_epsilon(drawn, result.mechanism, x, y, result.delta)
        except DataError:
            found[k] = np.inf
    return found


def whole(result: IndividualPrivacy, label: str) -> Subgroup:
    """Exposure of all rows as one group."""
    return subgroup(label, result.epsilon)
