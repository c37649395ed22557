"""How a column would be read as a target, and which column is most likely the target."""

from dataclasses import dataclass
from typing import Any

from dpcore.data.dataset import Dataset
from dpcore.data.encoding.name_words import LIKELY_TARGET_WORDS, TARGET_WORDS, says, words
from dpcore.data.encoding.target import TargetNumbers, TargetReading, of_numbers, of_texts, shown
from dpcore.data.ingest.choose import check_target, find_column
from dpcore.data.ingest.kinds import FEW_LEVELS, WORDS, Column
from dpcore.data.ingest.table import Table
from dpcore.data.names import quoted
from dpcore.errors import DataError


def target_kind(data: Any, column: str | None = None) -> TargetReading:
    """How a column of a table is best read as a target, or what the target of a data set has become, with the reason.

    Two levels are "binary". Three or more texts, or whole numbers in a column whose name says so, are "classes": one of
    them is used against the others. Whole numbers from 0 are a "count" if the name of the column says so. All other
    numbers are "numeric". A few different whole numbers can be read in several ways, which `readings` lists.

    Parameters
    ----------
    data : Table or Dataset
    column : name; of a data set, its target by default

    Raises
    ------
    DataError
        If there is no such column or it cannot be a target. The text says why.
    """
    if isinstance(data, Dataset):
        if column is None or column == data.target:
            return _encoded(data)
        if data.origin is None:
            raise DataError(
                f"There is no column {quoted(column)} besides the target that could be one; name {data.target!r}."
            )
        data = data.origin.table
    name = find_column(data, column, "target")
    check_target(data, name, any_levels=True)
    levels = data.levels(name)
    return of_texts(levels) if levels else of_numbers(name, TargetNumbers.of(data.cells(name)))


def _encoded(data: Any) -> TargetReading:
    """What the target of a data set has become."""
    if data.origin is not None:
        code = data.encoder.goal
        if code.levels:
            rest = "" if len(code.levels) == 2 else f" of {len(code.levels)} levels"
            reason = f"{shown([code.positive])} is told from {shown(code.others)}{rest}"
            return TargetReading("binary", reason, code.levels, ("binary",), code.positive)
        if code.counts:
            return TargetReading("count", "kept as counts", readings=("count",))
        return TargetReading("numeric", "numbers", readings=("numeric",))
    numbers = TargetNumbers.of(data.y)
    if len(numbers.values) == 2 and numbers.low == -numbers.high:
        return TargetReading(
            "binary", f"two values, {shown(numbers.values)}", numbers.values, ("binary",), numbers.high
        )
    if numbers.are_counts:
        return TargetReading("count", "whole numbers from 0", readings=("count", "numeric"))
    return TargetReading("numeric", "numbers", readings=("numeric",))


# Points of a column: its name has a word for a target (_NAMED) or a word that often names one (_LIKELY), that word is
# the whole name (_WHOLE), it is the last column (_LAST), the last column has a name for counts (_LAST_COUNTS), it has
# two levels (_TWO_LEVELS).
_NAMED, _LIKELY, _WHOLE, _LAST, _LAST_COUNTS, _TWO_LEVELS = 8, 4, 2, 3, 3, 1
_NO_SUGGESTION = -1  # points of a column that can be chosen but is not suggested: names, places and the like
_OBVIOUS = ("date", "empty")


@dataclass(frozen=True)
class Candidate:
    """One column as a target: how it would be read, or why it is not offered. The guess is the column with most points.

    Parameters
    ----------
    name : name of the column
    reading : how it would be read; None if it is not offered
    why : reasons to choose it, or why it is not offered; "" if there is no reason for or against it
    score : points for its name, its place and its kind
    """

    name: str
    reading: TargetReading | None
    why: str
    score: int


def target_candidates(table: Table) -> tuple[Candidate, ...]:
    """Every column as a target, in the order of the table, scored by its name, its place and its kind.

    Parameters
    ----------
    table : from `read_table`
    """
    return tuple(_candidate(table, column, place) for place, column in enumerate(table.columns))


def guess_target(table: Table) -> Candidate:
    """The column that is most likely the one to predict, by its name, place and kind; of equal scores the last one.

    Parameters
    ----------
    table : from `read_table`

    Raises
    ------
    DataError
        If no column can be a target. The text says why for each column.
    """
    offered = [one for one in target_candidates(table) if one.reading is not None]
    if offered:
        return max(reversed(offered), key=lambda one: one.score)
    reasons = "; ".join(f"{quoted(one.name)}: {one.why}" for one in target_candidates(table))[:600]
    raise DataError(
        "No column can be the target: a target holds numbers or a few levels, and is neither an identifier nor a date "
        f"({reasons}). Check the separator and the decimal mark, or add such a column."
    )


def _candidate(table: Table, column: Column, place: int) -> Candidate:
    why_not = _why_not(table, column)
    if why_not:
        return Candidate(column.name, None, why_not, 0)
    reading = target_kind(table, column.name)
    last = place == len(table.columns) - 1
    score, reasons = _LAST * last, ["its place at the end"] * last
    for known, weight in ((TARGET_WORDS, _NAMED), (LIKELY_TARGET_WORDS, _LIKELY)):
        if says(column.name, known):
            score += weight + _WHOLE * (len(words(column.name)) == 1)
            reasons.insert(0, "its name")
            break
    if last and reading.kind == "count" and "its name" not in reasons:
        score += _LAST_COUNTS
        reasons.insert(0, "its name")
    score += _TWO_LEVELS * (reading.kind == "binary")
    if reading.kind == "classes" and len(reading.levels) > FEW_LEVELS:
        score, reasons = _NO_SUGGESTION, [f"{len(reading.levels)} levels, too many to suggest it"]
    return Candidate(column.name, reading, " and ".join(reasons), score)


def _why_not(table: Table, column: Column) -> str:
    """Why a column is not offered as a target; "" if it is."""
    if column.kind in WORDS["no_target"]:
        return WORDS["no_target"][column.kind] + (
            f": {column.note}" if column.note and column.kind not in _OBVIOUS else ""
        )
    try:
        check_target(table, column.name, any_levels=True)
    except DataError as error:
        return str(error)
    return ""
