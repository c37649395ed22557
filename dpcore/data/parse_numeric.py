"""A large table of plain numbers, read by pandas straight into doubles."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from dpcore.data.dialect import Dialect
from dpcore.data.text_values import MISSING_SPELLINGS

_SCAN = 2**18
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

    pandas fills a short row up with missing cells and may cut
    a long one; so a table counts only if its last column has no gap (no row is short) and the separators are as many
    as the rows need (then no row is long).
    """
    try:
        frame = pd.read_csv(
            pa.BufferReader(body),
            sep=dialect.separator,
            decimal=dialect.decimal if dialect.decimal != dialect.separator else ".",
            header=None,
            names=range(len(dialect.names)),
            dtype=np.float64,
            index_col=False,
            na_values=MISSING_SPELLINGS,
            keep_default_na=False,
            engine="c",
            **_NEAREST,
        )
    except (ValueError, OverflowError):
        return None
    columns = [_whole(frame[position].to_numpy()) for position in frame]
    if any(column is None for column in columns) or np.isnan(columns[-1]).any():
        return None
    regular = count_byte(body, dialect.separator.encode()) == (len(columns) - 1) * len(frame)
    return columns if regular else None


def _whole(values: np.ndarray) -> np.ndarray | None:
    """Whole numbers as int64, other numbers as they are; None where doubles cannot tell whole numbers apart."""
    for part in (values[:1000], values):
        if not (np.floor(part) == part).all():
            return values
    return values.astype(np.int64) if (np.abs(values) < _WHOLE).all() else None
