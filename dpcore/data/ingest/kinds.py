"""The kind of a column: numeric, boolean, categorical, text, date, id, constant or empty."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute as pc

from dpcore.data.ingest.text_values import SIGN_REMOVED, is_missing, looks_like_dates, means_no_number, parse_numbers
from dpcore.data.names import quoted
from dpcore.records import tables

WORDS = tables(Path(__file__).with_suffix(".toml"), ("called", "no_target"))
DISTINCT_LIMIT = 1_000  # distinct values of a numeric column are counted up to this number
_HEAD = 20_000  # first rows that decide whether a numeric column holds whole numbers
# First rows in which distinct values are counted. The other rows are read only if these have fewer than DISTINCT_LIMIT.
_MANY = 4_096
_FEW_ROWS = 10  # with fewer rows, "all values differ" says nothing about a column
_FEW_LEVELS_OF_AN_ID = 3  # fewest rows in which the name of a column alone can make it an identifier
FEW_LEVELS = 20  # a text column may always have so many levels, and more if at most half of its cells differ
_LONG_TEXT = 40.0  # a column whose levels have more characters than this on average holds free text
# A text column is reported as "numbers except …" if a smaller share of its cells than this are no numbers.
_FEW_ODD_CELLS = 0.2
_YES_FIRST = [
    pair.split() for pair in ("yes no", "true false", "y n", "t f", "on off", "ja nein", "oui non", "positive negative")
]
_NAMED_ID = re.compile(
    r"^(?i:id|ids|uid|uuid|guid|ssn|row.?id|(.*[ _.-])?(id|uid|uuid|guid)|(id|uuid)[ _.-].*)$|.*[a-z](ID|Id)$"
)
_NAMED_CODE = re.compile(
    r"(?i)^(.*[ _.-])?(plz|postleitzahl|zip|zip.?code|post.?code|postal.?code|code.?postal|telefon|telephone|phone|fax)"
    r"([ _.-](nr|no|number|nummer))?$"
)
MANY_TEXTS = "many different texts: "  # begins the remark on a column whose texts differ in most rows
A_CODE = "the name says it is a code, not an amount"
_NAMED_INDEX = re.compile(
    r"(?i)^((.*[ _.-])?(index|idx|key|pk|row|record|number|no|nr|code)|row.?names?|unnamed(: ?\d+)?)$"
)


@dataclass(frozen=True)
class Column:
    """What is known about one column.

    missing : number of missing cells (infinite values count as missing).
    distinct : number of distinct values; for numeric columns 1 000 means "1 000 or more".
    note : why the column is of this kind, or what was done to read it.
    levels : the texts of a column of categories, sorted; of two the first is 0 and the last 1. () for any other column.
    is_number : whether the cells are numbers (or all missing).
    same_as : name of the first column with identical content, if any.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    note: str = ""
    levels: tuple[str, ...] = ()
    same_as: str = ""
    infinite: int = 0
    is_number: bool = False

    @property
    def unit(self) -> str:
        """The sign that was removed to read the cells as numbers: a currency or %, "" for none."""
        return self.note.partition(SIGN_REMOVED)[2][:1]


@dataclass(frozen=True)
class Unread:
    """A column of a type that no learner takes: its values were not read."""

    type: pa.DataType
    length: int

    def __len__(self) -> int:
        return self.length


def describe(name: str, array: pa.ChunkedArray | Unread, decimal: str, named: bool = True) -> tuple[Column, Any]:
    """Kind and typed values (float64/int64 array, Categorical, or object array of text) of one parsed column."""
    kind = array.type
    if isinstance(array, Unread):
        text = Column(name, "text", 0, 0, f"holds values of the type {kind}, which are not numbers")
        return text, np.full(len(array), None, dtype=object)
    if pa.types.is_null(kind) or array.null_count == len(array):
        return Column(name, "empty", len(array), 0, "every cell is missing"), np.full(len(array), np.nan)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        if pa.types.is_decimal(kind) or pa.types.is_unsigned_integer(kind) or pa.types.is_float16(kind):
            array = array.cast(pa.float64(), safe=False)
        return _numeric(name, array.to_numpy(), named)
    if pa.types.is_temporal(kind):
        return _dates(name, array)
    if pa.types.is_dictionary(kind):
        return describe(name, array.cast(kind.value_type), decimal, named)
    return _text(name, array.cast(pa.large_string()), decimal, named)


