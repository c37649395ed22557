"""Separator, header and decimal mark of a CSV text, found from its first lines."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from dpcore.data.ingest.table import check_width
from dpcore.data.ingest.text import SEPARATORS
from dpcore.data.ingest.text_values import decimal_mark, number_notation, text_array
from dpcore.data.names import quoted, visible
from dpcore.errors import DataError

MAX_LINE = 4_000_000
MAX_NAME = 500
_WORD, _VISIBLE = re.compile(rb"[^\s,;|\"']"), re.compile(rb"\S")
_BLANK_LINES = re.compile(rb"\s*[\r\n]")
_SAMPLE = 65_536  # bytes at the beginning of a text that are looked at
_SAMPLE_ROWS = 200  # most rows that are looked at

# Factors for the score of a separator. With it, the number of fields in the header differs from that of the rows below
# by 0, by 1, or by 2 or more.
_HEADER_OFF = (1.0, 0.9, 0.5)
_NO_HEADER = 0.3  # factor for the score of a separator that does not occur in the header
_DECLARED = re.compile(r'^"?sep=(.)"?$', re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """How to read a CSV text: separator, decimal mark, column names, and the byte at which the data begins."""

    separator: str
    decimal: str
    names: tuple[str, ...]
    has_header: bool
    start: int
    trailing_separator: bool = False


def find_dialect(text: pa.Buffer) -> Dialect:
    """Read the first lines with every separator, and keep the separator for which most lines have equally many fields.

    Raises
    ------
    DataError
        If there is no line of text, a line is too long or holds too many columns, or the header cannot be read.
    """
    if not has_words(text):
        raise no_words(text)
    leading = _BLANK_LINES.match(text)
    blank = leading.end() if leading else 0
    lines = _first_lines(text[blank:])
    position, declared = _next_line(lines, 0), ""
    if position < len(lines) and (match := _DECLARED.match(lines[position].strip("\r\n"))):
        declared, position = match.group(1), position + 1
        position = _next_line(lines, position)
    if position == len(lines):
        raise no_words(text)
    candidates = (declared,) if declared in SEPARATORS else SEPARATORS
    scored = [_score(lines[position:], separator) for separator in candidates]
    _, separator, records, consumed = max(scored, key=lambda entry: entry[0])
    if not records:
        raise DataError(
            f"Line {position + 1} could not be read as column names: it opens a quotation mark that is never closed, "
            "or holds one very long field. Write the names without line breaks and close every quotation mark."
        )
    check_width(max(len(record) for record in records))
    header, rows = records[0], records[1:]
    if consumed > 1 and not rows:
        raise DataError(
            "The line of column names opens a quotation mark that is never closed, so no data rows were found; close "
            'every quotation mark (a " inside a name is written twice).'
        )
    header, trailing = _match_width(header, rows)
    decimal = decimal_mark(text_array(cell for row in rows for cell in row), separator)
    start = blank + len("".join(lines[: position + consumed]).encode("utf-8"))
    if _is_data(header, rows):
        names = tuple(f"column {number + 1}" for number in range(len(header)))
        skipped = blank + len("".join(lines[:position]).encode("utf-8"))
        return Dialect(separator, decimal, names, False, skipped, trailing)
    names = tuple(visible(name) for name in header)
    for number, name in enumerate(names):
        if len(name) > MAX_NAME:
            raise DataError(
                f"The name of column {number + 1} has {len(name)} characters ({quoted(name)}); at most {MAX_NAME} are "
                "allowed. Check that the first line holds the column names and that its quotation marks are closed."
            )
    return Dialect(separator, decimal, names, True, start, trailing)


def has_words(text: pa.Buffer) -> bool:
    """Whether the text has a character that is no blank, no separator and no quotation mark."""
    return _WORD.search(text) is not None


def no_words(text: pa.Buffer) -> DataError:
    """The error about a text without a word or a number."""
    what = "empty lines and separators" if _VISIBLE.search(text) else "empty lines"
    return DataError(f"The file holds only {what}; upload a CSV file with a line of column names and rows below it.")


def _first_lines(text: pa.Buffer) -> list[str]:
    """Complete lines at the beginning of the text: about 64 kB, or more if the first line is longer."""
    size = _SAMPLE
    while True:
        piece = text[:size].to_pybytes()
        whole = size >= text.size
        end = len(piece) if whole else max(piece.rfind(b"\n"), piece.rstrip(b"\r").rfind(b"\r")) + 1
        if end > 0:
            break
        if size > MAX_LINE:
            raise DataError(
                f"The first line has more than {MAX_LINE} characters, so this does not look like a table; "
                "upload a CSV file with one line per record."
            )
        size *= 4
    return list(io.StringIO(piece[:end].decode("utf-8", "replace"), newline=""))


def _next_line(lines: list[str], position: int) -> int:
    """The position of the next line that is not blank."""
    return next((place for place in range(position, len(lines)) if lines[place].strip()), len(lines))


def _score(lines: list[str], separator: str) -> tuple[tuple[float, int], str, list[list[str]], int]:
    """How well a separator fits: ((score, width), separator, records, lines of the header).

    The width is the most frequent number of fields. The score is the share of records with this width, times the
    factors above.
    """
    reader = csv.reader(iter(lines), delimiter=separator)
    records: list[list[str]] = []
    consumed = 0
    with suppress(csv.Error):
        for record in reader:
            if record:
                records.append(record)
                consumed = consumed or reader.line_num
            if len(records) > _SAMPLE_ROWS:
                break
    if not records:
        return (-1.0, 0), separator, records, 0
    widths = Counter(len(record) for record in records[1:] or records)
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    agreement = count / sum(widths.values()) * _HEADER_OFF[min(abs(len(records[0]) - width), 2)]
    agreement *= _NO_HEADER if len(records[0]) == 1 else 1.0
    return ((agreement, width) if width > 1 else (0.0, len(records[0]))), separator, records, consumed


def _match_width(header: list[str], rows: list[list[str]]) -> tuple[list[str], bool]:
    """The header, made as wide as the rows if they differ by one field, and whether every row ends in a separator.

    Such a field is an empty one after a trailing separator, or a column of row names that has no name itself.
    """
    widths = {len(row) for row in rows}
    if len(widths) != 1 or len(header) == 1:
        return header, False
    (width,) = widths
    if width == len(header) + 1:
        trailing = all(not row[-1].strip() for row in rows)
        return ([*header, ""] if trailing else ["", *header]), trailing
    if width == len(header) - 1 and not header[-1].strip():
        return header[:-1], False
    return header, False


def _is_data(header: list[str], rows: list[list[str]]) -> bool:
    """Whether the first line is a record and the file has no names.

    This is the case if it holds numbers only. It is also the case if it has a number in every column in which all lines
    below have one (there must be such a column), and one of its texts occurs again below in the same column.
    """
    in_header = _numbers(header)
    if in_header.all() or not in_header.any():
        return bool(in_header.all())
    rows = [row for row in rows if len(row) == len(header)]
    columns = [{cell.strip() for cell in column} for column in zip(*rows, strict=True)]
    numeric = [bool(_numbers(column).all()) for column in columns]
    alike = [is_number for is_number, below in zip(in_header, numeric, strict=False) if below]
    texts = [(name.strip(), column) for name, column, below in zip(header, columns, numeric, strict=False) if not below]
    repeated = [name in column for name, column in texts if name]
    return bool(alike) and all(alike) and any(repeated)


def _numbers(cells: Iterable[str]) -> np.ndarray:
    """Which cells are numbers, with either a point or a comma as the decimal mark."""
    point, comma = number_notation(text_array(cells))
    return point | comma
