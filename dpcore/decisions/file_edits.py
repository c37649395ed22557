"""Edits of a file: each says in words what it does, and does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from dpcore.data.ingest.csv import read_table
from dpcore.data.ingest.table import Table
from dpcore.data.names import LISTED, disarmed, listed, quoted, safe_csv
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.rows.cells import exposing_cells
from dpcore.individual.rows.edits import Edit, edits

# A cell's column is changed if the cell accounts for at least this share of ε. Doubled, fewer changes are tried.
_LEAST_SHARE = 0.05
# Up to this many rows, three changes of each kind are tried in the columns of two cells; beyond, one in one column.
# Doubled, a file of so many rows takes four times as long.
TRY_MORE = 10_000
# A change is tried if it moves at most the share _FEW of the cells by more than _LITTLE of the distance between the
# quartiles. With either doubled, stricter changes are tried.
_FEW, _LITTLE = 0.1, 0.1


@dataclass(frozen=True)
class FileEdit:
    """One change of a file.

    Parameters
    ----------
    text : what it does, in words
    change : function from the rows of the file, indexed from 0, to the changed rows with their index kept
    note : what `text` leaves out
    rows : numbers in the file of the rows it leaves out
    """

    text: str
    change: Callable[[pd.DataFrame], pd.DataFrame]
    note: str = ""
    rows: tuple[int, ...] = ()


def edited(frame: pd.DataFrame, changes: Sequence[FileEdit]) -> pd.DataFrame:
    """The rows of a file after these edits; the index holds their positions in the file as it is."""
    for edit in changes:
        frame = edit.change(frame)
    return frame


def edited_file(table: Table, changes: Sequence[FileEdit]) -> bytes:
    """The file of a table after these edits, as CSV (UTF-8) in which no text is run as a formula."""
    return safe_csv(edited(table.frame, changes))


def read_again(table: Table, changes: Sequence[FileEdit]) -> Table:
    """The table that is read from the edited file; its names and levels are those of `table`, without apostrophes."""
    found = read_table(edited_file(table, changes), table.name)
    columns, frame, names = [], found.frame.copy(deep=False), dict(zip(found.names, table.names, strict=True))
    for place, column in enumerate(found.columns):
        were = {disarmed(level): level for level in table.levels(names[column.name])}
        levels = [were.get(level, level) for level in column.levels]
        if tuple(levels) != column.levels:
            cells = frame.iloc[:, place].cat.rename_categories(levels)
            frame.isetitem(place, cells.cat.reorder_categories(sorted(levels)))
        own, same = names[column.name], names.get(column.same_as, "")
        columns.append(replace(column, name=own, levels=tuple(sorted(levels)), same_as=same))
    frame.columns = list(names.values())
    return replace(found, frame=frame, columns=tuple(columns))


def leave_out(rows: Sequence[int], name: str = "") -> FileEdit:
    """Leave out rows, by their numbers in the file; `name` says which, if it is one."""
    rows = sorted(rows)
    said = name or f"rows {listed(rows[:LISTED], len(rows))}"
    return FileEdit(f"leave out {said}", partial(_without, numbers=tuple(rows)), rows=tuple(rows))


def one_row_each(column: str, numbers: Sequence[int]) -> FileEdit:
    """Keep the first row of each person; `numbers` are those of all their other rows."""
    return FileEdit(
        f"keep the first row of each person ({quoted(column)})", partial(_without, numbers=tuple(numbers)), rows=tuple(numbers)
    )  # fmt: skip


def _without(frame: pd.DataFrame, numbers: Sequence[int]) -> pd.DataFrame:
    return frame.drop(index=[number - 1 for number in numbers], errors="ignore")


def _with_column(frame: pd.DataFrame, name: str, change: Callable[[pd.Series], pd.Series]) -> pd.DataFrame:
    """One column changed; whole numbers are still written without a decimal point."""
    cells = change(frame[name])
    if frame[name].dtype.kind == "i" and cells.dtype.kind == "f" and np.array_equal(cells, np.floor(cells)):
        cells = cells.astype(frame[name].dtype)
    return frame.assign(**{name: cells})


def _of_column(edit: Edit, change: Callable[[pd.Series], pd.Series]) -> FileEdit:
    return FileEdit(edit.text, partial(_with_column, name=edit.column, change=change), edit.note)


def column_edits(result: IndividualPrivacy, index: int) -> Iterator[FileEdit]:
    """Caps, roundings and merged levels of the columns whose cells expose the row at this position most."""
    dataset = result.dataset
    few = dataset.n_samples > TRY_MORE
    frame = dataset.original()
    for cell in exposing_cells(result, index)[: 1 if few else 2]:
        if cell.share < _LEAST_SHARE and np.isfinite(cell.contribution):
            continue
        for family in edits(dataset, frame, index, cell):
            mild = [
                _of_column(edit, edit.change)
                for edit in family
                if edit.change is not None and _is_mild(frame[edit.column], edit.change)
            ]
            places = sorted({0, len(mild) // 2, len(mild) - 1} if not few else {len(mild) // 2})
            yield from (mild[place] for place in places if mild)


def _is_mild(column: pd.Series, change: Callable[[pd.Series], pd.Series]) -> bool:
    """Whether a change leaves nearly all cells as they are, or nearly so."""
    changed = change(column)
    if column.dtype.kind in "if":
        between = column.quantile(0.75) - column.quantile(0.25)
        moved = (changed - column).abs() > _LITTLE * between
    else:
        moved = (changed.astype(object) != column.astype(object)) & column.notna()
    return bool(moved.mean() <= _FEW)
