"""Persons with several rows, as far as a file can tell: ids that repeat, or exact copies; ε per person beside ε per row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from dpcore.data.dataset import Dataset
from dpcore.data.ingest.choose import id_columns
from dpcore.data.names import LISTED, grouped, listed, quoted
from dpcore.errors import or_reason
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.rows.group_privacy import group_privacy

# Persons whose ε is computed; doubled, it takes twice as long.
_SHOWN = 3
# Rows of one person up to which it is, as they leave one after another; doubled, it takes four times as long.
_LONGEST = 30
# Rows of the data times rows of the persons beyond which ε per person is computed on request only; doubled, the wait is too.
_MOST_WORK = 2_000_000


@dataclass(frozen=True, eq=False)
class Persons:
    """Rows that may be one person's: positions of each person with at least two; column : of ids, "" where they are copies."""

    column: str
    groups: tuple[np.ndarray, ...]
    n_samples: int

    @property
    def sentence(self) -> str:
        """How many rows repeat another; empty where none does."""
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
    """ε of all rows of one person together, nats: numbers of the rows in the file, ε, that of the most exposed row, what ε is."""

    rows: tuple[int, ...]
    epsilon: float
    largest: float
    method: EpsilonMethod

    @property
    def called(self) -> str:
        """The rows in words."""
        return f"rows {listed(self.rows[:LISTED], len(self.rows))}"


def persons_of(dataset: Dataset) -> Persons:
    """Rows with the same id, where an id repeats; else rows whose cells agree in the target and all features."""
    if dataset.origin is not None:
        for name in id_columns(dataset.origin.table, dataset.origin.label):
            if found := _repeated(dataset.origin.frame(slice(None), [name]).dropna()):
                return Persons(name, found, dataset.n_samples)
    return Persons("", _repeated(dataset.original()), dataset.n_samples)


def exposed_persons(result: IndividualPrivacy, persons: Persons) -> tuple[PersonExposure, ...]:
    """ε per person, by group privacy, of those whose rows have the largest sum of ε; those it is not known for are left out."""
    order = sorted(persons.groups, key=lambda rows: -float(result.epsilon[rows].sum()))
    exposed = []
    for rows in order[:_SHOWN]:
        if rows.size > _LONGEST or rows.size >= persons.n_samples:
            continue
        found, _ = or_reason(partial(group_privacy, result.dataset, result.mechanism, rows, result.delta))
        if found is not None:
            numbers = tuple(result.dataset.row_labels[rows].tolist())
            largest = float(result.epsilon[rows].max())  # the best known, where the group's is by the expansion
            exposed.append(PersonExposure(numbers, max(found.epsilon, largest), largest, found.method))
    return tuple(exposed)


def is_quick(persons: Persons) -> bool:
    """Whether ε per person can be computed beside everything else."""
    largest = sorted((rows.size for rows in persons.groups), reverse=True)[:_SHOWN]
    return persons.n_samples * sum(min(size, _LONGEST) for size in largest) <= _MOST_WORK


def _repeated(frame: pd.DataFrame) -> tuple[np.ndarray, ...]:
    """Positions of equal rows, those that occur once left out; the index counts the positions."""
    keys = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    order = np.argsort(keys, kind="stable")
    groups = np.split(frame.index.to_numpy()[order], np.flatnonzero(np.diff(keys[order])) + 1)
    return tuple(sorted((rows for rows in groups if rows.size > 1), key=lambda rows: int(rows[0])))
