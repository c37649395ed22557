"""Which cell exposes a row: its ε if one cell at a time held what is typical of the other rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from dpcore.data.ingest.origin import cell_text
from dpcore.individual.exposure import Exposures
from dpcore.individual.reasons import position
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.rows.rest import Rest, rests

# Columns of which pairs are looked at, those whose cells change ε most; doubled, there are four times as many pairs.
_PAIRED = 40
# Share of ε from which one cell says enough; doubled, no cell does.
_ALONE = 0.5
# Distinct numbers up to which the most frequent one is typical, not the median; doubled, it is of columns of four numbers too.
_FEW = 2


@dataclass(frozen=True)
class Cell:
    """One cell of a row: what it holds, what is typical, and ε of the row (nats) with the typical value in its place.

    contribution : ε now less ε then; share : of ε now, 0 where that is 0 or infinite.
    """

    column: str
    value: str
    typical: str
    epsilon: float
    contribution: float
    share: float
    is_target: bool


@dataclass(frozen=True)
class CellPair:
    """Two cells of a row that expose it together, and ε of the row (nats) with the typical values in both places."""

    cells: tuple[Cell, Cell]
    epsilon: float
    share: float


class Typical:
    """Median, or most frequent level, of every column over all rows but one."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        self._sorted: dict[str, Any] = {}

    def of(self, name: str, index: int) -> Any:
        """Typical value of a column, in its own units, over the rows beside the one at this position; nan if none."""
        if name not in self._sorted:
            column = self.frame[name]
            self._sorted[name] = (*self._prepared(column), column.to_numpy(dtype=object))
        values, counts, cells = self._sorted[name]
        own = cells[index]
        if counts is not None:
            less = counts - (values == own) if not pd.isna(own) else counts
            return values[int(np.argmax(less))] if len(values) and less.max() > 0 else np.nan
        if pd.isna(own):
            return float(np.median(values))
        out, rest = int(np.searchsorted(values, own)), len(values) - 1
        middle = [values[k + (k >= out)] for k in ((rest - 1) // 2, rest // 2)]
        return float(middle[0] / 2 + middle[1] / 2) if middle[0] != middle[1] else float(middle[0])

    def replaced(self, index: int, columns: Sequence[tuple[str, ...]]) -> pd.DataFrame:
        """The row at this position once for every group of columns, with what is typical of the others in these."""
        own = self.frame.iloc[index]
        records = {name: np.full(len(columns), own[name], dtype=object) for name in self.frame.columns}
        for place, group in enumerate(columns):
            for name in group:
                if not pd.isna(value := self.of(name, index)):
                    records[name][place] = value
        return pd.DataFrame(records)

    @staticmethod
    def _prepared(column: pd.Series) -> tuple[np.ndarray, np.ndarray | None]:
        if column.dtype.kind not in "if":
            counted = column.value_counts(sort=False)
            return counted.index.to_numpy(dtype=object), counted.to_numpy()
        values = np.sort(column.to_numpy(dtype=np.float64))
        values = values[: len(values) - int(np.count_nonzero(np.isnan(values)))]
        distinct, counts = np.unique(values, return_counts=True)
        return (distinct, counts) if len(distinct) <= _FEW else (values, None)


class Attribution:
    """Cells of the rows of one result; what all rows have in common is prepared once."""

    def __init__(self, result: IndividualPrivacy) -> None:
        self.result = result
        self.encoder = result.dataset.encoder
        self.typical = Typical(result.dataset.original())

    @cached_property
    def _rests(self) -> Callable[[int], Rest]:
        return rests(self.result)

    def cells(self, rows: Sequence[int]) -> list[tuple[Cell, ...]]:
        r"""Cells of each of some rows, the one that exposes it most first.

        .. math:: ε_i(x_i, y_i) − ε_i(\tilde x_i, \tilde y_i)

        with one original cell (all one-hot columns of it together, or the target) replaced by the median or most
        frequent level of the other rows; the rest of the row and all other rows stay. By one fit to the others, exact
        where ε of a record is; of another model both ε are its expansion around that fit.

        Raises
        ------
        DataError, ParameterError
        """
        rows = [position(row, self.result.epsilon.size) for row in rows]
        names = [self.encoder.target, *self.encoder.features]
        one_by_one = [self.typical.replaced(row, [(name,) for name in names]) for row in rows]
        X, y = self.result.dataset.encode(pd.concat(one_by_one, ignore_index=True))
        parts = [slice(k * len(names), (k + 1) * len(names)) for k in range(len(rows))]
        epsilon = self._in_place(rows, [(X[part], y[part]) for part in parts])
        found = []
        for row, (now, *then) in zip(rows, epsilon, strict=True):
            cells = [self._cell(name, row, now, after) for name, after in zip(names, then, strict=True)]
            found.append(tuple(sorted(cells, key=lambda cell: -cell.contribution)))
        return found

    def _in_place(self, rows: Sequence[int], records: list[tuple[np.ndarray, np.ndarray]]) -> list[list[float]]:
        """ε of each row, then of the records (X, y) in its place, all by the same fit to the others."""
        data, parts = self.result.dataset, []
        for row, (X, y) in zip(rows, records, strict=True):
            own = np.vstack([data.X[row], X]), np.append(data.y[row], y)
            parts.append(self._rests(row).exposures(self.result.mechanism, *own))
        epsilon = Exposures.joined(parts).epsilon(float(np.log(self.result.delta))).tolist()
        ends = np.cumsum([1 + len(y) for _, y in records]).tolist()
        return [epsilon[first:last] for first, last in zip([0, *ends], ends, strict=False)]

    def pair(self, row: int) -> CellPair | None:
        """The two cells that expose a row most together; None where one alone accounts for half of ε, or two do not.

        Cells that agree, such as a large salary and a large bonus, hide each other while one of them is replaced alone.
        """
        (found,) = self.cells([row])
        now = found[0].epsilon + found[0].contribution
        if not 0 < now < np.inf or found[0].share >= _ALONE:
            return None
        names = [cell.column for cell in sorted(found, key=lambda cell: -abs(cell.contribution))[:_PAIRED]]
        both = list(combinations(names, 2))
        X, y = self.result.dataset.encode(self.typical.replaced(row, both))
        then = self._in_place([row], [(X, y)])[0][1:]
        best = int(np.argmin(then)) if len(both) else -1
        if best < 0 or 1 - then[best] / now < _ALONE:
            return None
        one, other = (cell for cell in found if cell.column in both[best])
        return CellPair((one, other), float(then[best]), float(1 - then[best] / now))

    def _cell(self, name: str, row: int, now: float, then: float) -> Cell:
        value, typical = self.typical.frame[name].iloc[row], self.typical.of(name, row)
        same = value == typical or pd.isna(typical)
        contribution = 0.0 if same or now == then else now - then
        share = contribution / now if 0 < now < np.inf else 0.0
        shown = cell_text(value) or "missing"
        is_target = name == self.encoder.target
        return Cell(name, shown, cell_text(typical) or shown, now - contribution, contribution, share, is_target)


def exposing_cells(result: IndividualPrivacy, index: int) -> tuple[Cell, ...]:
    """Cells of one row, the one that exposes it most first; see `Attribution.cells`."""
    return Attribution(result).cells([index])[0]


def main_cells(result: IndividualPrivacy, rows: Sequence[int]) -> list[Cell]:
    """The cell that exposes each of some rows most."""
    return [found[0] for found in Attribution(result).cells(rows)]


def main_pair(result: IndividualPrivacy, index: int) -> CellPair | None:
    """The two cells that expose one row most together, where none does alone; see `Attribution.pair`."""
    return Attribution(result).pair(position(index, result.epsilon.size))
