"""Read a CSV or Parquet file piece by piece, for tables that do not fit into memory."""

import contextlib
import hashlib
import io
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
from pyarrow import csv as arrow_csv

from dpcore.data.ingest import parse
from dpcore.data.ingest.csv import read_text
from dpcore.data.ingest.dialect import find_dialect, has_words, no_words
from dpcore.data.ingest.parquet import parquet_batches, read_head
from dpcore.data.ingest.source import Source, existing_file, is_parquet, refuse_binary
from dpcore.data.ingest.table import Table, build_table
from dpcore.data.ingest.text import Text, as_utf8, damaged_text, decoder, nul_byte
from dpcore.errors import DataError


class Watched(io.RawIOBase):
    """The text of a file as UTF-8 from its first data row on. Every byte is hashed, and a NUL character is refused.

    Parameters
    ----------
    path : path of the file
    head : beginning of its text
    start : bytes of the text before the first data row
    digest : hash object, or None

    `quotes` says whether a quotation mark has been read.
    """

    def __init__(self, path: Path, head: Text, start: int, digest: Any) -> None:
        super().__init__()
        self._file, self._size, self._digest = path.open("rb"), path.stat().st_size, digest
        self._encoding, self._decoder = head.encoding, decoder(head.encoding)
        self._position = self._lines = 0
        self.quotes = False
        self._bytes(head.mark)
        text = b""
        while len(text) < start:
            text += self._text(max(start, 8))
        self._ahead, self.quotes = text[start:], b'"' in text[start:]

    @property
    def share(self) -> float:
        """Share of the file that has been read, in [0, 1]."""
        return self._file.tell() / self._size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        text, self._ahead = self._ahead or self._text(size), b""
        return text

    def close(self) -> None:
        self._file.close()
        super().close()

    def _bytes(self, size: int) -> bytes:
        data = self._file.read(size)
        if self._digest is not None:
            self._digest.update(data)
        return data

    def _text(self, size: int) -> bytes:
        data = self._bytes(size)
        try:
            text = self._decoder.decode(data, final=not data).encode()
        except UnicodeError as error:
            raise damaged_text(self._encoding) from error
        if (found := text.find(b"\0")) >= 0:
            raise nul_byte(self._position + found, 1 + self._lines + text.count(b"\n", 0, found))
        self._position += len(text)
        self._lines += text.count(b"\n")
        self.quotes = self.quotes or b'"' in text
        return text


_T = TypeVar("_T")

HEAD_BYTES = 2**23  # bytes at the beginning of a CSV file that are read as its first rows
# Most rows and most cells at the beginning of a Parquet file that are read as its first rows.
_HEAD_ROWS, _HEAD_CELLS = 50_000, 10_000_000
_FAILED_COLUMN = re.compile(r"In CSV column #(\d+)")


