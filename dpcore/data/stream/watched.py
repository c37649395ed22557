"""The body of a CSV file as Arrow reads it, hashed and checked on the way."""

from __future__ import annotations

import codecs
import io
from pathlib import Path
from typing import Any

import pyarrow as pa

from dpcore.data.ingest.text import nul_byte
from dpcore.errors import DataError


class Watched(io.RawIOBase):
    """Bytes from `offset + start` on: every byte of the file goes to the hash, and must be UTF-8 without NUL.

    Parameters
    ----------
    source : path of a file, or a text already in memory, which is not checked again
    offset : length of a byte-order mark
    start : where the data begin, in bytes after the mark
    digest : hash object, or None

    What was wrong is also kept in `error`, because Arrow reads in a thread of its own; `quotes` says whether a
    quotation mark has been read.
    """

    def __init__(self, source: Path | pa.Buffer, offset: int, start: int, digest: Any) -> None:
        super().__init__()
        self.error: DataError | None = None
        self.quotes = False
        self._checked = not isinstance(source, Path)
        self._file = source.open("rb") if isinstance(source, Path) else pa.BufferReader(source)
        self._size = source.stat().st_size if isinstance(source, Path) else source.size
        self._offset, self._digest = (0 if self._checked else offset), digest
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._read = 0
        self._take(self._offset)
        self._take(start)
        self.quotes = False

    @property
    def share(self) -> float:
        """How much of the file has been read."""
        return self._read / self._size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self.error is not None:
            raise self.error
        try:
            return self._take(size)
        except DataError as error:
            self.error = error
            raise

    def close(self) -> None:
        self._file.close()
        super().close()

    def _take(self, size: int) -> bytes:
        data = self._file.read(size)
        if self._digest is not None:
            self._digest.update(data)
        if not self._checked:
            self._check(data, final=size != 0 and not data)
        self._read += len(data)
        self.quotes = self.quotes or b'"' in data
        return data

    def _check(self, data: bytes, final: bool) -> None:
        if (found := data.find(b"\0")) >= 0:
            position = self._read + found
            with Path(self._file.name).open("rb") as file:
                line = 1 + sum(
                    file.read(min(1 << 20, position - at)).count(b"\n") for at in range(0, position, 1 << 20)
                )
            raise nul_byte(position - self._offset, line)
        if final or not data.isascii() or self._decoder.getstate()[0]:
            try:
                self._decoder.decode(data, final=final)
            except UnicodeDecodeError as error:
                raise not_utf8("cp1252") from error


def not_utf8(encoding: str) -> DataError:
    """The sentence about a large text in another encoding."""
    return DataError(
        f"The text is not UTF-8 (it looks like {encoding}), and a file this large is read in pieces, which needs UTF-8: "
        "save it again as CSV (UTF-8)."
    )
