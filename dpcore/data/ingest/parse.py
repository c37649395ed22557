"""The body of a CSV text as typed columns: pandas for plain numbers, Arrow for everything else."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from dpcore.data.ingest.dialect import Dialect
from dpcore.data.ingest.parse_numeric import parse_numeric
from dpcore.data.ingest.text import Text
from dpcore.data.ingest.text_values import MISSING_SPELLINGS
from dpcore.data.names import quoted
from dpcore.errors import DataError

LARGE = 2**22  # bytes from which on a table of plain numbers is read by pandas
READ_BYTES = 2**22
_FIRST, _HEAD = 2**16, 2**20


def parse_body(text: Text, dialect: Dialect) -> list[pa.ChunkedArray | np.ndarray]:
    """Columns of the text below its header, each an Arrow array, or a NumPy array where a large table holds plain numbers only.

    Raises
    ------
    DataError
        If rows differ in length, a quotation mark is never closed, or a row is too long.
    """
    body = text.data[dialect.start :]
    parts, counts = text.counted(b'"' + dialect.separator.encode(), dialect.start)
    if len(dialect.names) == 1:  # its separators do not tell how many rows a part holds
        parts, counts = [body], [[sum(found) for found in zip(*counts, strict=True)]]
    quotes = sum(found for found, _ in counts)
    if quotes % 2:
        _check_last_quote(body, dialect)
    if not body[:_HEAD].to_pybytes().strip(b"\r\n") and not body.to_pybytes().strip(b"\r\n"):
        return [pa.chunked_array([pa.nulls(0)]) for _ in dialect.names]
    if body.size > LARGE and not quotes:
        separators = [found for _, found in counts]
        columns = parse_numeric(parts, separators, dialect) if _head_is_numeric(body, dialect) else None
        if columns is not None:
            return columns
    columns = _convert(body, dialect, quotes > 0)
    pa.default_memory_pool().release_unused()
    return columns


def _head_is_numeric(body: pa.Buffer, dialect: Dialect) -> bool:
    """Whether the first block holds nothing but numbers and missing cells."""
    head = body[:_FIRST].to_pybytes()
    head = head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]
    if not head.strip():
        return False
    columns = _convert(pa.py_buffer(head), dialect, False)
    return all(pa.types.is_integer(column.type) or pa.types.is_floating(column.type) for column in columns)


def _convert(body: pa.Buffer, dialect: Dialect, quotes: bool) -> list[pa.ChunkedArray]:
    try:
        return _arrow(body, dialect, quotes).columns
    except (pa.ArrowException, OverflowError) as error:
        raise read_error(error, lambda: _ragged(body, dialect, quotes)) from error


def read_error(error: Exception, ragged: Callable[[], DataError]) -> DataError:
    """What Arrow says about a text that is no table, as a sentence; `ragged` tells of a row of another length."""
    message = str(error)
    if isinstance(error, pa.ArrowInvalid) and ("straddl" in message or "block" in message):
        return DataError(
            f"One row of the file is longer than {READ_BYTES} characters; look for a quotation mark that is never "
            "closed, or shorten the longest text."
        )
    if isinstance(error, pa.ArrowInvalid) and "Expected" in message:
        return ragged()
    return DataError(f"The file could not be read as CSV: {quoted(message, 160)}.")


def _arrow(body: pa.Buffer, dialect: Dialect, quotes: bool, handler: Any = None) -> pa.Table:
    return arrow_csv.read_csv(
        pa.BufferReader(body),
        read_options=arrow_csv.ReadOptions(
            column_names=[str(position) for position in range(len(dialect.names))],
            use_threads=handler is None and body.size > _HEAD,
            block_size=READ_BYTES,
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=dialect.separator, newlines_in_values=quotes, invalid_row_handler=handler
        ),
        convert_options=convert_options(dialect),
    )


def convert_options(dialect: Dialect, **options: Any) -> arrow_csv.ConvertOptions:
    """How cells become values; further options go to Arrow."""
    return arrow_csv.ConvertOptions(
        check_utf8=False,
        strings_can_be_null=True,
        null_values=MISSING_SPELLINGS,
        decimal_point=dialect.decimal if dialect.decimal != dialect.separator else ".",
        **options,
    )


def _ragged(body: pa.Buffer, dialect: Dialect, quotes: bool) -> DataError:
    """Which row has the wrong number of cells, in a sentence."""
    found = []

    def remember(row: Any) -> str:
        found.append((row.number, row.actual_columns))
        return "error"

    with contextlib.suppress(pa.ArrowInvalid):
        _arrow(body, dialect, quotes, remember)
    return ragged_error(found, dialect, quotes)


def ragged_error(found: Sequence[tuple[int | None, int | None]], dialect: Dialect, quotes: bool) -> DataError:
    """The sentence about the first row of another length, `found` holding its number and its cells."""
    width = len(dialect.names)
    number, cells = found[0] if found else (None, None)
    where = f"Data row {number}" if number else "A data row"
    has = f"{cells} cell(s)" if cells is not None else "another number of cells"
    hint = " A quotation mark may be unclosed." if quotes else ""
    return DataError(
        f"{where} has {has}, but the table has {width} column(s) separated by {quoted(_spell(dialect.separator))}. "
        f"Make every row the same length, and put texts that contain the separator in quotation marks.{hint}"
    )


def _spell(separator: str) -> str:
    return "tab" if separator == "\t" else separator


def _check_last_quote(body: pa.Buffer, dialect: Dialect) -> None:
    """Refuse a text whose last quotation mark is never closed: a parser would swallow the rest of the file."""
    reader = csv.reader(
        io.TextIOWrapper(pa.BufferReader(body), encoding="utf-8", newline=""), delimiter=dialect.separator, strict=False
    )
    line = 1
    try:
        for record in reader:
            last, start, line = record, line, reader.line_num + 1
    except csv.Error as error:
        raise DataError(
            f"Data line {line} opens a quotation mark that is never closed, or holds a very long text; close every "
            'quotation mark (a " inside a text is written twice).'
        ) from error
    if reader.line_num and start < reader.line_num and any("\n" in cell or "\r" in cell for cell in last[-1:]):
        raise DataError(
            f"The quotation mark opened in data line {start} is never closed; close every quotation mark "
            '(a " inside a text is written twice).'
        )
