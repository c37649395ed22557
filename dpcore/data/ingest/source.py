"""The bytes of an upload: where they come from, and which format they have."""

from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from dpcore.data.names import quoted
from dpcore.errors import DataError
from dpcore.records import tables

MAX_BYTES = 2**31
PROBE = 4096  # bytes at the beginning of a file from which its format is recognised
# _PARQUET are the first four and the last four bytes of a Parquet file. _AFTER is its fifth byte.
_PARQUET, _AFTER = b"PAR1", b"\x15"
_BINARY = [  # the first bytes of known formats that are not tables, what such a file is, and what to do with it
    (magic.encode("latin-1"), what, one["advice"])
    for one in tables(Path(__file__).with_suffix(".toml"), ("format",))["format"]
    for magic, what in one["begins"].items()
]


@dataclass(frozen=True)
class Source:
    """The bytes of one table (never copied in memory) and its name in messages; for a file also its path and state."""

    data: pa.Buffer
    name: str
    path: Path | None = None
    state: tuple[int, ...] = ()

    @property
    def is_parquet(self) -> bool:
        """Whether the file starts and ends with Parquet's magic bytes; see `is_parquet`."""
        return is_parquet(self.data[:5].to_pybytes(), self.data[-4:].to_pybytes(), self.data.size)


def open_source(path_or_bytes: Any, name: str | None = None) -> Source:
    """Bytes, a path, or anything with `read()`, as one buffer; a file on disk is mapped into memory, not read.

    An object with `getvalue()` is used as a whole, whatever its current position is.

    Raises
    ------
    DataError
        If there is nothing to read, too much of it, or it is a known binary format other than Parquet.
    """
    source = _map_file(path_or_bytes) if isinstance(path_or_bytes, str | PathLike) else _from_memory(path_or_bytes)
    data, label = source.data, name or source.name or "the file"
    if not isinstance(label, str):
        raise DataError(f"The name of the table must be text, got {quoted(name)}.")
    refuse_binary(data[:PROBE].to_pybytes())
    if data.size > MAX_BYTES:
        raise DataError(
            f"The file has {data.size / 1e9:.1f} GB; at most {MAX_BYTES / 1e9:.1f} GB can be read at once. "
            "Upload a sample of its rows."
        )
    return replace(source, name=label)


def refuse_binary(start: bytes) -> None:
    """Refuse an empty file, and known formats that are not tables, by their first bytes.

    Raises
    ------
    DataError
    """
    if not start:
        raise DataError("The file is empty: it holds no bytes. Upload a CSV file with a line of column names.")
    for magic, what, advice in _BINARY:
        if start.startswith(magic):
            raise DataError(f"The file is {what}, not a CSV file: {advice}.")


def is_parquet(start: bytes, end: bytes, size: int) -> bool:
    """Whether a file of so many bytes starts and ends with Parquet's magic bytes.

    Raises
    ------
    DataError
        If it starts like a Parquet file, and not like a text, but does not end like one.
    """
    if not start.startswith(_PARQUET):
        return False
    if size >= 12 and end == _PARQUET:
        return True
    if start[4:5] in (b"", _AFTER):
        raise DataError(
            "The file starts as a Parquet file but does not end as one: it was cut off or changed on its way. Copy or "
            "write it again, and upload the whole file."
        )
    return False


def existing_file(source: Any) -> Path:
    """The path of a file that exists.

    Raises
    ------
    DataError
    """
    try:
        path = Path(source)
        is_folder, is_file = path.is_dir(), path.is_file()
    except (OSError, ValueError, TypeError) as error:
        raise unreadable(source, error) from error
    if is_folder:
        raise DataError(f"{quoted(path.name)} is a folder; give the path of a CSV file.")
    if not is_file:
        raise DataError(f"There is no file {quoted(source, 120)}; check the path, or pass the content as bytes.")
    return path


def unreadable(source: Any, error: Exception) -> DataError:
    """The error about a file that could not be opened."""
    return DataError(f"The file {quoted(source, 120)} could not be opened: {quoted(error, 120)}.")


def _from_memory(source: Any) -> Source:
    content, name = source, getattr(source, "name", "")
    if hasattr(source, "read"):
        try:
            content = source.getvalue() if hasattr(source, "getvalue") else source.read()
        except (OSError, ValueError, UnicodeError) as error:
            raise DataError(f"The file could not be read: {quoted(error, 120)}.") from error
        if isinstance(content, str):
            content = content.encode("utf-8", "replace")
    if not isinstance(content, bytes | bytearray | memoryview):
        kind = quoted(type(source).__name__)
        raise DataError(f"A table must be given as bytes, a path or an open file, not as {kind}.")
    try:
        return Source(pa.py_buffer(content), Path(name).name if isinstance(name, str) else "")
    except (ValueError, TypeError, BufferError) as error:
        raise DataError("The bytes given are not one contiguous block; pass `bytes(...)` of them.") from error


def check_unchanged(source: Source) -> None:
    """Refuse a file on disk that has changed since it was mapped.

    Raises
    ------
    DataError
    """
    if source.path is not None and _state(source.path) != source.state:
        raise DataError(f"The file {quoted(source.name)} was changed while it was read; read it again.")


def _state(path: Path) -> tuple[int, ...]:
    """Device, inode, size and time of change of a file: if they are the same, the file has not changed."""
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _map_file(source: Any) -> Source:
    path = existing_file(source)
    try:
        state = _state(path)
        if not state[2]:
            return Source(pa.py_buffer(b""), path.name)
        with pa.memory_map(str(path), "r") as mapped:
            return Source(mapped.read_buffer(), path.name, path, state)
    except (OSError, ValueError, TypeError) as error:
        raise unreadable(source, error) from error
