"""Read Parquet files. Their cells can need far more memory than the file, so sizes are checked before expansion."""

from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute as pc
from pyarrow import parquet

from dpcore.data.ingest.kinds import Unread
from dpcore.data.ingest.source import MAX_BYTES
from dpcore.data.ingest.table import check_cells, check_width
from dpcore.data.names import grouped, quoted, visible
from dpcore.errors import DataError

Arrays = list[pa.ChunkedArray | Unread]

# A file may expand to FREE_BYTES bytes, or to GROWTH times its size if that is more.
FREE_BYTES, GROWTH = 2**28, 32
_CELL = 8  # bytes of a number, a code or a reference in memory
_DATE = 100  # bytes of a date as text in memory

# A batch has at most _BATCH_CELLS cells, but at least _FEWEST_ROWS and at most _BATCH_ROWS rows.
_BATCH_CELLS, _FEWEST_ROWS, _BATCH_ROWS = 2**20, 2**10, 2**16
_SHARE = 2**18  # bytes that are read at a time from a column
_STEPWISE = "DELTA_BYTE_ARRAY"  # name of the encoding that stores a text as its difference from the text before
_FAILURES = (pa.ArrowException, OSError, ValueError, TypeError, KeyError, UnicodeError)


def damaged(error: Exception) -> DataError:
    """The error about a Parquet file that cannot be read."""
    return DataError(f"The Parquet file is damaged or of an unknown kind: {quoted(error, 120)}.")


def open_parquet(path: Any, **options: Any) -> parquet.ParquetFile:
    """Open a Parquet file to be read in small pieces, whatever the size of its row groups."""
    return parquet.ParquetFile(str(path), pre_buffer=False, buffer_size=_SHARE, memory_map=False, **options)


def read_parquet(data: pa.Buffer) -> tuple[list[str], Arrays]:
    """Names and columns of a whole file. Columns of types that no learner can use are not read.

    Raises
    ------
    DataError
        If the file is damaged, has too many columns or cells, or would expand to too many bytes.
    """
    try:
        file = _with_coded_texts(lambda **options: parquet.ParquetFile(pa.BufferReader(data), **options))
        schema, rows = file.schema_arrow, file.metadata.num_rows
        names = _names(schema)
        check_cells(rows, len(names))
        limit = min(MAX_BYTES, max(FREE_BYTES, GROWTH * data.size))
        stated = _stated(file)
        _check_bytes(stated, limit)
        read = _read(file, _readable(schema), limit)
        _check_bytes(stated + sum(_text_bytes(column) for column in read.columns), limit)
        return names, _in_order(schema, read, rows)
    except _FAILURES as error:
        raise error if isinstance(error, DataError) else damaged(error) from error


def read_head(path: Any, rows: Callable[[int], int]) -> tuple[list[str], Arrays, bool]:
    """Names, the first rows, and whether these are all rows; `rows` maps the number of columns to the number of rows.

    Raises
    ------
    DataError
    """
    try:
        with _with_coded_texts(lambda **options: open_parquet(path, **options)) as file:
            schema, total = file.schema_arrow, file.metadata.num_rows
            names = _names(schema)
            wanted, found = min(rows(len(names)), total), []
            for batch in file.iter_batches(_rows_at_once(file, max(wanted, 1)), columns=_readable(schema)):
                found.append(batch)
                if sum(part.num_rows for part in found) >= wanted:
                    break
            read = pa.Table.from_batches(found)[:wanted] if found else pa.table({})
            _check_bytes(sum(_text_bytes(column) for column in read.columns), FREE_BYTES)
            length = wanted if found else 0
            return names, _in_order(schema, read, length), length == total
    except _FAILURES as error:
        raise error if isinstance(error, DataError) else damaged(error) from error


