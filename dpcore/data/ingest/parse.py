"""The body of a CSV text as typed columns, read by Arrow."""

import contextlib
import csv
import io
import re
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
from pyarrow import csv as arrow_csv

from dpcore.data.ingest.dialect import Dialect
from dpcore.data.ingest.text import pieces
from dpcore.data.ingest.text_values import OFTEN_MISSING
from dpcore.data.names import quoted
from dpcore.errors import DataError

# Bytes of text that are read at a time if rows may be long. With half as many, a row of 3 MB is refused.
LONGEST_ROW = 2**22
# Bytes read at a time if rows are short. Doubled, they no longer stay in cache, and reading takes a tenth more time.
_CACHED = 2**19
_CELL = re.compile(rb"[^\r\n]")


def parse_body(text: pa.Buffer, dialect: Dialect) -> list[pa.ChunkedArray]:
    """Columns of the text below its header.

    Raises
    ------
    DataError
        If rows differ in length, a quotation mark is never closed, or a row is too long.
    """
    body = text[dialect.start :]
    if not _CELL.search(body):
        return [pa.chunked_array([pa.nulls(0)]) for _ in dialect.names]
    quotes = any(b'"' in piece for piece in pieces(body))
    if quotes and sum(piece.count(b'"') for piece in pieces(body)) % 2:
        _check_last_quote(body, dialect)
    ragged: list[Any] = []
    try:
        columns = _read_all(body, dialect, quotes, ragged).columns
    except (pa.ArrowException, OverflowError) as error:
        raise read_error(error, dialect, quotes, ragged) from error
    pa.default_memory_pool().release_unused()
    return columns


def _read_all(body: pa.Buffer, dialect: Dialect, quotes: bool, ragged: list[Any]) -> pa.Table:
    """The whole text, first tried with the column types of its first piece.

    If later cells do not fit these types, the text is read again in larger pieces, and Arrow finds the types itself.
    """
    if body.size > _CACHED:
        with contextlib.suppress(pa.ArrowInvalid):
            first = read_csv(arrow_csv.open_csv, pa.BufferReader(body), dialect, quotes, ragged, _CACHED).schema
            types = {field.name: pa.string() if pa.types.is_null(field.type) else field.type for field in first}
            return read_csv(arrow_csv.read_csv, pa.BufferReader(body), dialect, quotes, ragged, _CACHED, types)
        ragged.clear()
    return read_csv(arrow_csv.read_csv, pa.BufferReader(body), dialect, quotes, ragged)


def read_csv(
    read: Callable[..., Any],
    source: Any,
    dialect: Dialect,
    quotes: bool,
    ragged: list[Any],
    block: int | None = None,
    types: Mapping[str, pa.DataType] | None = None,
) -> Any:
    """Call Arrow's `read_csv` or `open_csv` on a text without header, and return its table or reader.

    Parameters
    ----------
    read : either of the two; rows are counted only if they use one thread
    source : what Arrow reads from
    dialect : how to read it
    quotes : whether a cell may hold a line break
    ragged : list to which the first row with another number of cells is added
    block : bytes read at a time; by default `LONGEST_ROW`
    types : position of each column to read → its type; by default all columns are read and Arrow finds their types
    """

    def remember(row: arrow_csv.InvalidRow) -> str:
        ragged.append(row)
        return "error"

    return read(
        source,
        read_options=arrow_csv.ReadOptions(
            column_names=[str(position) for position in range(len(dialect.names))],
            use_threads=False,
            block_size=block or LONGEST_ROW,
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=dialect.separator, newlines_in_values=quotes, invalid_row_handler=remember
        ),
        convert_options=arrow_csv.ConvertOptions(
            check_utf8=False,
            strings_can_be_null=True,
            null_values=OFTEN_MISSING,
            decimal_point=dialect.decimal if dialect.decimal != dialect.separator else ".",
            column_types=types,
            include_columns=list(types or []),
        ),
    )


def read_error(error: Exception, dialect: Dialect, quotes: bool, ragged: list[Any]) -> DataError:
    """The error about a text that Arrow cannot read as a table."""
    message = str(error)
    if isinstance(error, pa.ArrowInvalid) and ("straddl" in message or "block" in message):
        return DataError(
            f"One row of the file is longer than {LONGEST_ROW} characters; look for a quotation mark that is never "
            "closed, or shorten the longest text."
        )
    if not ragged:
        return DataError(f"The file could not be read as CSV: {quoted(message, 160)}.")
    separator = quoted("tab" if dialect.separator == "\t" else dialect.separator)
    hint = " A quotation mark may be unclosed." if quotes else ""
    return DataError(
        f"Data row {ragged[0].number} has {ragged[0].actual_columns} cell(s), but the table has {len(dialect.names)} "
        f"column(s) separated by {separator}. Make every row the same length, and put texts that contain the separator "
        f"in quotation marks.{hint}"
    )


def _check_last_quote(body: pa.Buffer, dialect: Dialect) -> None:
    """Refuse a text whose last quotation mark is never closed: a parser would read the rest of the file as one cell."""
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
