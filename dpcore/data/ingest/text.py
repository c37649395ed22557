"""The text of an upload as UTF-8."""

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from dpcore.data.ingest.source import PROBE, Source
from dpcore.errors import DataError

SEPARATORS = (",", ";", "\t", "|")
_PIECE = 2**18  # bytes that are processed at a time, so that they stay in the processor's cache
_MARKUP = (
    (re.compile(rb"<!doctype html|<html"), "a web page"),
    (re.compile(rb"<\?xml"), "an XML file"),
    (re.compile(rb'\[?\s*\{\s*"|\[\s*\['), "a JSON file"),
)
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class Text:
    """A text as UTF-8 without its byte-order mark; its original encoding, and the number of bytes of the mark."""

    data: pa.Buffer
    encoding: str
    mark: int


def as_utf8(source: Source, whole: bool = True) -> Text:
    """The text as UTF-8. If the source is only the beginning of a file (not `whole`), a character cut off is left out.

    A byte-order mark decides the encoding. Without one, NUL bytes at every other place mean UTF-16, valid UTF-8 is
    UTF-8, and anything else is read as Windows-1252.

    Raises
    ------
    DataError
        If the bytes are not text in any of these encodings, or are a web page, XML or JSON.
    """
    start = source.data[:PROBE].to_pybytes()
    encoding, mark = next(((name, len(mark)) for mark, name in _MARKS if start.startswith(mark)), ("", 0))
    body, encoding = source.data[mark:], encoding or _without_mark(start)
    if encoding in ("", "utf-8"):
        if _is_utf8(body if whole else body[: 1 + body.to_pybytes().rfind(b"\n")]):
            encoding = "utf-8"
        elif encoding:
            raise DataError(
                "The file begins with a UTF-8 mark but its text is not valid UTF-8; save it again as CSV (UTF-8)."
            )
    encoding = encoding or "cp1252"
    text = body if encoding == "utf-8" else _transcode(body, encoding, whole)
    if np.frombuffer(text, dtype=np.uint8).min(initial=1) == 0:
        before = text.to_pybytes().partition(b"\0")[0]
        raise nul_byte(len(before), before.count(b"\n") + 1)
    beginning = text[:PROBE].to_pybytes().lstrip().lower()
    for pattern, what in _MARKUP:
        if pattern.match(beginning):
            raise DataError(f"The file looks like {what}, not like a CSV file; export the table as CSV.")
    return Text(text, encoding, mark)


def pieces(data: pa.Buffer) -> Iterator[bytes]:
    """The bytes in pieces of `_PIECE` bytes."""
    return (data[start : start + _PIECE].to_pybytes() for start in range(0, data.size, _PIECE))


def decoder(encoding: str) -> codecs.IncrementalDecoder:
    """The decoder of a text that comes in pieces. Bytes that Windows-1252 does not define are replaced."""
    return codecs.getincrementaldecoder(encoding)("replace" if encoding == "cp1252" else "strict")


def nul_byte(position: int, line: int) -> DataError:
    """The error about a NUL byte."""
    return DataError(
        f"The file holds a NUL byte at position {position} (line {line}), so it is not plain text; "
        "export the table again as CSV (UTF-8)."
    )


def damaged_text(encoding: str) -> DataError:
    """The error about a text whose later bytes do not fit the encoding of its beginning."""
    return DataError(f"The file looks like {encoding.upper()} text but is damaged; save it again as CSV (UTF-8).")


def _without_mark(start: bytes) -> str:
    """UTF-16 without a mark, recognised by its NUL bytes; "" otherwise."""
    pairs = np.frombuffer(start[: len(start) // 2 * 2], dtype=np.uint8).reshape(-1, 2)
    if len(pairs) == 0:
        return ""
    even, odd = (pairs == 0).mean(axis=0)
    if odd > 0.4 and even < 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 and odd < 0.05 else ""


def _is_utf8(data: pa.Buffer) -> bool:
    offsets = pa.py_buffer(np.array([0, data.size]))
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, data]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _transcode(data: pa.Buffer, encoding: str, whole: bool) -> pa.Buffer:
    sink, codec = io.BytesIO(), decoder(encoding)
    try:
        for piece in pieces(data):
            sink.write(codec.decode(piece).encode())
        codec.decode(b"", final=whole)
    except UnicodeError as error:
        raise damaged_text(encoding) from error
    return pa.py_buffer(sink.getbuffer())
