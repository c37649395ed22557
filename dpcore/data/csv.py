"""Reading CSV and Parquet files into a typed table; every failure is a sentence."""

from __future__ import annotations

import contextlib
import csv as standard_csv
import hashlib
import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from dpcore.data.dataset import Dataset
from dpcore.data.dialect import Dialect, find_dialect
from dpcore.data.domain import Domain
from dpcore.data.encode import make_dataset
from dpcore.data.names import quoted, visible
from dpcore.data.report import Note
from dpcore.data.source import Source, as_utf8, open_source
from dpcore.data.table import MAX_CELLS, Table, build_table, check_width
from dpcore.data.text_values import MISSING_SPELLINGS
from dpcore.errors import DataError

_BLOCK = 2**20
_SCAN = 2**18
_QUOTE = ord('"')
_TYPED_FROM = 4 * _BLOCK  # smaller files are parsed at once; larger ones get their types from the first block
_NUMBERS = (pa.int64(), pa.float64())


def read_table(path_or_bytes: Any, name: str | None = None) -> Table:
    """Read a CSV file (or a Parquet file, known by its first and last four bytes) as a typed table.

    Encoding (UTF-8, UTF-16, Windows-1252), separator (comma, semicolon, tab, pipe), decimal mark and the kind of
    every column are detected. Numbers are the doubles nearest to their text. A cell such as "NA", "?" or "" is
    missing, and so is an infinite one.

    Parameters
    ----------
    path_or_bytes : bytes, str or Path of a file, or an object with `read()`
    name : what the table is called in messages; the file's own name by default

    Raises
    ------
    DataError
        If this is not a table of at least two rows: says what is wrong, where, and what to do.
    """
    source = open_source(path_or_bytes, name)
    with ThreadPoolExecutor(1) as pool:
        digest = pool.submit(_digest, source.data)
        table = _read_parquet(source) if source.is_parquet else _read_csv(source)
        return replace(table, sha256=digest.result())


def load_csv(
    path_or_bytes: Any,
    target: str,
    features: Sequence[str] | None = None,
    domain: Domain | None = None,
    missing: str = "drop",
    intercept: bool = False,
    *,
    max_categories: int = 50,
) -> Dataset:
    """`make_dataset(read_table(path_or_bytes), …)`: from a file to a validated data set in one call."""
    return make_dataset(
        read_table(path_or_bytes),
        target,
        features,
        domain,
        missing=missing,
        intercept=intercept,
        max_categories=max_categories,
    )


def _digest(data: pa.Buffer) -> str:
    return hashlib.sha256(memoryview(data)).hexdigest()


def _read_csv(source: Source) -> Table:
    text, encoding = as_utf8(source)
    dialect = find_dialect(text)
    check_width(len(dialect.names))
    body = text[dialect.start :]
    notes = []
    if encoding not in ("utf-8", "utf-16-le", "utf-16-be"):
        notes.append(Note("info", f"The text is not UTF-8 and was read as {encoding}; check letters with accents."))
    if not dialect.has_header:
        notes.append(
            Note("warning", "The first line holds numbers only, so it was read as data and the columns were numbered.")
        )
    arrays = _parse(body, dialect)
    names = dialect.names
    if dialect.trailing_separator:
        arrays, names = arrays[:-1], names[:-1]
    return build_table(
        arrays,
        names,
        name=source.name,
        separator=dialect.separator,
        encoding=encoding,
        decimal=dialect.decimal,
        notes=notes,
    )


def _parse(body: pa.Buffer, dialect: Dialect) -> list[pa.ChunkedArray]:
    """Columns of the body; types are settled on the first block so that a large file is converted only once."""
    quotes = _count_quotes(body)
    if quotes % 2:
        _check_last_quote(body, dialect)
    if not body[:_BLOCK].to_pybytes().strip(b"\r\n") and not body.to_pybytes().strip(b"\r\n"):
        return [pa.chunked_array([pa.nulls(0)]) for _ in dialect.names]
    types: dict[str, pa.DataType] = {}
    if body.size > _TYPED_FROM and not quotes:
        head = body[:_BLOCK].to_pybytes()
        head = head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]
        if head.strip():
            types = {
                str(position): column.type
                for position, column in enumerate(_convert(pa.py_buffer(head), dialect, {}, False))
                if column.type in _NUMBERS
            }
    if types:
        try:
            return _convert(body, dialect, types, False)
        except _UnexpectedValue:
            types = {}
    return _convert(body, dialect, types, quotes > 0)


