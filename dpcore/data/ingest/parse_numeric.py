"""A large table of plain numbers, read by pandas straight into doubles."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pyarrow as pa

from dpcore.data.ingest.dialect import Dialect
from dpcore.data.ingest.text_values import MISSING_SPELLINGS

_SCAN = 2**18
_LONG = 2**24  # bytes from which on two threads read a text
_CELLS = 2**17  # read at a time: they stay in cache until they are copied
_WHOLE = 2.0**53  # whole numbers up to here are doubles
_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2])
_NEAREST = {} if _PANDAS >= (3, 1) else {"float_precision": "round_trip"}  # before 3.1 the default was off by an ulp


def count_byte(body: pa.Buffer, byte: bytes) -> int:
    """How often a byte occurs."""
    values = np.frombuffer(body, dtype=np.uint8)
    code = ord(byte)
    return sum(int(np.count_nonzero(values[start : start + _SCAN] == code)) for start in range(0, len(values), _SCAN))


def parse_numeric(body: pa.Buffer, dialect: Dialect) -> list[np.ndarray] | None:
    """Columns of a text without quotation marks if every cell is a number or missing, otherwise None.

    Both halves of a long text are read at once. pandas fills a short row up with missing cells and may cut a long one;
    so a table counts only if its last column has no gap (no row is short) and the separators of each half are as many
    as its rows need (then no row is long).
    """
    halves = _halves(body)
    with ThreadPoolExecutor(1) as pool:
        second = [pool.submit(_read, half, dialect) for half in halves[1:]]
        read = [_read(halves[0], dialect), *(part.result() for part in second)]
    parts = [part for part in read if part is not None]
    if len(parts) < len(read):
        return None
    columns: list[np.ndarray] = []
    for _ in dialect.names:
        pieces = [part.pop(0) for part in parts]
        column = _whole(pieces[0] if len(pieces) == 1 else np.concatenate(pieces))
        if column is None:
            return None
        columns.append(column)
    return None if np.isnan(columns[-1]).any() else columns


def _halves(body: pa.Buffer) -> list[pa.Buffer]:
    """A long text in two parts, cut at the end of a line near the middle."""
    if body.size < _LONG:
        return [body]
    middle = body.size // 2
    end = body[middle : middle + _SCAN].to_pybytes().find(b"\n")
    return [body] if end < 0 else [body[: middle + end + 1], body[middle + end + 1 :]]


def _read(body: pa.Buffer, dialect: Dialect) -> list[np.ndarray] | None:
    """Columns as doubles; None where a cell is neither a number nor missing, or a whole number is no double.

    pandas finds the type of a column faster than it obeys one; some rows at a time, a text ends the attempt early.
    """
    width = len(dialect.names)
    if width == 1:
        separators, most = 0, count_byte(body, b"\n") + count_byte(body, b"\r") + 1
    else:
        separators = count_byte(body, dialect.separator.encode())
        most = separators // (width - 1)
        if separators != most * (width - 1):
            return None
    columns = [np.empty(most) for _ in dialect.names]
    rows = 0
    try:
        with pd.read_csv(
            pa.BufferReader(body),
            sep=dialect.separator,
            decimal=dialect.decimal if dialect.decimal != dialect.separator else ".",
            header=None,
            names=range(len(dialect.names)),
            index_col=False,
            na_values=MISSING_SPELLINGS,
            keep_default_na=False,
            engine="c",
            low_memory=False,
            chunksize=max(1, _CELLS // width),
            **_NEAREST,
        ) as reader:
            for frame in reader:
                if rows + len(frame) > most:
                    return None
                for position, column in enumerate(columns):
                    values = frame[position].to_numpy()
                    if values.dtype != np.float64 and (values.dtype != np.int64 or (np.abs(values) >= _WHOLE).any()):
                        return None
                    column[rows : rows + len(values)] = values
                rows += len(frame)
    except (ValueError, OverflowError):
        return None
    return [column[:rows] for column in columns] if width == 1 or rows == most else None


def _whole(values: np.ndarray) -> np.ndarray | None:
    """Whole numbers as int64, other numbers as they are; None where doubles cannot tell whole numbers apart."""
    for part in (values[:1000], values):
        if not (np.floor(part) == part).all():
            return values
    return values.astype(np.int64) if (np.abs(values) < _WHOLE).all() else None
