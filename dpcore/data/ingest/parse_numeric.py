"""A large table of plain numbers, read by pandas straight into doubles."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa

from dpcore.data.ingest.dialect import Dialect
from dpcore.data.ingest.text import count_bytes
from dpcore.data.ingest.text_values import MISSING_SPELLINGS

_BYTES = 2_500_000  # of text read at a time: its numbers stay in cache until they are copied
_WHOLE = 2.0**53  # whole numbers up to here are doubles
_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2])
_NEAREST = {} if _PANDAS >= (3, 1) else {"float_precision": "round_trip"}  # before 3.1 the default was off by an ulp


def parse_numeric(halves: list[pa.Buffer], separators: list[int], dialect: Dialect) -> list[np.ndarray] | None:
    """Columns of a text without quotation marks if every cell is a number or missing, otherwise None.

    Both halves of a long text are read at once, each into its place. pandas fills a short row up with missing cells and
    may cut a long one; so a table counts only if its last column has no gap (no row is short) and the separators of each
    half are as many as its rows need (then no row is long).

    Parameters
    ----------
    halves : the text, or both parts of it
    separators : in each of them
    dialect : how to read it
    """
    most = [_most_rows(half, count, dialect) for half, count in zip(halves, separators, strict=True)]
    if min(most) < 0:
        return None
    with ThreadPoolExecutor(len(halves)) as pool:
        columns = np.empty((len(dialect.names), sum(most)))
        places = [columns[:, : most[0]], columns[:, most[0] :]][: len(halves)]
        rows = list(pool.map(partial(_fill, dialect=dialect), halves, places))
    columns = columns[:, : sum(rows)]
    if min(rows) < 0 or np.isnan(columns[-1]).any():
        return None
    whole: list[np.ndarray] = []
    for column in columns:
        if (typed := _whole(column)) is None:
            return None
        whole.append(typed)
    return whole


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
            pa.BufferReader(body),
            sep=dialect.separator,
            decimal=dialect.decimal if dialect.decimal != dialect.separator else ".",
            header=None,
            names=range(width),
            index_col=False,
            na_values=MISSING_SPELLINGS,
            keep_default_na=False,
            engine="c",
            low_memory=False,
            chunksize=max(1, _BYTES * most // body.size),
            **_NEAREST,
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


def _whole(values: np.ndarray) -> np.ndarray | None:
    """Whole numbers as int64 in place, other numbers as they are; None where doubles cannot tell whole numbers apart."""
    for part in (values[:1000], values):
        if not (np.floor(part) == part).all():
            return values
    if not (np.abs(values) < _WHOLE).all():
        return None
    whole = values.view(np.int64)
    whole[:] = values
    return whole