class _UnexpectedValue(Exception):
    """A later cell does not have the type the first block suggested."""


def _convert(body: pa.Buffer, dialect: Dialect, types: dict[str, pa.DataType], quotes: bool) -> list[pa.ChunkedArray]:
    try:
        return _arrow(body, dialect, types, quotes).columns
    except pa.ArrowInvalid as error:
        message = str(error)
        if "conversion error" in message and types:
            raise _UnexpectedValue from error
        if "straddl" in message or "block" in message:
            raise DataError(
                f"One row of the file is longer than {_BLOCK * 4} characters; look for a quotation mark that is never "
                "closed, or shorten the longest text."
            ) from error
        if "Expected" not in message:
            raise DataError(f"The file could not be read as CSV: {quoted(message, 160)}.") from error
        raise _ragged(body, dialect, quotes) from error
    except (pa.ArrowException, OverflowError) as error:
        raise DataError(f"The file could not be read as CSV: {quoted(error, 160)}.") from error


def _arrow(
    body: pa.Buffer, dialect: Dialect, types: dict[str, pa.DataType], quotes: bool, handler: Any = None
) -> pa.Table:
    point = dialect.decimal if dialect.decimal != dialect.separator else "."
    return arrow_csv.read_csv(
        pa.BufferReader(body),
        read_options=arrow_csv.ReadOptions(
            column_names=[str(position) for position in range(len(dialect.names))],
            use_threads=handler is None and body.size > _BLOCK,
            block_size=4 * _BLOCK if body.size > _TYPED_FROM and quotes else _BLOCK * 4,
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=dialect.separator, newlines_in_values=quotes, invalid_row_handler=handler
        ),
        convert_options=arrow_csv.ConvertOptions(
            check_utf8=False,
            strings_can_be_null=True,
            null_values=MISSING_SPELLINGS,
            column_types=types,
            decimal_point=point,
        ),
    )


def _ragged(body: pa.Buffer, dialect: Dialect, quotes: bool) -> DataError:
    """Which row has the wrong number of cells, in a sentence."""
    found = []

    def remember(row: Any) -> str:
        found.append((row.number, row.actual_columns))
        return "error"

    with contextlib.suppress(pa.ArrowInvalid):
        _arrow(body, dialect, {}, quotes, remember)
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


def _count_quotes(body: pa.Buffer) -> int:
    values = np.frombuffer(body, dtype=np.uint8)
    return sum(int(np.count_nonzero(values[start : start + _SCAN] == _QUOTE)) for start in range(0, len(values), _SCAN))


def _check_last_quote(body: pa.Buffer, dialect: Dialect) -> None:
    """Refuse a text whose last quotation mark is never closed: a parser would swallow the rest of the file."""
    reader = standard_csv.reader(
        io.TextIOWrapper(pa.BufferReader(body), encoding="utf-8", newline=""), delimiter=dialect.separator, strict=False
    )
    line = 1
    try:
        for record in reader:
            last, start, line = record, line, reader.line_num + 1
    except standard_csv.Error as error:
        raise DataError(
            f"Data line {line} opens a quotation mark that is never closed, or holds a very long text; close every "
            'quotation mark (a " inside a text is written twice).'
        ) from error
    if reader.line_num and start < reader.line_num and any("\n" in cell or "\r" in cell for cell in last[-1:]):
        raise DataError(
            f"The quotation mark opened in data line {start} is never closed; close every quotation mark "
            '(a " inside a text is written twice).'
        )


def _read_parquet(source: Source) -> Table:
    try:
        file = parquet.ParquetFile(pa.BufferReader(source.data))
        names = [visible(str(name)) for name in file.schema_arrow.names]
        check_width(len(names))
        if file.metadata.num_rows * len(names) > MAX_CELLS:
            raise DataError(
                f"The table has {file.metadata.num_rows} rows and {len(names)} columns; at most {MAX_CELLS} cells are "
                "supported. Upload fewer columns or a sample of the rows."
            )
        arrays = file.read().columns
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, UnicodeError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"The Parquet file is damaged or of an unknown kind: {quoted(error, 120)}.") from error
    return build_table(arrays, names, name=source.name, separator="", encoding="", decimal=".")
