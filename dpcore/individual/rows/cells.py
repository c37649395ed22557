"""Which cell exposes a row: ε of the row if one cell at a time held the typical value of the other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from dpcore.data.ingest.origin import cell_text
from dpcore.individual.exposure import Exposures
from dpcore.individual.reasons import position
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.rows.rest import rests

# Number of columns whose pairs are tried: those whose cells change ε most. Doubled, there are four times as many pairs.
_PAIRED = 40
# If one cell accounts for at least this share of ε, no pair is searched for; a pair must account for as much. Doubled,
# none does unless ε falls to 0.
_ALONE = 0.5
# If a column has at most this many distinct numbers, the most frequent one is typical; else the median is. Doubled, the
# former holds for columns of three or four numbers too.
_FEW = 2


@dataclass(frozen=True)
class Cell:
    """One cell of a row: its value, the typical value, and ε of the row (nats) with the typical value in its place.

    contribution : ε now minus that ε; share : contribution/ε now, or 0 if ε now is 0 or infinite
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
        """Typical value of a column, in its own units, over all rows but the one at this position; nan if none."""
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
        """The row at this position, once for every group of columns, with the typical values in these columns."""
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
    """Computes the cells of rows of one result; what all rows have in common is prepared once."""

    def __init__(self, result: IndividualPrivacy) -> None:
        self.result = result
        self.encoder = result.dataset.encoder
        self.typical = Typical(result.dataset.original())
        self._rest = rests(result)

    def cells(self, rows: Sequence[int]) -> list[tuple[Cell, ...]]:
        r"""Cells of each of some rows, the one that exposes it most first.

        .. math:: ε_i(x_i, y_i) − ε_i(\tilde x_i, \tilde y_i)

        where one original cell (all its one-hot columns together, or the target) is replaced by the median or most
        frequent level of the other rows. The rest of the row and all other rows stay. Both ε come from the same fit to
        the other rows: exact for linear regression, an expansion around that fit for other models.

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
        """ε of each row, then of the records (X, y) in its place, all from the same fit to the other rows."""
        data, parts = self.result.dataset, []
        for row, (X, y) in zip(rows, records, strict=True):
            own = np.vstack([data.X[row], X]), np.append(data.y[row], y)
            parts.append(self._rest(row).exposures(self.result.mechanism, *own))
        epsilon = Exposures.joined(parts).epsilon(float(np.log(self.result.delta))).tolist()
        ends = np.cumsum([1 + len(y) for _, y in records]).tolist()
        return [epsilon[first:last] for first, last in zip([0, *ends], ends, strict=False)]

    def pair(self, row: int) -> CellPair | None:
        """The two cells that together expose a row most; None if one alone accounts for half of ε, or if two do not.

        If cells agree, such as a large salary and a large bonus, replacing only one of them changes ε little.
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
    """The two cells that together expose one row most, if no single one does; see `Attribution.pair`."""
    return Attribution(result).pair(position(index, result.epsilon.size))
