"""A large table of plain numbers, read by pandas straight into doubles."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from dpcore.data.ingest.dialect import Dialect
from dpcore.data.ingest.text import count_bytes
from dpcore.data.ingest.text_values import MISSING_SPELLINGS

_CELLS = 2**18  # read at a time: they stay in cache until they are copied
_WHOLE = 2.0**53  # whole numbers up to here are doubles
_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2])
_BY_THREADS = _PANDAS >= (3, 1)  # a file is read by several
_NEAREST = {} if _PANDAS >= (3, 1) else {"float_precision": "round_trip"}  # before 3.1 the default was off by an ulp


def parse_numeric(
    halves: list[pa.Buffer], separators: list[int], dialect: Dialect, place: tuple[Path, int] | None = None
) -> list[np.ndarray] | None:
    """Columns of a text without quotation marks if every cell is a number or missing, otherwise None.

    pandas reads a file by several threads; of a text in memory both halves are read at once, each into its place. It fills
    a short row up with missing cells and may cut a long one; so a table counts only if its last column has no gap (no row
    is short) and the separators of each half are as many as its rows need (then no row is long).

    Parameters
    ----------
    halves : the text, or both parts of it
    separators : in each of them
    dialect : how to read it
    place : the file that holds the text and how many of its lines are above it, if there is one
    """
    most = [_most_rows(half, count, dialect) for half, count in zip(halves, separators, strict=True)]
    if min(most) < 0:
        return None
    columns = _of_file(*place, sum(most), dialect) if place and _BY_THREADS else _of_halves(halves, most, dialect)
    if columns is None or np.isnan(columns[-1]).any():
        return None
    whole: list[np.ndarray] = []
    for column in columns:
        if (typed := _whole(column)) is None:
            return None
        whole.append(typed)
    return whole


def _of_file(path: Path, above: int, most: int, dialect: Dialect) -> list[np.ndarray] | None:
    """The columns of a file below so many lines; None where a cell is no number or missing, or rows are lost."""
    try:
        frame = pd.read_csv(path, skiprows=above, dtype=np.float64, **_options(dialect))
    except (ValueError, OverflowError):
        return None
    is_whole = len(frame) == most or (len(dialect.names) == 1 and len(frame) > 0)
    return [frame[position].to_numpy() for position in frame] if is_whole else None


def _of_halves(halves: list[pa.Buffer], most: list[int], dialect: Dialect) -> np.ndarray | None:
    """The columns of a text, each half read by a thread; None where a cell is no number or missing, or rows are lost."""
    with ThreadPoolExecutor(len(halves)) as pool:
        columns = np.empty((len(dialect.names), sum(most)))
        places = [columns[:, : most[0]], columns[:, most[0] :]][: len(halves)]
        rows = list(pool.map(partial(_fill, dialect=dialect), halves, places))
    return columns[:, : sum(rows)] if min(rows) >= 0 else None


def _most_rows(part: pa.Buffer, separators: int, dialect: Dialect) -> int:
    """Rows by the separators (of a single column, at most: by the ends of lines); −1 where rows differ in length."""
    if len(dialect.names) == 1:
        return sum(count_bytes([part], b"\n\r")[0]) + 1
    rows, left = divmod(separators, len(dialect.names) - 1)
    return -1 if left else rows


def _fill(body: pa.Buffer, columns: np.ndarray, dialect: Dialect) -> int:
    """Read the text into the columns and count its rows; −1 where a cell is no number or missing, or rows are lost.

    pandas finds the type of a column faster than it obeys one; some rows at a time, a text ends the attempt early.
    """
    (width, most), rows = columns.shape, 0
    try:
        with pd.read_csv(
            pa.BufferReader(body), low_memory=False, chunksize=max(1, _CELLS // width), **_options(dialect)
        ) as reader:
            for frame in reader:
                if rows + len(frame) > most:
                    return -1
                for position, column in enumerate(columns):
                    values = frame[position].to_numpy()
                    if values.dtype != np.float64 and (values.dtype != np.int64 or (np.abs(values) >= _WHOLE).any()):
                        return -1
                    column[rows : rows + len(values)] = values
                rows += len(frame)
    except (ValueError, OverflowError):
        return -1
    return rows if width == 1 or rows == most else -1


def _options(dialect: Dialect) -> dict[str, Any]:
    """How pandas reads the cells."""
    return {
        "sep": dialect.separator,
        "decimal": dialect.decimal if dialect.decimal != dialect.separator else ".",
        "header": None,
        "names": range(len(dialect.names)),
        "index_col": False,
        "na_values": MISSING_SPELLINGS,
        "keep_default_na": False,
        "engine": "c",
        **_NEAREST,
    }


def _whole(values: np.ndarray) -> np.ndarray | None:
    """Whole numbers as int64, in place if possible, other numbers as they are; None where doubles cannot tell whole numbers apart."""
    for part in (values[:1000], values):
        if not (np.floor(part) == part).all():
            return values
    if not (np.abs(values) < _WHOLE).all():
        return None
    whole = values.view(np.int64) if values.flags.writeable else np.empty(len(values), dtype=np.int64)
    whole[:] = values
    return whole
