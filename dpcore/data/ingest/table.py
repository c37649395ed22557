"""A table as it was read: typed columns, the kind of each of them, and how the file was written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from dpcore.data.ingest.kinds import Column, describe
from dpcore.data.ingest_report import Note
from dpcore.data.names import grouped, quoted, unique_names
from dpcore.errors import DataError

MAX_COLUMNS = 2_000
MAX_CELLS = 250_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A typed table; equal to another exactly when both were read from the same bytes.

    Parameters
    ----------
    name : name of the file
    frame : numeric columns as float64 or int64, boolean and categorical ones as categories, everything else as text
    columns : one `Column` per column of the frame
    separator, encoding, decimal : how the file was written ("" for Parquet)
    sha256 : digest of the bytes of the file, hexadecimal
    notes : what was done to read it
    """

    name: str
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    separator: str
    encoding: str
    decimal: str
    sha256: str = ""
    notes: tuple[Note, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of data rows."""
        return len(self.frame)

    @property
    def names(self) -> tuple[str, ...]:
        """Column names, unique."""
        return tuple(self._by_name)

    def column(self, name: str) -> Column:
        """The column of that name (KeyError if there is none)."""
        return self._by_name[name]

    def levels(self, name: str) -> tuple[str, ...]:
        """The texts of a column of categories; () for any other column."""
        return self.column(name).levels

    def cells(self, name: str) -> np.ndarray:
        """The cells of a column; for a column of categories, their positions among the levels (−1 where missing)."""
        series = self.frame[name]
        return series.cat.codes.to_numpy() if self.levels(name) else series.to_numpy()

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    def __eq__(self, other: object) -> bool:
        return self.sha256 == other.sha256 if isinstance(other, Table) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.sha256)

    def __repr__(self) -> str:
        return f"Table(n_rows={self.n_rows}, n_columns={len(self.columns)}, sha256='{self.sha256}')"


def check_width(width: int) -> None:
    """Refuse a table with too many columns before anything is done with it."""
    if width > MAX_COLUMNS:
        raise DataError(
            f"The table has {width} columns; at most {MAX_COLUMNS} are supported. Keep the columns you need and "
            "upload the file again."
        )


def check_cells(rows: int, columns: int) -> None:
    """Refuse a table with too many cells."""
    if rows * columns > MAX_CELLS:
        raise DataError(
            f"The table has {grouped(rows)} rows and {columns} columns; at most {grouped(MAX_CELLS)} cells are supported. "
            "Upload fewer columns or a sample of the rows."
        )


def build_table(
    arrays: list[Any],
    header: Sequence[str],
    name: str,
    separator: str = "",
    encoding: str = "",
    decimal: str = ".",
    notes: Sequence[Note] = (),
) -> Table:
    """Type every column (chunked array, array or `Unread`), and release its parsed form at once.

    Every entry of the list is replaced by None.

    Parameters
    ----------
    arrays : parsed columns
    header : names of the columns as written in the file
    name : name of the file
    separator, encoding, decimal : how the file was written ("" for Parquet)
    notes : what was done to read it
    """
    length = len(arrays[0]) if arrays else 0
    if length < 2:
        raise DataError(
            "The file holds a line of column names but no data rows; add at least two rows of data."
            if length == 0
            else "The file holds only one data row; at least two are needed to learn anything. Add more rows."
        )
    check_cells(length, len(arrays))
    notes = list(notes)
    names, named = _settle_names(header, notes)
    columns, data = [], []
    for position, (column_name, is_named) in enumerate(zip(names, named, strict=True)):
        column, values = describe(column_name, arrays[position], decimal, is_named)
        columns.append(replace(column, is_number=values.dtype.kind in "if"))
        data.append(values)
        arrays[position] = None
        pa.default_memory_pool().release_unused()
    notes += [infinite_note(column) for column in columns if column.infinite]
    columns = _mark_duplicates(columns, data)
    frame = pd.DataFrame(dict(enumerate(data)), copy=False)
    frame.columns = pd.Index(names, dtype="str")
    return Table(name, frame, tuple(columns), separator, encoding, decimal, notes=tuple(notes))


def infinite_note(column: Column) -> Note:
    """The note about the infinite values of a column."""
    text = f"Column {quoted(column.name)} holds {column.infinite} infinite value(s); they count as missing."
    return Note("warning", text)


def _settle_names(header: Sequence[str], notes: list[Note]) -> tuple[tuple[str, ...], list[bool]]:
    named = [bool(name) for name in header]
    filled = [name or f"column {position + 1}" for position, name in enumerate(header)]
    if not all(named):
        places = ", ".join(str(position + 1) for position, given in enumerate(named) if not given)[:80]
        notes.append(Note("info", f"Unnamed column(s) at position {places} were named after their position."))
    names, repeated = unique_names(filled)
    for name in repeated:
        notes.append(Note("warning", f"The name {quoted(name)} is used more than once; repeats were numbered."))
    return names, named


def _mark_duplicates(columns: list[Column], data: list[Any]) -> list[Column]:
    """A column with the same content as an earlier one gets the kind "duplicate" and the name of the earlier one."""
    alike: dict[Any, list[int]] = {}  # positions of different columns with the same levels and the same first cells
    result = []
    for position, column in enumerate(columns):
        if column.kind not in ("constant", "empty") and column.distinct:
            cells = _cells(data[position])
            head = tuple(None if cell != cell else cell for cell in cells[:32].tolist())
            candidates = alike.setdefault((column.levels, cells.dtype == object, column.missing, head), [])
            earlier = next((j for j in candidates if _same(_cells(data[j]), cells)), None)
            if earlier is None:
                candidates.append(position)
            else:
                original = columns[earlier].name
                note = f"same content as {quoted(original)}"
                column = replace(column, kind="duplicate", note=note, same_as=original)
        result.append(column)
    return result


def _cells(values: Any) -> np.ndarray:
    return values.codes if isinstance(values, pd.Categorical) else values


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.array_equal(one, other, equal_nan=one.dtype != object))