def _numeric(name: str, values: np.ndarray, named: bool, note: str = "") -> tuple[Column, np.ndarray]:
    is_whole = values.dtype.kind == "i"
    values = values.astype(np.int64 if is_whole else np.float64, copy=False)
    beyond = np.isinf(values)
    infinite = int(np.count_nonzero(beyond))
    if infinite:
        first = int(beyond.argmax()) + 1
        note = joined(note, f"{infinite} infinite cell(s), first in data row {first}, counted as missing")
        values = np.where(beyond, np.nan, values)
    gone = np.isnan(values)
    missing = int(np.count_nonzero(gone))
    if missing == len(values):
        return Column(name, "empty", missing, 0, joined(note, "no finite value"), infinite=infinite), values
    present = values[~gone] if missing else values
    low, high = present.min().item(), present.max().item()
    if low == high:
        return Column(name, "constant", missing, 1, joined(note, f"always {low:g}"), infinite=infinite), values
    distinct, head = _count_distinct(present), present[:_HEAD]
    is_whole = is_whole or (max(-low, high) < 2**53 and bool((np.floor(head) == head).all()))
    if is_whole and distinct > 2:
        reason = _identifier_reason(name, present, low, high, distinct, named)
        if reason:
            return Column(name, "id", missing, distinct, joined(note, reason), infinite=infinite), values
    kind = "boolean" if distinct == 2 and (low, high) == (0, 1) else "numeric"
    return Column(name, kind, missing, distinct, note, infinite=infinite), values


def _identifier_reason(name: str, values: np.ndarray, low: float, high: float, distinct: int, named: bool) -> str:
    """Why whole numbers look like a running number or an identifier ("" if they do not)."""
    if len(values) >= _FEW_LEVELS_OF_AN_ID and names_an_id(name):
        return "the name says it is an identifier"
    if _NAMED_CODE.match(name.strip()):
        return A_CODE
    suspicious = not named or _NAMED_INDEX.match(name.strip()) is not None
    if distinct < min(len(values), DISTINCT_LIMIT) or len(values) < (_FEW_LEVELS_OF_AN_ID if suspicious else _FEW_ROWS):
        return ""
    steps = np.diff(values)
    if np.all(steps > 0) or np.all(steps < 0):
        return "whole numbers, all different and in order, as in a running number"
    if (suspicious or high - low < 2 * len(values)) and len(pd.unique(values)) == len(values):
        return "whole numbers, all different, as in an identifier"
    return ""


def _count_distinct(values: np.ndarray) -> int:
    """Number of distinct values, or DISTINCT_LIMIT where there are at least that many."""
    count = len(pd.unique(values[:_MANY]))
    if count < DISTINCT_LIMIT and len(values) > _MANY:
        count = len(pd.unique(values))
    return min(count, DISTINCT_LIMIT)


def _dates(name: str, array: pa.ChunkedArray) -> tuple[Column, np.ndarray]:
    """Dates as text, those that repeat once in memory."""
    encoded = array.combine_chunks().dictionary_encode()
    texts = np.array([*encoded.dictionary.cast(pa.string()).to_pylist(), None], dtype=object)
    codes = encoded.indices.fill_null(len(texts) - 1).to_numpy()
    return Column(name, "date", array.null_count, len(encoded.dictionary), "holds dates or times"), texts[codes]


