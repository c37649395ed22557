"""SHA-256 of the bytes of a table, found beside the work that follows its reading."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import Future, ThreadPoolExecutor
from typing import BinaryIO

import pyarrow as pa

from dpcore.data.ingest.source import Source, state_of, unreadable
from dpcore.data.names import quoted
from dpcore.errors import DataError

_AT_ONCE = 2**22  # bytes up to which a thread is not worth its start
_PIECE = 2**20


class Digest:
    """A hexadecimal digest, found or on its way."""

    def __init__(self, found: str | Future[str]):
        self._found = found

    @property
    def text(self) -> str:
        """The digest, waited for; DataError where the file is no longer the one that was mapped."""
        return self._found if isinstance(self._found, str) else self._found.result()

    def __reduce__(self) -> tuple[type[Digest], tuple[str]]:
        return Digest, (self.text,)


def start_digest(source: Source) -> Digest:
    """SHA-256 of the source; another thread begins with a long one.

    A file is read again from disk: its map must not be touched once the caller may shorten it.
    """
    if source.data.size <= _AT_ONCE:
        return Digest(_of_memory(source.data))
    pool = ThreadPoolExecutor(1, thread_name_prefix="digest")
    try:
        if source.path is None:
            return Digest(pool.submit(_of_memory, source.data))
        return Digest(pool.submit(_of_file, source.path.open("rb"), source))
    except OSError as error:
        raise unreadable(source.path, error) from error
    finally:
        pool.shutdown(wait=False)


def _of_memory(data: pa.Buffer) -> str:
    return hashlib.sha256(memoryview(data)).hexdigest()


def _of_file(file: BinaryIO, source: Source) -> str:
    digest = hashlib.sha256()
    with file:
        while piece := file.read(_PIECE):
            digest.update(piece)
        if state_of(os.fstat(file.fileno())) != source.state:
            raise DataError(f"The file {quoted(source.name)} was changed while it was read; read it again.")
    return digest.hexdigest()
