"""The body of a CSV file as Arrow reads it, hashed and checked on the way."""

import io
from pathlib import Path
from typing import Any

from dpcore.data.ingest.text import Text, damaged_text, decoder, nul_byte
from dpcore.errors import DataError


class Watched(io.RawIOBase):
    """The text of a file as UTF-8 from its first data row on; every byte goes to the hash, and no character may be NUL.

    Parameters
    ----------
    path : of the file
    head : its beginning
    start : bytes of the text before the first data row
    digest : hash object, or None

    What was wrong is also kept in `error`, because Arrow reads in a thread of its own; `quotes` says whether a
    quotation mark has been read.
    """

    def __init__(self, path: Path, head: Text, start: int, digest: Any) -> None:
        super().__init__()
        self.error: DataError | None = None
        self.quotes = False
        self._file, self._size, self._digest = path.open("rb"), path.stat().st_size, digest
        self._encoding, self._decoder = head.encoding, decoder(head.encoding)
        self._position = self._lines = 0
        self._bytes(head.mark)
        text = b""
        while len(text) < start:
            text += self._text(max(start, 8))
        self._ahead, self.quotes = text[start:], b'"' in text[start:]

    @property
    def share(self) -> float:
        """How much of the file has been read."""
        return self._file.tell() / self._size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self.error is None:
            try:
                text, self._ahead = self._ahead or self._text(size), b""
                return text
            except DataError as error:
                self.error = error
        raise self.error

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