class NotNumbers(Exception):
    """A cell of the column at this position is no number. The caller reads the column as text and starts again."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class ChunkedFile:
    """A table on disk: its first rows as a typed table, and all its rows in batches, as often as they are asked for.

    `head` is a Table of the first rows, `complete` says whether these are all rows, `n_bytes` is the size of the file.

    Parameters
    ----------
    path : CSV or Parquet file
    name : name of the table in messages; by default the name of the file

    Raises
    ------
    DataError
        If this is not a table; the texts are those of `read_table`.
    """

    def __init__(self, path: Any, name: str | None = None) -> None:
        self.path = existing_file(path)
        self.name = name or self.path.name
        self.n_bytes = self.path.stat().st_size
        with self.path.open("rb") as file:
            start = file.read(HEAD_BYTES)
            file.seek(max(0, self.n_bytes - 4))
            end = file.read(4)
        refuse_binary(start)
        self._as_text: set[int] = set()
        self.is_parquet = is_parquet(start, end, self.n_bytes)
        self.complete = len(start) == self.n_bytes
        self.head = self._parquet_head() if self.is_parquet else self._csv_head(start)

    def read_as_text(self, position: int) -> None:
        """Read the column at this position as text from now on (CSV)."""
        self._as_text.add(position)

    def sha256(self, seen: Callable[[], None] | None = None) -> str:
        """SHA-256 of the bytes of the file; `seen` is called after every piece and may raise to stop."""
        digest = hashlib.sha256()
        with self.path.open("rb") as file:
            while piece := file.read(parse.LONGEST_ROW):
                digest.update(piece)
                if seen is not None:
                    seen()
        return digest.hexdigest()

    def batches(
        self, columns: Sequence[int], digest: Any = None, seen: Callable[[float], None] | None = None
    ) -> Iterator[tuple[int, list[pa.Array]]]:
        """Yield the position of the first row (from 0) and the chosen columns of one batch after the other.

        Parameters
        ----------
        columns : positions in the table, in the order wanted; in a CSV file, columns of numbers in the head are read as
            doubles
        digest : a hash object that is updated with every byte of the file (CSV only)
        seen : called with the share of the file read so far, in [0, 1]

        Raises
        ------
        DataError
            If the file is damaged further down.
        NotNumbers
            If a cell of a CSV column read as doubles is no number.
        """
        read = parquet_batches(self.path, columns) if self.is_parquet else self._csv_batches(columns, digest)
        row = 0
        with contextlib.closing(_ahead(read)) as batches:
            for share, batch in batches:
                if len(batch[0]):
                    yield row, batch
                    row += len(batch[0])
                if seen is not None:
                    seen(min(share, 1.0))

    def _parquet_head(self) -> Table:
        names, arrays, self.complete = read_head(
            self.path, lambda width: max(2, min(_HEAD_ROWS, _HEAD_CELLS // max(width, 1)))
        )
        return build_table(arrays, names, self.name)

    def _csv_head(self, start: bytes) -> Table:
        self._text = as_utf8(Source(pa.py_buffer(start), self.name), whole=self.complete)
        if not self.complete:
            if not has_words(self._text.data):
                raise self._wordless()
            self._text = replace(self._text, data=_whole_lines(self._text.data))
        self._dialect = find_dialect(self._text.data)
        return read_text(self._text, self._dialect, self.name)

    def _wordless(self) -> DataError:
        """The error about a file that begins with megabytes without a word."""
        with pa.memory_map(str(self.path), "r") as mapped:
            text = as_utf8(Source(mapped.read_buffer(), self.name)).data
            if not has_words(text):
                return no_words(text)
        return DataError(f"The first {HEAD_BYTES >> 20} MB of the file hold only empty lines; remove them.")

    def _csv_batches(self, columns: Sequence[int], digest: Any) -> Generator[tuple[float, list[pa.Array]]]:
        types = {str(position): self._csv_type(position) for position in columns}
        body = Watched(self.path, self._text, self._dialect.start, digest)
        ragged: list[Any] = []
        source = pa.PythonFile(body, mode="r")
        try:
            with body, parse.read_csv(arrow_csv.open_csv, source, self._dialect, True, ragged, types=types) as reader:
                for batch in reader:
                    yield body.share, [batch.column(name) for name in types]
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            if isinstance(error, DataError):
                raise
            failed = _FAILED_COLUMN.search(str(error))
            if failed and "conversion error" in str(error):
                raise NotNumbers(int(failed.group(1))) from error
            raise parse.read_error(error, self._dialect, body.quotes, ragged) from error

    def _csv_type(self, position: int) -> pa.DataType:
        column = self.head.columns[position]
        if position in self._as_text:
            return pa.large_string()
        if column.levels and set(column.levels) <= {"true", "false"}:
            return pa.bool_()
        return pa.float64() if column.is_number else pa.large_string()


def _ahead(items: Generator[_T]) -> Generator[_T]:
    """The same items; while one is used, another thread makes the next one."""
    with contextlib.closing(items), ThreadPoolExecutor(1) as pool:
        pending = pool.submit(next, items, None)
        while (found := pending.result()) is not None:
            pending = pool.submit(next, items, None)
            yield found


def _whole_lines(start: pa.Buffer) -> pa.Buffer:
    """The beginning of a CSV text up to its last line end that is outside quotation marks."""
    text = start.to_pybytes()
    end = len(text)
    while (end := text.rfind(b"\n", 0, end)) > 0:
        if text.count(b'"', 0, end) % 2 == 0:
            return start[: end + 1]
    return start
