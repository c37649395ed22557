"""What a target is (two levels, classes, counts or amounts) and how its cells become y."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from dpcore.data.domain import Domain
from dpcore.data.encoding.matrix import to_range
from dpcore.data.encoding.name_words import CLASS_WORDS, COUNT_WORDS, GENERIC_TARGET_WORDS, SCORE_WORDS, says
from dpcore.data.names import LISTED, listed, quoted
from dpcore.errors import DataError

Level = str | float

MOST_CODES = 50  # a target with at most so many different numbers can be used as one number against the others
_MOST_CLASSES = 20  # most different whole numbers that may be class codes
_MOST_PLAIN_CLASSES = 10  # the same if only a name such as "target" and numbers without a gap suggest it
TWO_LEVEL_CODES = ((0.0, 1.0), (-1.0, 1.0), (1.0, 2.0))


@dataclass(frozen=True)
class TargetNumbers:
    """Facts about a target of numbers: its values if at most 50 differ, its extremes, whether all are whole."""

    values: tuple[float, ...]
    low: float
    high: float
    whole: bool

    @classmethod
    def of(cls, cells: np.ndarray) -> TargetNumbers:
        """The facts about the cells that are not missing; there must be at least one."""
        present = cells[~np.isnan(cells)] if cells.dtype.kind == "f" else cells
        distinct = pd.unique(present[: 1 << 16])
        if len(distinct) <= MOST_CODES:
            distinct = pd.unique(present)
        values = tuple(float(value) for value in np.sort(distinct)) if len(distinct) <= MOST_CODES else ()
        whole = all((np.floor(part) == part).all() for part in (present[:1000], present))
        return cls(values, float(present.min()), float(present.max()), whole)

    @property
    def are_counts(self) -> bool:
        """Whether all values are whole and none is negative."""
        return self.whole and self.low >= 0


@dataclass(frozen=True)
class TargetReading:
    """How a target is read, or how it should best be read.

    Parameters
    ----------
    kind : "numeric", "binary", "count" or "classes"
    reason : why, in words
    levels : texts or numbers of a binary target or of classes
    readings : every kind the column can be used as, the best first
    positive : the level that becomes B, if that is decided
    """

    kind: str
    reason: str
    levels: tuple[Level, ...] = ()
    readings: tuple[str, ...] = ()
    positive: Level | None = None

    @property
    def default(self) -> Level | None:
        """The level that becomes B if the user names none; None if the user must name one."""
        is_pair = self.levels in TWO_LEVEL_CODES or (self.kind == "binary" and isinstance(self.levels[0], str))
        return self.levels[-1] if is_pair else None


@dataclass(frozen=True)
class TargetCode:
    r"""How a cell of the target becomes y, fixed before the cell is seen.

    .. math:: y = B\ (\text{positive level}),\; −B\ (\text{any other}); \quad \min(\max(c, 0), B); \quad [low, high] → [−B, B]

    Parameters
    ----------
    name : name of the column
    levels : the levels, if the target has any: texts (a cell holds the position of its text), or numbers
    positive : the level that becomes B
    counts : whether cells stay counts
    ends : public (low, high), or None
    """

    name: str
    levels: tuple[Level, ...] = ()
    positive: Level | None = None
    counts: bool = False
    ends: tuple[float, float] | None = None

    def values(self, cells: np.ndarray) -> np.ndarray:
        """1 for the positive level, 0 for the others; cells of a target without levels as they are. Missing is nan."""
        if not self.levels:
            return cells
        if isinstance(self.levels[0], str):
            return np.where(cells < 0, np.nan, (cells == self.levels.index(self.positive)).astype(np.float64))
        return np.where(np.isnan(cells), np.nan, (cells == self.positive).astype(np.float64))

    def y(self, values: np.ndarray, domain: Domain | None) -> tuple[np.ndarray, int]:
        """Targets within the bound, from values without missing ones, and how many values lay outside."""
        bound = 1.0 if domain is None else domain.target_bound
        if self.levels:
            return np.where(values > 0.5, bound, -bound), 0
        if domain is None:
            return values, 0
        if self.counts:
            return np.clip(values, 0.0, bound), int(np.count_nonzero((values < 0) | (values > bound)))
        if self.ends is not None:
            return to_range(values, self.ends, bound)
        return np.clip(values, -bound, bound), int(np.count_nonzero(np.abs(values) > bound))

    @property
    def numbers(self) -> tuple[float, ...] | None:
        """The levels if they are numbers, else None."""
        return tuple(map(float, self.levels)) if self.levels and not isinstance(self.levels[0], str) else None

    @property
    def others(self) -> tuple[Level, ...]:
        """The levels that become −B."""
        return tuple(level for level in self.levels if level != self.positive)

    def note(self, bound: float | None) -> str:
        """What was done to the levels or counts under a bound, as a sentence; "" for amounts."""
        name = quoted(self.name)
        if self.counts:
            above = "" if bound is None else f"; those above {bound:g} count as {bound:g}"
            return f"The target {name} is kept as counts{above}."
        bound = 1.0 if bound is None else bound
        if len(self.levels) == 2:
            low, high = shown(self.others), shown([self.positive])  # type: ignore[list-item]
            return f"The two levels of the target {name}, {low} and {high}, became {-bound:g} and {bound:g}; they count as public."
        if self.levels:
            return (
                f"One level of the target {name} is told from all others: {shown([self.positive])} became {bound:g}, "  # type: ignore[list-item]
                f"{shown(self.others)} became {-bound:g}; the {len(self.levels)} levels count as public."
            )
        return ""


def of_texts(levels: tuple[str, ...]) -> TargetReading:
    """The reading of a column of texts."""
    if len(levels) == 2:
        return TargetReading("binary", f"two levels, {shown(levels)}", levels, ("binary",))
    reason = f"{len(levels)} levels ({shown(levels)}); one of them is told from all others"
    return TargetReading("classes", reason, levels, ("classes",))


def of_numbers(name: str, numbers: TargetNumbers) -> TargetReading:
    """The reading of a column of numbers, from its name and its values."""
    values, few = numbers.values, 2 < len(numbers.values) <= _MOST_CLASSES and numbers.whole
    if len(values) == 2 and (values in TWO_LEVEL_CODES or numbers.whole):
        other = [*(["count"] if numbers.are_counts else []), *([] if values in TWO_LEVEL_CODES else ["numeric"])]
        return TargetReading("binary", f"two values, {shown(values)}", values, ("binary", *other))
    possible = ["numeric", *(["count"] if numbers.are_counts else []), *(["classes"] if few else [])]
    kind, reason = _suggested(name, numbers, few)
    readings = (kind, *(other for other in possible if other != kind))
    if few and kind != "classes":
        reason += "; if they are codes of classes, tell one from all others"
    return TargetReading(kind, reason, values if few else (), readings)


def _suggested(name: str, numbers: TargetNumbers, few: bool) -> tuple[str, str]:
    count = len(numbers.values)
    span = f"{count} different whole numbers, {numbers.low:g} to {numbers.high:g}"
    running = few and numbers.low in (0, 1) and count == numbers.high - numbers.low + 1
    if few and says(name, CLASS_WORDS):
        return "classes", f"{span}, and the name says they are classes; one of them is told from all others"
    if running and count <= _MOST_PLAIN_CLASSES and says(name, GENERIC_TARGET_WORDS):
        return "classes", f"{span}, without a gap, as class codes are; one of them is told from all others"
    if few and says(name, SCORE_WORDS):
        return "numeric", f"{span}, and the name says they are a score, which has an order"
    if numbers.are_counts and says(name, COUNT_WORDS):
        return "count", "whole numbers from 0, and the name says they are counts"
    if numbers.are_counts and numbers.low == 0:
        return "numeric", f"whole numbers from 0 to {numbers.high:g}, which may be counts"
    return "numeric", span if few else "numbers"


def target_code(
    name: str, texts: Sequence[str], numbers: TargetNumbers | None, positive: Any, counts: bool, domain: Domain | None
) -> TargetCode:
    """How the cells of a target become y, from the column and from what the user asked for.

    Parameters
    ----------
    name : name of the target
    texts : its levels, if it is a column of categories
    numbers : facts about it, if it is a column of numbers
    positive : the level that becomes B; None for the last of two
    counts : whether its cells stay counts
    domain : public bounds, or None

    Raises
    ------
    DataError
        If the target is no count, has no such level, or has three and more levels of which none is named.
    """
    ends = None if domain is None else domain.range_of(name)
    if texts or numbers is None:
        if counts:
            raise DataError(f"The target {quoted(name)} holds texts, so it cannot be kept as counts; leave out counts.")
        levels: tuple[Level, ...] = tuple(texts)
        return TargetCode(name, levels, _chosen(name, levels, positive) if positive is not None else levels[-1])
    if counts:
        _check_counts(name, numbers, positive)
        return TargetCode(name, counts=True, ends=ends)
    if positive is not None:
        if not numbers.values:
            raise DataError(
                f"The target {quoted(name)} holds more than {MOST_CODES} different numbers, so none of them can be set "
                "against the others; leave out positive to use the numbers as amounts."
            )
        return TargetCode(name, numbers.values, _chosen(name, numbers.values, positive))
    if ends is None and numbers.values in TWO_LEVEL_CODES:
        return TargetCode(name, numbers.values, numbers.values[1])
    reading = of_numbers(name, numbers)
    two_codes = reading.kind == "binary" and says(name, CLASS_WORDS)
    if ends is None and (reading.kind == "classes" or two_codes):
        raise DataError(
            f"The target {quoted(name)} holds class codes ({shown(reading.levels)}), not amounts: name the one that is "
            f"told from the others ({_hint(reading.levels)}), or state a public range of it to use the codes as amounts."
        )
    return TargetCode(name, ends=ends)


def with_bound(code: TargetCode, domain: Domain | None) -> Domain | None:
    """The domain of a data set with this target. Counts keep their units, so the upper end of their range becomes B."""
    if domain is None or not code.counts or code.ends is None:
        return domain
    return replace(domain, target_bound=code.ends[1])


def no_levels(name: str, levels: Sequence[Level]) -> DataError:
    """The error about a target with three or more levels of which none is named as positive."""
    return DataError(
        f"The target {quoted(name)} holds {len(levels)} levels ({shown(levels)}), and only two can be told apart: name the "
        f"one that is told from all others ({_hint(levels)}), or choose a numeric target."
    )


def shown(levels: Sequence[Level]) -> str:
    """Levels in a sentence: texts in quotation marks, numbers as they are, at most eight of them."""
    first = [quoted(level) if isinstance(level, str) else f"{level:g}" for level in levels[:LISTED]]
    return listed(first, len(levels))


def _hint(levels: Sequence[Level]) -> str:
    return f"positive={shown(levels[:1])}, --positive"


def _chosen(name: str, levels: tuple[Level, ...], positive: Any) -> Level:
    """The level that is named: a text that matches exactly (else without regard to case), or an equal number."""
    found: list[Level] = []
    if isinstance(levels[0], str):
        text = str(positive).strip()
        found = [level for level in levels if level == text] or [
            level for level in levels if str(level).casefold() == text.casefold()
        ]
    else:
        with suppress(TypeError, ValueError):
            found = [level for level in levels if level == float(positive)]
    if len(found) == 1:
        return found[0]
    raise DataError(
        f"The target {quoted(name)} has no level {quoted(positive)} that could be the positive one; its levels are {shown(levels)}."
    )


def _check_counts(name: str, numbers: TargetNumbers, positive: Any) -> None:
    if positive is not None:
        raise DataError(
            f"The target {quoted(name)} is asked for as counts and as one level against the others; give counts or positive."
        )
    if not numbers.are_counts:
        what = f"holds {numbers.low:g}" if numbers.low < 0 else "holds numbers that are not whole"
        raise DataError(
            f"The target {quoted(name)} {what}, so it is no count: counts are whole numbers from 0. Leave out counts, or "
            "choose another target."
        )
