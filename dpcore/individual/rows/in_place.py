"""ε of records that take a row's place or are added to the rows, without the expansion around the fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.individual.exact.found import ExactEpsilon
from dpcore.individual.exposure import TOLERANCE, Aim, exact_row_of
from dpcore.individual.reasons import position
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.rows.cells import Typical


def exact_in_place(
    result: IndividualPrivacy,
    X: np.ndarray,
    y: np.ndarray,
    index: int | None = None,
    tolerance: float = TOLERANCE,
    progress: Callable[[float], None] = lambda share: None,
) -> ExactEpsilon:
    """ε of records X (k, n_features), y (k,) and the error bar of each, nats; each is in the data without the others.

    Parameters
    ----------
    result : the analysis of the data as they are
    X, y : records in scaled units
    index : position of the row whose place they take; None if they are added to all rows
    tolerance : wanted error of ε, nats
    progress : called with the share of the work that is done; an exception it raises stops the work

    Raises
    ------
    ParameterError, DataError
    UnsupportedError
        If only the expansion is known.
    """
    data, aim = result.dataset, Aim(float(np.log(result.delta)), validation.positive("tolerance", tolerance), progress)
    place = data.n_samples if index is None else position(index, data.n_samples)
    others = np.delete(data.X, place, axis=0) if index is not None else data.X
    targets = np.delete(data.y, place) if index is not None else data.y
    found = []
    for k, (x, target) in enumerate(zip(X, y, strict=True)):
        changed = Dataset.from_arrays(np.insert(others, place, x, axis=0), np.insert(targets, place, target))
        found.append(exact_row_of(result.mechanism, changed, place, aim.part(k, len(y))))
    return ExactEpsilon(*(np.array([float(value[0]) for value in part]) for part in zip(*found, strict=True)))


def typical_records(result: IndividualPrivacy, index: int, columns: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """X and y of the row at this position, once for each column, with the typical value of the other rows in it."""
    data = result.dataset
    index = position(index, data.n_samples)
    return data.encode(Typical(data.original()).replaced(index, [(name,) for name in columns]))
