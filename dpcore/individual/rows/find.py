"""Search for rows by what their owner knows: a number, an id, or a value of any column."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpcore.data.dataset import Dataset
from dpcore.data.ingest.origin import cell_text
from dpcore.data.names import grouped, quoted, suggestion, visible
from dpcore.errors import DataError

HOW = "row 100, an id or a part of it, department = Legal, salary > 100000, salary 50000 to 60000"
_NUMBER = re.compile(r"(?i)(?:row|#|no\.?)\s*#?\s*(\d{1,15})")
_COMPARED = re.compile(r"(.+?)\s*(<=|>=|≤|≥|<|>|=|:)\s*(.+)")
_SIGNS = {
    "<": np.less, ">": np.greater, "<=": np.less_equal, "≤": np.less_equal, ">=": np.greater_equal, "≥": np.greater_equal,
}  # fmt: skip
_BETWEEN = re.compile(r"(.+?)\s*(?:=|:|\s)\s*([-+€$£]?\d.*?)\s*(?:\.\.|…|–|\bto\b|\band\b)\s*([-+€$£]?\d.*)")


@dataclass(frozen=True, eq=False)
class Found:
    """Positions of the rows that match, in the order of the file, and a sentence that says what was searched for."""

    rows: np.ndarray
    sentence: str


def find_rows(dataset: Dataset, text: str) -> Found:
    """Rows by number ("row 100"), by id (the whole id, else a part of it), or by the value of a column.

    A column is compared by =, <, >, ≤, ≥ or an interval ("salary 50000 to 60000"). Any other text is searched for among
    the ids and the texts of all columns. A bare number may be the number of a row or an id.
    """
    text = visible(text)[:200]
    if not text:
        return _nothing(f"Name a row: {HOW}.")
    if match := _NUMBER.fullmatch(text):
        return _by_number(dataset, int(match[1]))
    frame = dataset.original() if dataset.origin is None else dataset.origin.table.frame
    ids = _ids(dataset)
    exact = np.array([own.casefold() == text.casefold() for own in ids], dtype=bool)
    if exact.any():
        return _answer(dataset, exact, f"with the id {quoted(text)}")
    part = np.array([text.casefold() in own.casefold() for own in ids], dtype=bool)
    if text.isascii() and text.isdigit() and len(text) < 16:
        found = _by_number(dataset, int(text))
        if int(text) <= len(frame) or not part.any():
            return found
    for pattern, work in ((_BETWEEN, _interval), (_COMPARED, _compare)):
        match = pattern.fullmatch(text)
        if match and (name := _column(frame, match[1])) is not None:
            return _by_value(dataset, frame, name, work(frame[name], *match.groups()[1:]), text)
    if match:
        return _nothing(f"There is no column {quoted(match[1])}; {suggestion(match[1], frame.columns)}.")
    if part.any():
        return _answer(dataset, part, f"whose id contains {quoted(text)}")
    texts = frame.select_dtypes(exclude="number")
    equal = np.zeros(len(frame), dtype=bool)
    for name in texts.columns:
        equal |= _same_text(texts[name], text)
    if equal.any():
        return _answer(dataset, equal, f"with a cell {quoted(text)}")
    return _nothing(f"No row matches {quoted(text)}. Name one so: {HOW}.")


def _nothing(sentence: str) -> Found:
    return Found(np.empty(0, dtype=np.intp), sentence)


def _by_number(dataset: Dataset, number: int) -> Found:
    try:
        row = dataset.position(number)
    except DataError as error:
        return _nothing(str(error))
    name = dataset.row_name(row)
    return Found(np.array([row]), f"{name[:1].upper()}{name[1:]}.")


def _ids(dataset: Dataset) -> list[str]:
    """Ids of all rows of the table, used or not."""
    if dataset.origin is None or not dataset.origin.label:
        return []
    return [cell_text(value) for value in dataset.origin.table.frame[dataset.origin.label]]


def _column(frame: pd.DataFrame, text: str) -> str | None:
    """The column of that name; capitals and invisible characters do not matter."""
    wanted = text.strip().casefold()
    return next((name for name in frame.columns if visible(name).casefold() == wanted), None)


def _same_text(column: pd.Series, text: str) -> np.ndarray:
    wanted = text.strip().strip("'\"").casefold()
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = column.cat.categories
        codes = [code for code, level in enumerate(levels) if visible(str(level)).casefold() == wanted]
        return np.isin(column.cat.codes.to_numpy(), codes)
    return np.array([isinstance(cell, str) and visible(cell).casefold() == wanted for cell in column], dtype=bool)


def _interval(column: pd.Series, low: str, high: str) -> np.ndarray | None:
    ends = [end for end in (_number(low), _number(high)) if end is not None]
    if column.dtype.kind not in "if" or len(ends) < 2:
        return None
    values = column.to_numpy(dtype=np.float64)
    return (values >= min(ends)) & (values <= max(ends))


def _compare(column: pd.Series, sign: str, text: str) -> np.ndarray | None:
    if column.dtype.kind not in "if":
        return _same_text(column, text) if sign in "=:" else None
    number = _number(text)
    if number is None:
        return None
    values = column.to_numpy(dtype=np.float64)
    if sign in "=:":
        return np.isclose(values, number, rtol=1e-9, atol=0.0)
    return _SIGNS[sign](values, number)


def _number(text: str) -> float | None:
    cleaned = re.sub(r"[\s€$£%]", "", text)
    if cleaned[-1:] in "kK" and cleaned[:-1]:
        number = _number(cleaned[:-1])
        return None if number is None else 1_000 * number
    if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d*)?", cleaned):
        cleaned = cleaned.replace(",", "")
    try:
        return float(cleaned.replace(",", "."))
    except ValueError:
        return None


def _by_value(dataset: Dataset, frame: pd.DataFrame, name: str, hit: np.ndarray | None, text: str) -> Found:
    if hit is None:
        numeric = frame[name].dtype.kind in "if"
        rule = "compare it with a number" if numeric else "it holds text: compare it by ="
        return _nothing(f"Column {quoted(name)} cannot be compared like that; {rule}.")
    if not hit.any():
        return _nothing(f"No row has {quoted(text)}; {_holds(frame[name])}.")
    return _answer(dataset, hit, f"with {quoted(text)}")


def _holds(column: pd.Series) -> str:
    if column.dtype.kind in "if":
        return f"column {quoted(column.name)} goes from {cell_text(column.min())} to {cell_text(column.max())}"
    levels = [quoted(level) for level in pd.unique(column.dropna())[:6]]
    return f"column {quoted(column.name)} holds {', '.join(levels)}{', …' if column.nunique() > 6 else ''}"


def _answer(dataset: Dataset, hit: np.ndarray, what: str) -> Found:
    """The rows that match among those used, with a sentence about matching rows that were left out."""
    if dataset.origin is None:
        rows, gone = np.flatnonzero(hit), 0
    else:
        kept = dataset.origin.rows()
        rows = np.flatnonzero(hit[kept])
        gone = int(np.count_nonzero(hit)) - rows.size
    if not rows.size:
        first = int(np.flatnonzero(hit)[0]) + 1
        try:
            dataset.position(first)
        except DataError as error:
            more = f" So were {gone - 1} more rows {what}." if gone > 1 else ""
            return _nothing(f"{error}{more}")
    count = f"{grouped(rows.size)} row{'s' if rows.size > 1 else ''} {what}"
    return Found(
        rows, f"{count}; {grouped(gone)} more {'were' if gone > 1 else 'was'} left out." if gone else f"{count}."
    )
