"""Facts about a column from all rows, gathered batch by batch, and the kind of column that follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute as pc

from dpcore.data.encoding.target import MOST_CODES, TargetNumbers
from dpcore.data.ingest.kinds import FEW_LEVELS, MANY_TEXTS, Column, categorical, joined, parse_all_numbers
from dpcore.data.ingest.text_values import is_missing
from dpcore.data.names import quoted

_LEVELS_KEPT = 1_000  # a column with more different texts is no column of categories, and no more texts are gathered

# First cells of a batch. They mostly show already that numbers are not whole or that too many differ, so that the other
# cells need no look.
_HEAD = 256


@dataclass
class NumberFacts:
    """Facts about a column of numbers: missing, infinite and odd cells, extremes, a few values, whether all are whole.

    An odd cell is a text that is no number. `decimal` is the decimal mark of the file.
    """

    decimal: str = "."
    missing: int = 0
    infinite: int = 0
    odd: int = 0
    first_infinite: int = -1
    first_odd: tuple[int, str] = (-1, "")
    low: float = np.inf
    high: float = -np.inf
    distinct: set[float] = field(default_factory=set)
    whole: bool = True
    remark: str = ""

    def add(self, row: int, array: pa.Array) -> np.ndarray:
        """Gather the facts of some cells; returns them as doubles (nan where missing or infinite).

        `row` is the position of the first of these cells in the file.
        """
        values = self._values(row, array)
        infinite = np.isinf(values)
        if infinite.any():
            self.infinite += int(np.count_nonzero(infinite))
            self.first_infinite = row + int(infinite.argmax()) if self.first_infinite < 0 else self.first_infinite
            values = np.where(infinite, np.nan, values)
        missing = np.isnan(values)
        gaps = int(np.count_nonzero(missing))
        self.missing += gaps
        if gaps < len(values):
            self.low = min(self.low, float(np.fmin.reduce(values)))
            self.high = max(self.high, float(np.fmax.reduce(values)))
            for part in (values[:_HEAD], values):
                present = part[~np.isnan(part)]
                self.whole = self.whole and bool((np.floor(present) == present).all())
                if len(self.distinct) <= MOST_CODES:
                    self.distinct |= set(pd.unique(present)[: MOST_CODES + 1].tolist())
        return values

    def typed(self, row: int, array: pa.Array) -> np.ndarray:
        """The cells as `add` returns them, without gathering facts."""
        values = self._values(row, array)
        infinite = np.isinf(values)
        return np.where(infinite, np.nan, values) if infinite.any() else values

    def _values(self, row: int, array: pa.Array) -> np.ndarray:
        """Cells as doubles; missing ones are nan, infinite ones stay."""
        return self._texts(row, array) if _is_text(array.type) else as_doubles(array)

    def merge(self, other: NumberFacts) -> None:
        """Add what was gathered of the rows that follow."""
        if self.first_infinite < 0:
            self.first_infinite = other.first_infinite
        if not self.odd:
            self.first_odd = other.first_odd
        self.remark = self.remark or other.remark
        self.missing += other.missing
        self.infinite += other.infinite
        self.odd += other.odd
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.distinct |= other.distinct
        self.whole = self.whole and other.whole

    @property
    def known(self) -> TargetNumbers | None:
        """The facts about these numbers as a target; None if there is no number yet."""
        if self.low > self.high:
            return None
        values = tuple(sorted(self.distinct)) if len(self.distinct) <= MOST_CODES else ()
        return TargetNumbers(values, self.low, self.high, self.whole)

    def _texts(self, row: int, array: pa.Array) -> np.ndarray:
        encoded = array.dictionary_encode()
        texts = pc.utf8_trim_whitespace(encoded.dictionary.cast(pa.large_string()))
        present = ~is_missing(texts)
        table = np.full(len(texts) + 1, np.nan)
        kept = texts.filter(pa.array(present))
        codes = encoded.indices.fill_null(len(texts)).to_numpy()
        if not len(kept):
            return table[codes]
        numbers, remark, good = parse_all_numbers(kept, self.decimal)
        if numbers is not None:
            self.remark = self.remark or remark
            table[:-1][present] = numbers
            return table[codes]
        wrong = np.append(np.zeros(len(texts), dtype=bool), False)
        wrong[:-1][present] = ~good
        cells = wrong[codes]
        if self.odd == 0:
            first = int(cells.argmax())
            self.first_odd = row + first, texts[int(codes[first])].as_py()
        self.odd += int(np.count_nonzero(cells))
        return table[codes]

    def column(self, head: Column, count: int) -> Column:
        """The column as it is in all `count` rows, from what it is in the first ones."""
        common: dict[str, Any] = {"missing": self.missing, "infinite": self.infinite}
        if self.odd:
            row, value = self.first_odd
            note = f"numbers except {self.odd} cell(s), first {quoted(value)} in data row {row + 1}"
            return replace(head, kind="text", note=note, is_number=False, same_as="", **common)
        note = self.remark
        if self.infinite:
            row = self.first_infinite
            note = joined(note, f"{self.infinite} infinite cell(s), first in data row {row + 1}, counted as missing")
        if self.missing == count:
            note = joined(note, "no finite value") if self.infinite else "every cell is missing"
            return replace(head, kind="empty", note=note, distinct=0, same_as="", **common)
        if self.low == self.high:
            note = joined(note, f"always {self.low:g}")
            return replace(head, kind="constant", note=note, distinct=1, same_as="", **common)
        distinct = len(self.distinct) if len(self.distinct) == 2 else max(head.distinct, 3)
        if head.kind in ("id", "duplicate"):
            return replace(head, distinct=distinct, **common)
        kind = "boolean" if distinct == 2 and (self.low, self.high) == (0, 1) else "numeric"
        return replace(head, kind=kind, note=note, distinct=distinct, **common)


@dataclass
class LevelFacts:
    """Facts about a column of categories: missing cells and all texts."""

    missing: int = 0
    levels: set[str] = field(default_factory=set)
    known: ClassVar[None] = None  # texts are no numbers

    def typed(self, row: int, array: pa.Array) -> tuple[pa.DictionaryArray, list[str | None]]:
        """The cells encoded, with the text of each code (None where missing)."""
        if pa.types.is_boolean(array.type):
            array = array.cast(pa.large_string())
        encoded = array.dictionary_encode()
        texts = pc.utf8_trim_whitespace(encoded.dictionary.cast(pa.large_string()))
        gone = is_missing(texts)
        return encoded, [None if out else text for out, text in zip(gone, texts.to_pylist(), strict=True)]

    def add(self, row: int, array: pa.Array) -> tuple[pa.DictionaryArray, list[str | None]]:
        """Gather the facts of some cells; returns them as `typed` does."""
        encoded, names = self.typed(row, array)
        if len(self.levels) <= _LEVELS_KEPT:
            self.levels |= {name for name in names if name is not None}
        counts = np.bincount(encoded.indices.fill_null(len(names)).to_numpy(), minlength=len(names) + 1)
        self.missing += int(counts[[name is None for name in [*names, None]]].sum())
        return encoded, names

    def merge(self, other: LevelFacts) -> None:
        """Add what was gathered of the rows that follow."""
        self.missing += other.missing
        self.levels |= other.levels

    def column(self, head: Column, count: int) -> Column:
        """The column as it is in all `count` rows, from what it is in the first ones."""
        present, levels = count - self.missing, len(self.levels)
        common: dict[str, Any] = {"missing": self.missing, "distinct": levels}
        if levels == 0:
            return replace(head, kind="empty", note="every cell is missing", levels=(), **common)
        if head.kind == "duplicate" and set(head.levels) == self.levels:
            return replace(head, **common)
        if levels > max(FEW_LEVELS, present // 2) or levels > _LEVELS_KEPT:
            shown = f"more than {_LEVELS_KEPT}" if levels > _LEVELS_KEPT else str(levels)
            note = f"{MANY_TEXTS}{shown} in {present} rows"
            return replace(head, kind="text", note=note, levels=(), same_as="", **common)
        if levels == 1:
            (only,) = self.levels
            return replace(head, kind="constant", note=f"always {quoted(only)}", levels=(only,), same_as="", **common)
        ordered = tuple(pa.array(list(self.levels), pa.large_string()).sort().to_pylist())
        kind = "boolean" if levels == 2 else "categorical"
        plain = replace(head, kind=kind, note="", same_as="", **common)
        return categorical(plain, ordered, np.empty(0, dtype=np.int64))[0]


def as_doubles(array: pa.Array) -> np.ndarray:
    """Numbers of any type as doubles, nan where missing."""
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if array.type != pa.float64():
        array = array.cast(pa.float64(), safe=False)
    return array.to_numpy(zero_copy_only=False)


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)