def parquet_batches(
    path: Any, columns: Sequence[int], group: int | None = None
) -> Generator[tuple[float, list[pa.Array]]]:
    """Yield the share of the rows read so far and a batch of the chosen columns, from all row groups or from one.

    Texts are codes.

    Raises
    ------
    DataError
        If the file is damaged.
    """
    rows = int(np.clip(_BATCH_CELLS // max(len(columns), 1), _FEWEST_ROWS, _BATCH_ROWS))
    try:
        with _with_coded_texts(lambda **options: open_parquet(path, **options)) as file:
            schema, done = file.schema_arrow, 0
            total = file.metadata.num_rows if group is None else file.metadata.row_group(group).num_rows
            names = [schema.field(position).name for position in columns]
            places = [schema.names[:position].count(name) for position, name in zip(columns, names, strict=True)]
            groups = None if group is None else [group]
            for batch in file.iter_batches(_rows_at_once(file, rows), row_groups=groups, columns=names):
                done += batch.num_rows
                found = batch.schema.get_all_field_indices
                yield done / total, [batch.column(found(n)[k]) for n, k in zip(names, places, strict=True)]
    except _FAILURES as error:
        raise error if isinstance(error, DataError) else damaged(error) from error


def _read(file: parquet.ParquetFile, names: list[str], limit: int) -> pa.Table:
    """The columns with these names, read in pieces if a text is stored as its difference from the text before."""
    rows = file.metadata.num_rows
    step = _rows_at_once(file, rows)
    if step == rows:
        return file.read(columns=names)
    found, total = [], 0
    for batch in file.iter_batches(step, columns=names):
        found.append(batch)
        total += batch.nbytes
        _check_bytes(total, limit)
    return pa.Table.from_batches(found)


def _rows_at_once(file: parquet.ParquetFile, rows: int) -> int:
    """How many rows may be read at once (at most `rows`), so that texts stored as differences cannot fill the memory.

    Such a text (encoding DELTA_BYTE_ARRAY) is stored as its difference from the text before, and may be much longer.
    """
    chunks = [chunk for column in _chunks(file).values() for chunk in column if _STEPWISE in chunk.encodings]
    longest = max((chunk.total_uncompressed_size for chunk in chunks), default=0)
    return rows if longest == 0 else min(rows, max(1, FREE_BYTES // longest))


def _with_coded_texts(opened: Callable[..., parquet.ParquetFile]) -> parquet.ParquetFile:
    """The opened file, with texts as codes where Arrow supports it, so that a repeated text is in memory only once."""
    with opened() as plain:
        schema, metadata = plain.schema_arrow, plain.metadata
        check_width(len(schema.names))
        stored = _chunks(plain)
    texts = []
    for field in schema:
        chunks = stored[field.name]
        if not _is_text(field.type):
            continue
        if schema.names.count(field.name) > 1:  # Arrow cannot read columns of the same name as codes
            longest = max((chunk.total_uncompressed_size for chunk in chunks), default=0)
            _check_bytes(longest * sum(chunk.num_values for chunk in chunks), MAX_BYTES)
        elif not any("DELTA" in encoding for chunk in chunks for encoding in chunk.encodings):
            texts.append(field.name)
    return opened(metadata=metadata, read_dictionary=texts)


def _names(schema: pa.Schema) -> list[str]:
    return [visible(str(name)) for name in schema.names]


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _is_readable(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_readable(kind.value_type)
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    plain = pa.types.is_boolean(kind) or pa.types.is_null(kind) or pa.types.is_temporal(kind)
    return numeric or plain or _is_text(kind)


def _readable(schema: pa.Schema) -> list[str]:
    return [field.name for field in schema if _is_readable(field.type)]


def _in_order(schema: pa.Schema, read: pa.Table, rows: int) -> Arrays:
    """The columns in the order of the schema, with an `Unread` in place of each column that was not read."""
    arrays: Arrays = []
    for position, field in enumerate(schema):
        found = read.schema.get_all_field_indices(field.name)
        place = schema.names[:position].count(field.name)
        arrays.append(read.column(found[place]) if place < len(found) else Unread(field.type, rows))
    return arrays


def _chunks(file: parquet.ParquetFile) -> dict[str, list[Any]]:
    """The file's own metadata about the pieces of every column."""
    found: dict[str, list[Any]] = defaultdict(list)
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        for place in range(group.num_columns):
            column = group.column(place)
            found[column.path_in_schema].append(column)
    return found


def _stated(file: parquet.ParquetFile) -> int:
    """Bytes that the columns to be read need in memory, with texts as codes, from the file's own metadata."""
    total, rows, found = 0, file.metadata.num_rows, _chunks(file)
    for field in file.schema_arrow:
        if not _is_readable(field.type):
            continue
        chunks = found[field.name]
        stored = sum(chunk.total_uncompressed_size for chunk in chunks)
        if pa.types.is_temporal(field.type):
            stepwise = any("DELTA" in encoding for chunk in chunks for encoding in chunk.encodings)
            total += _DATE * rows if stepwise else _CELL * rows + _DATE // _CELL * stored
        else:
            total += max(_CELL * rows, stored)
    return total


def _text_bytes(column: pa.ChunkedArray) -> int:
    """Bytes of the texts of a column once every cell holds its text instead of a code."""
    if _is_text(column.type):
        return column.nbytes
    if not pa.types.is_dictionary(column.type) or not _is_text(column.type.value_type):
        return 0
    total = 0
    for chunk in column.chunks:
        lengths = np.append(pc.binary_length(chunk.dictionary).fill_null(0).to_numpy(zero_copy_only=False), 0)
        total += int(lengths[chunk.indices.fill_null(len(lengths) - 1).to_numpy(zero_copy_only=False)].sum())
    return total


def _check_bytes(needed: int, limit: int) -> None:
    if needed > limit:
        expanded, most = (grouped(round(size / 2**20)) for size in (needed, limit))
        raise DataError(
            f"The Parquet file would expand to {expanded} MB in memory; at most {most} MB are "
            f"supported for a file of its size. Upload fewer columns or a sample of the rows."
        )
