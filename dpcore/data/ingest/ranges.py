"""Public ranges as a small file: one line for each column, with its smallest and its largest possible value."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dpcore.data.domain import Ranges
from dpcore.data.ingest.source import open_source
from dpcore.data.ingest.text import SEPARATORS, as_utf8
from dpcore.data.names import quoted, safe_csv, visible
from dpcore.errors import DataError, ParameterError

HEADER = ("column", "low", "high")
MAX_RANGES_BYTES = 2**22
_FORMULA = ("=", "+", "-", "@")


def read_ranges(path_or_bytes: Any) -> Ranges:
    """Ranges from a CSV file with the columns column, low and high; a line with two empty ends is ignored.

    Parameters
    ----------
    path_or_bytes : bytes, str or Path of a file, or an object with `read()`

    Raises
    ------
    DataError
        If the file does not have this form. The text names the line and says what to write there.
    """
    source = open_source(path_or_bytes)
    if source.data.size > MAX_RANGES_BYTES:
        raise DataError(
            f"A file of ranges has at most {MAX_RANGES_BYTES >> 20} MB, this one has {source.data.size / 2**20:.1f} MB; give a "
            "CSV file with the columns column, low and high."
        )
    text = as_utf8(source).data.to_pybytes().decode("utf-8")
    separator = _separator(text)
    ranges: dict[str, tuple[float, float]] = {}
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        records = [(reader.line_num, record) for record in reader if any(cell.strip() for cell in record)]
    except csv.Error as error:
        raise DataError(f"The file of ranges cannot be read in line {reader.line_num}: {error}.") from error
    for line, record in records[1:]:
        if len(record) != len(HEADER):
            raise DataError(
                f"Line {line} of the ranges has {len(record)} cells; write column, low and high, as above it."
            )
        name = _plain(record[0])
        where = f"of {quoted(name)} in line {line} of the ranges"
        low, high = (_end(record[place], HEADER[place], where, separator) for place in (1, 2))
        if name in ranges:
            raise DataError(f"Column {quoted(name)} stands in the ranges twice, again in line {line}; keep one line.")
        if low is None and high is None:
            continue
        if low is None or high is None:
            missing = "low" if low is None else "high"
            raise DataError(f"The {missing} end {where} is missing; write both ends, or none.")
        if not low / 2 < high / 2:
            raise DataError(f"The range {where} must have low < high, but holds {low:g} and {high:g}.")
        ranges[name] = (low, high)
    if not ranges:
        raise DataError("The file of ranges states no range: write one line for each column, as in age,0,120.")
    return Ranges(ranges)


def write_ranges(ranges: Mapping[str, tuple[float, float]], names: Sequence[str] = ()) -> bytes:
    """A file that `read_ranges` can read; columns in `names` without a range get empty ends, to be filled in."""
    rows = [(name, *ranges.get(name, (None, None))) for name in dict.fromkeys([*names, *ranges])]
    return safe_csv(pd.DataFrame(rows, columns=HEADER).astype({"low": float, "high": float}))


def parse_range(text: str) -> tuple[str, tuple[float, float]]:
    """Name and ends of a range written as NAME=LOW:HIGH.

    Raises
    ------
    ParameterError
    """
    name, _, ends = text.rpartition("=")
    try:
        low, high = (float(end) for end in ends.split(":"))
    except ValueError as error:
        raise ParameterError(f"a range must read NAME=LOW:HIGH, got {quoted(text, 120)}") from error
    if not name:
        raise ParameterError(f"a range must read NAME=LOW:HIGH, got {quoted(text, 120)}")
    return name, (low, high)


def _separator(text: str) -> str:
    first = next((line for line in text.splitlines() if line.strip()), "")
    for separator in SEPARATORS:
        names = next(csv.reader([first], delimiter=separator), [])
        if tuple(name.strip().lower() for name in names) == HEADER:
            return separator
    raise DataError(
        f"A file of ranges begins with the line column,low,high, but this one with {quoted(first, 60)}; each line below "
        "names a column and what its values can be at all, as in age,0,120."
    )


def _plain(cell: str) -> str:
    """The name as in the table, without the apostrophe that stops a spreadsheet from running it as a formula."""
    name = visible(cell)
    return name[1:] if name.startswith("'") and name[1:].startswith(_FORMULA) else name


def _end(cell: str, which: str, where: str, separator: str) -> float | None:
    text = cell.strip().replace("−", "-")
    if not text:
        return None
    if separator != ",":
        text = text.replace(",", ".")
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise DataError(f"The {which} end {where} must be a number, got {quoted(cell)}.")
    return value
