"""The text of an upload as UTF-8, looked through once."""

from __future__ import annotations

import codecs
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from dpcore.data.ingest.source import PROBE, Source
from dpcore.errors import DataError

SEPARATORS = (",", ";", "\t", "|")
_CHUNK = 2**18  # bytes that stay in cache between two looks at them
_LONG = 2**22  # bytes from which on two threads look through a text
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
    """A text as UTF-8 without a byte-order mark, and the encoding it came in.

    found : how often some bytes occur in each part of it, where the text was looked through; a long text has two parts,
    cut at the end of a line near the middle.
    """

    data: pa.Buffer
    encoding: str
    found: tuple[dict[int, int], ...] = ()

    def counted(self, codes: bytes, start: int) -> tuple[list[pa.Buffer], list[list[int]]]:
        """The parts of the text from `start` on, and how often each of the bytes occurs in each."""
        parts, found = _parts(self.data), self.found
        if not found or start > parts[0].size or not set(codes) <= set(found[0]):
            parts = _parts(self.data[start:])
            return parts, count_bytes(parts, codes)
        before = self.data[:start].to_pybytes()
        parts[0] = parts[0][start:]
        counts = [[part[code] for code in codes] for part in found]
        counts[0] = [count - before.count(code) for count, code in zip(counts[0], codes, strict=True)]
        return parts, counts


def _parts(data: pa.Buffer) -> list[pa.Buffer]:
    """A long text in two parts, cut at the end of a line near the middle."""
    if data.size < _LONG:
        return [data]
    middle = data.size // 2
    end = data[middle : middle + _CHUNK].to_pybytes().find(b"\n")
    return [data] if end < 0 else [data[: middle + end + 1], data[middle + end + 1 :]]


def count_bytes(parts: list[pa.Buffer], codes: bytes) -> list[list[int]]:
    """How often each byte occurs in each part, in one look; a thread for each part."""
    return [found for _, found in _look(parts, codes)]


def _look(parts: list[pa.Buffer], codes: bytes) -> list[tuple[bool, list[int]]]:
    """Of each part whether it is ASCII without NUL, and how often each byte occurs in it; a thread for each part."""
    with ThreadPoolExecutor(len(parts)) as pool:
        return list(pool.map(partial(_look_through, codes=codes), parts))


def _look_through(part: pa.Buffer, codes: bytes) -> tuple[bool, list[int]]:
    values, plain, found = np.frombuffer(part, dtype=np.int8), True, [0] * len(codes)
    for start in range(0, len(values), _CHUNK):
        piece = values[start : start + _CHUNK]
        plain = plain and bool(piece.min() > 0)
        for place, code in enumerate(codes):
            found[place] += int(np.count_nonzero(piece == code))
    return plain, found


def as_utf8(source: Source) -> Text:
    """The text as UTF-8.

    A byte-order mark decides; otherwise NUL bytes at every other place mean UTF-16, valid UTF-8 is UTF-8, and
    anything else is read as Windows-1252.

    Raises
    ------
    DataError
        If the bytes are not text in any of these, or are a web page, XML or JSON.
    """
    data = source.data
    start = data[:PROBE].to_pybytes()
    encoding, skip = next(((name, len(mark)) for mark, name in _MARKS if start.startswith(mark)), ("", 0))
    encoding = encoding or _without_mark(start)
    body = data[skip:]
    codes = b'"' + max(SEPARATORS, key=lambda mark: start.count(mark.encode())).encode()
    seen = _look(_parts(body), codes) if encoding in ("", "utf-8") else []
    is_plain = bool(seen) and all(plain for plain, _ in seen)
    if not encoding:
        encoding = "utf-8" if is_plain or _is_utf8(body) else "cp1252"
    elif encoding == "utf-8" and not (is_plain or _is_utf8(body)):
        raise DataError(
            "The file begins with a UTF-8 mark but its text is not valid UTF-8; save it again as CSV (UTF-8)."
        )
    text = body if encoding == "utf-8" else _transcode(body, encoding)
    position = -1 if is_plain else _find_nul(text)
    if position >= 0:
        raise nul_byte(position, text[:position].to_pybytes().count(b"\n") + 1)
    beginning = text[:PROBE].to_pybytes().lstrip().lower()
    for pattern, what in _MARKUP:
        if pattern.match(beginning):
            raise DataError(f"The file looks like {what}, not like a CSV file; export the table as CSV.")
    found = tuple(dict(zip(codes, counts, strict=True)) for _, counts in seen) if encoding == "utf-8" else ()
    return Text(text, encoding, found)


def nul_byte(position: int, line: int) -> DataError:
    """The sentence about a NUL byte."""
    return DataError(
        f"The file holds a NUL byte at position {position} (line {line}), so it is not plain text; "
        "export the table again as CSV (UTF-8)."
    )


def _without_mark(start: bytes) -> str:
    """UTF-16 without a mark, recognised by its NUL bytes; "" otherwise."""
    pairs = np.frombuffer(start[: len(start) // 2 * 2], dtype=np.uint8).reshape(-1, 2)
    if len(pairs) == 0:
        return ""
    even, odd = (pairs == 0).mean(axis=0)
    if odd > 0.4 and even < 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 and odd < 0.05 else ""


def _find_nul(data: pa.Buffer) -> int:
    """Position of the first NUL byte, or −1."""
    values = np.frombuffer(data, dtype=np.uint8)
    for start in range(0, len(values), _CHUNK):
        piece = values[start : start + _CHUNK]
        if piece.min() == 0:
            return start + int(piece.argmin())
    return -1


def _is_utf8(data: pa.Buffer) -> bool:
    values = np.frombuffer(data, dtype=np.uint8)
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        for start in range(0, len(values), _CHUNK):
            piece = values[start : start + _CHUNK]
            if piece.max() > 127 or decoder.getstate()[0]:
                decoder.decode(piece.tobytes())
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _transcode(data: pa.Buffer, encoding: str) -> pa.Buffer:
    decoder = codecs.getincrementaldecoder(encoding)("replace" if encoding == "cp1252" else "strict")
    sink = pa.BufferOutputStream()
    try:
        for start in range(0, data.size, _CHUNK):
            piece = data[start : start + _CHUNK].to_pybytes()
            sink.write(decoder.decode(piece, final=start + _CHUNK >= data.size).encode("utf-8"))
    except UnicodeError as error:
        raise DataError(
            f"The file looks like {encoding.upper()} text but is damaged; save it again as CSV (UTF-8)."
        ) from error
    return sink.getvalue()
