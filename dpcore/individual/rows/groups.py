"""Rows grouped by a column of the file: its own levels and values, every row in exactly one group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.data.names import quoted, suggestion, unique_names, visible
from dpcore.errors import ParameterError
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.reasons import GROUP_LEVELS, quantiles
from dpcore.individual.result import IndividualPrivacy

# If a column has at most this many distinct numbers, each is a group. Doubled, there are up to twice as many groups.
FEW_VALUES = 12
# If a column has more levels than this, rows cannot be grouped by it. Doubled, tables of groups are up to twice as
# long.
MANY_LEVELS = 50
_MISSING = "missing"


@dataclass(frozen=True)
class Subgroup:
    """Exposure of the rows of one group: label, count, ε (nats) at `GROUP_LEVELS`, mean and largest ε, its method."""

    label: str
    count: int
    quantiles: tuple[float, ...]
    mean: float
    largest: float
    method: EpsilonMethod = EpsilonMethod.EXACT


def subgroup(label: str, epsilon: np.ndarray, method: EpsilonMethod = EpsilonMethod.EXACT) -> Subgroup:
    """Exposure of the rows of a group from the ε of each."""
    levels = tuple(float(value) for value in quantiles(epsilon, GROUP_LEVELS))
    return Subgroup(label, int(epsilon.size), levels, float(epsilon.mean()), float(epsilon.max()), method)


def whole(result: IndividualPrivacy, label: str) -> Subgroup:
    """Exposure of all rows as one group."""
    return subgroup(label, result.epsilon, result.method)


@dataclass(frozen=True)
class Grouping:
    """Groups of the rows used, in the order of the values: the positions of the members of each, by its label.

    absent : levels that occur only in rows that were left out, so they have no group
    """

    members: dict[str, np.ndarray]
    absent: tuple[str, ...] = ()


@dataclass(frozen=True)
class Subgroups:
    """Exposure of every group of a column.

    left_out : number of rows of the file that are in no group; absent : levels without a group
    """

    groups: tuple[Subgroup, ...]
    left_out: int
    absent: tuple[str, ...]


def columns(dataset: Dataset) -> tuple[str, ...]:
    """Columns of the file by which rows can be grouped, the target first; they need not be features."""
    if dataset.origin is None:
        return tuple(dataset.original(slice(0, 0)).columns)
    table = dataset.origin.table
    found = [
        column.name
        for column in table.columns
        if column.kind not in ("id", "constant", "empty", "duplicate")
        and (table.frame[column.name].dtype.kind in "if" or column.distinct <= MANY_LEVELS)
    ]
    return tuple(dict.fromkeys([dataset.target, *found]))


def group_rows(dataset: Dataset, column: str, bins: int = 4) -> Grouping:
    """Groups of rows: one for each level or each of at most 12 numbers; more numbers form about `bins` equal groups.

    Equal numbers are always in one group; a number with enough rows for a group is one by itself. Rows without a value
    are a group.

    Raises
    ------
    ParameterError
        If there is no such column, or it has too many levels.
    """
    bins = validation.integer("bins", bins, minimum=2)
    known = columns(dataset)
    if column not in known:
        raise ParameterError(
            f"rows cannot be grouped by {quoted(column)}: name a column with numbers or at most {MANY_LEVELS} levels; "
            f"{suggestion(column, known)}"
        )
    cells = _cells(dataset, column)
    missing = cells.isna().to_numpy()
    absent: set[str] = set()
    if cells.dtype.kind in "if":
        named = list(_by_number(cells.to_numpy(dtype=np.float64), bins))
    else:
        named = [(visible(str(level)), np.flatnonzero(cells == level)) for level in sorted(cells.dropna().unique())]
        if dataset.origin is not None:
            everywhere = {str(level) for level in dataset.origin.table.frame[column].dropna().unique()}
            absent = everywhere - set(cells.dropna().unique())
    if missing.any():
        named.append((_MISSING, np.flatnonzero(missing)))
    labels = unique_names([label for label, _ in named])[0]
    return Grouping(dict(zip(labels, (rows for _, rows in named), strict=True)), tuple(sorted(absent)))


def subgroups(result: IndividualPrivacy, column: str, bins: int = 4) -> Subgroups:
    """Exposure by the groups of `group_rows`.

    Raises
    ------
    ParameterError
    """
    dataset = result.dataset
    found = group_rows(dataset, column, bins)
    groups = [subgroup(label, result.epsilon[rows], result.method) for label, rows in found.members.items()]
    return Subgroups(tuple(groups), max(0, dataset.report.rows_read - dataset.n_samples), found.absent)


def _cells(dataset: Dataset, column: str) -> pd.Series:
    frame = dataset.original() if dataset.origin is None else dataset.origin.frame(slice(None), [column])
    cells = frame[column]
    return cells.astype(object) if isinstance(cells.dtype, pd.CategoricalDtype) else cells


def _by_number(values: np.ndarray, bins: int) -> Iterator[tuple[str, np.ndarray]]:
    """Groups of single numbers, or of neighbouring numbers with about equally many rows each, from low to high."""
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    parts = [(k, k) for k in range(distinct.size)] if distinct.size <= FEW_VALUES else _stretches(counts, bins)
    ends = [(float(distinct[first]), float(distinct[last])) for first, last in parts]
    for (low, high), label in zip(ends, _labels(ends), strict=True):
        yield label, np.flatnonzero((values >= low) & (values <= high))


def _stretches(counts: np.ndarray, bins: int) -> list[tuple[int, int]]:
    """First and last position of each stretch of values; a value with as many rows as a group stands alone."""
    share = counts.sum() / bins
    parts: list[tuple[int, int]] = []
    start = 0
    for heavy in [*np.flatnonzero(counts >= share).tolist(), counts.size]:
        if heavy > start:
            parts += _cut(counts[start:heavy], start, max(1, round(counts[start:heavy].sum() / share)))
        if heavy < counts.size:
            parts.append((heavy, heavy))
        start = heavy + 1
    return parts


def _cut(counts: np.ndarray, start: int, pieces: int) -> list[tuple[int, int]]:
    below = np.cumsum(counts)
    wanted = below[-1] * np.arange(1, pieces) / pieces
    lasts = np.unique(np.append(np.abs(below[:, None] - wanted).argmin(axis=0), counts.size - 1))
    firsts = np.append(0, lasts[:-1] + 1)
    return [(start + int(first), start + int(last)) for first, last in zip(firsts, lasts, strict=True)]


def _labels(ends: list[tuple[float, float]]) -> list[str]:
    """ "3" or "3 to 7", with as many digits as it takes to tell neighbours apart."""
    for digits in range(4, 16):
        shown = [(f"{low:.{digits}g}", f"{high:.{digits}g}") for low, high in ends]
        different = all((low == high) == (a == b) for (low, high), (a, b) in zip(ends, shown, strict=True))
        if different and all(one[1] != other[0] for one, other in pairwise(shown)):
            break
    return [_plain(a) if a == b else f"{_plain(a)} to {_plain(b)}" for a, b in shown]


def _plain(text: str) -> str:
    return f"{float(text):.0f}" if "e+" in text and abs(float(text)) < 1e15 else text
