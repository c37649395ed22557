"""Persons with several rows, as far as a file can tell (by repeated ids, or exact copies), and ε of each person."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from dpcore.data.dataset import Dataset
from dpcore.data.ingest.choose import find_column, id_columns
from dpcore.data.names import LISTED, grouped, listed, quoted
from dpcore.errors import DataError, or_reason
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.rows.group_privacy import together

# Number of persons whose ε is computed. Doubled, it takes twice as long.
_SHOWN = 3
# Largest number of rows of a person whose ε is computed, as the rows are removed one after another. Doubled, it takes
# four times as long.
_LONGEST = 30
# If the rows of the data times the rows of the persons are more than this, ε per person is computed on request only.
# Doubled, the longest wait is twice as long.
_MOST_WORK = 2_000_000


@dataclass(frozen=True, eq=False)
class Persons:
    """Rows that may belong to one person.

    Parameters
    ----------
    column : the column of the repeated ids; "" if the rows are copies
    groups : positions of the rows of each person who has at least two
    n_samples : number of all rows
    """

    column: str
    groups: tuple[np.ndarray, ...]
    n_samples: int

    @property
    def sentence(self) -> str:
        """A sentence on how many rows repeat another; empty if none does."""
        count = sum(rows.size - 1 for rows in self.groups)
        if not count:
            return ""
        one = count == 1
        said = (
            f"{grouped(count)} row{' repeats' if one else 's repeat'} the id ({quoted(self.column)}) of an earlier row"
            if self.column
            else f"{grouped(count)} row{' is an exact copy' if one else 's are exact copies'} of an earlier row in all columns used"
        )
        return f"{said}: ε is that of one row, and a person with several rows is exposed by all of them together."


@dataclass(frozen=True)
class PersonExposure:
    """ε of all rows of one person together.

    Parameters
    ----------
    rows : numbers of the rows in the file
    epsilon : ε of all of them together, nats
    largest : ε of the most exposed of them alone, nats
    method : what `epsilon` is
    """

    rows: tuple[int, ...]
    epsilon: float
    largest: float
    method: EpsilonMethod

    def beside(self, largest: float) -> float:
        """ε of all of them, given ε of the most exposed one: no less, unless it is known to be less as rows cancel."""
        return self.epsilon if self.method is EpsilonMethod.EXACT else max(self.epsilon, largest)

    @property
    def called(self) -> str:
        """The rows in words."""
        return f"rows {listed(self.rows[:LISTED], len(self.rows))}"


def persons_of(dataset: Dataset) -> Persons:
    """Rows with the same id, if an id repeats; else rows whose cells agree in the target and all features."""
    if dataset.origin is not None:
        for name in id_columns(dataset.origin.table, dataset.origin.label):
            if found := _repeated(dataset.origin.frame(slice(None), [name]).dropna()):
                return Persons(name, found, dataset.n_samples)
    return Persons("", _repeated(dataset.original()), dataset.n_samples)


def persons_by(dataset: Dataset, column: str) -> Persons:
    """Rows with equal cells in a column of the file belong to one person; a row without a cell is a person of its own.

    Raises
    ------
    DataError
        If there is no such column.
    """
    if dataset.origin is None:
        raise DataError("These data were not read from a table, so no column says whose row it is.")
    name = find_column(dataset.origin.table, column, "column of persons")
    return Persons(name, _repeated(dataset.origin.frame(slice(None), [name]).dropna()), dataset.n_samples)


def exposed_persons(result: IndividualPrivacy, persons: Persons) -> tuple[PersonExposure, ...]:
    """ε by group privacy of the persons with the largest sums of ε; a person for whom it is not known is left out."""
    order = sorted(persons.groups, key=lambda rows: -float(result.epsilon[rows].sum()))
    exposed = []
    for rows in order[:_SHOWN]:
        if rows.size > _LONGEST or rows.size >= persons.n_samples:
            continue
        found, _ = or_reason(partial(together, result, rows))
        if found is not None:
            numbers = tuple(result.dataset.row_labels[rows].tolist())
            largest = float(result.epsilon[rows].max())
            one = PersonExposure(numbers, found.epsilon, largest, found.method)
            exposed.append(replace(one, epsilon=one.beside(largest)))
    return tuple(exposed)


def is_quick(persons: Persons) -> bool:
    """Whether ε per person takes so little time that it is computed without being asked for."""
    largest = sorted((rows.size for rows in persons.groups), reverse=True)[:_SHOWN]
    return persons.n_samples * sum(min(size, _LONGEST) for size in largest) <= _MOST_WORK


def _repeated(frame: pd.DataFrame) -> tuple[np.ndarray, ...]:
    """Positions of equal rows, as groups of at least two; the index of the frame holds the positions."""
    keys = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    order = np.argsort(keys, kind="stable")
    groups = np.split(frame.index.to_numpy()[order], np.flatnonzero(np.diff(keys[order])) + 1)
    return tuple(sorted((rows for rows in groups if rows.size > 1), key=lambda rows: int(rows[0])))