def _text(name: str, array: pa.ChunkedArray, decimal: str, named: bool) -> tuple[Column, Any]:
    encoded = array.combine_chunks().dictionary_encode()
    texts = pc.utf8_trim_whitespace(encoded.dictionary)
    texts = pc.if_else(pa.array(is_missing(texts)), None, texts)
    levels = texts.drop_null().unique().sort()
    place = pc.index_in(texts, value_set=levels).fill_null(-1).to_numpy()
    codes = np.append(place, -1)[encoded.indices.fill_null(-1).to_numpy()]
    missing = int(np.count_nonzero(codes < 0))
    if not len(levels):
        return Column(name, "empty", missing, 0, "every cell is missing"), np.full(len(codes), np.nan)
    numbers, remark, good = parse_all_numbers(levels, decimal)
    if numbers is not None:
        return _numeric(name, np.append(numbers, np.nan)[codes], named, remark)
    column = _text_kind(name, levels, codes, missing, good)
    if column.kind in ("categorical", "boolean", "constant"):
        return categorical(column, tuple(levels.to_pylist()), codes)
    return column, np.array([*levels.to_pylist(), None], dtype=object)[codes]


def parse_all_numbers(texts: pa.Array, decimal: str) -> tuple[np.ndarray | None, str, np.ndarray]:
    """`parse_numbers` of what is not a word for a missing number; such words are nan, and fit wherever a number does."""
    absent = means_no_number(texts)
    if absent.all():
        return None, "", ~absent
    numbers, remark, good = parse_numbers(texts.filter(pa.array(~absent)), decimal)
    fits = np.full(len(texts), good.any())
    fits[~absent] = good
    if numbers is None:
        return None, "", fits
    values = np.full(len(texts), np.nan)
    values[~absent] = numbers
    return values, remark, fits


def _text_kind(name: str, levels: pa.Array, codes: np.ndarray, missing: int, numeric: np.ndarray) -> Column:
    count, present = len(levels), len(codes) - missing
    if count == 1:
        return Column(name, "constant", missing, 1, f"always {quoted(levels[0].as_py())}")
    if looks_like_dates(levels):
        return Column(name, "date", missing, count, "holds dates or times")
    if numeric.any() and count > 2:
        cells = np.bincount(codes[codes >= 0], minlength=count)
        odd = int(cells[~numeric].sum())
        if odd < _FEW_ODD_CELLS * present:
            first = int(np.argmax(np.append(~numeric, False)[codes]))
            value = quoted(levels[int(codes[first])].as_py())
            note = f"numbers except {odd} cell(s), first {value} in data row {first + 1}"
            return Column(name, "text", missing, count, note)
    long = float(pc.mean(pc.utf8_length(levels)).as_py()) > _LONG_TEXT
    different = count == present and present >= _FEW_ROWS
    if different or (names_an_id(name) and count > 0.9 * present):
        if long:
            return Column(name, "text", missing, count, "free text, different in every row")
        return Column(name, "id", missing, count, "every text is different, as in an identifier")
    if long and count > 2:
        return Column(name, "text", missing, count, "free text")
    if count > max(FEW_LEVELS, present // 2):
        return Column(name, "text", missing, count, f"{MANY_TEXTS}{count} in {present} rows")
    return Column(name, "boolean" if count == 2 else "categorical", missing, count, "")


def categorical(column: Column, texts: tuple[str, ...], codes: np.ndarray) -> tuple[Column, pd.Categorical]:
    """Sorted levels; of a two-level column the one that means "no" comes first."""
    if [text.lower() for text in texts] in _YES_FIRST:
        texts, codes = texts[::-1], np.where(codes >= 0, 1 - codes, codes)
    note = column.note or (f"{quoted(texts[0])} = 0, {quoted(texts[1])} = 1" if column.kind == "boolean" else "")
    values = pd.Categorical.from_codes(codes, categories=pd.Index(texts, dtype="str"))
    return replace(column, note=note, levels=texts), values


def names_an_id(name: str) -> bool:
    """Whether the name of a column says that it holds identifiers."""
    return _NAMED_ID.match(name.strip()) is not None


def joined(*parts: str) -> str:
    """The remarks that are not empty, as one."""
    return "; ".join(part for part in parts if part)
