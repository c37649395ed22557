"""Which column of a table is its target, as far as names and places say, and why the others are not offered."""

from dataclasses import dataclass

from dpcore.data.encoding.name_words import LIKELY_TARGET_WORDS, TARGET_WORDS, says, words
from dpcore.data.encoding.target import TargetReading
from dpcore.data.ingest.choose import check_target
from dpcore.data.ingest.kinds import Column
from dpcore.data.ingest.reading import target_kind
from dpcore.data.ingest.table import Table
from dpcore.data.names import quoted
from dpcore.errors import DataError

_NAMED, _LIKELY, _WHOLE, _LAST, _LAST_COUNTS, _TWO_LEVELS = 8, 4, 2, 3, 3, 1
_NO_TARGET = {
    "empty": "has no value",
    "constant": "never varies",
    "id": "looks like an identifier",
    "date": "holds dates or times",
    "duplicate": "repeats a column",
    "text": "holds text, neither numbers nor levels",
}
_OBVIOUS = ("date", "empty")


@dataclass(frozen=True)
class Candidate:
    """One column as a target: how it would be read, or why it is not offered; the guess has the highest score.

    Parameters
    ----------
    name : of the column
    reading : how it would be read; None where it is not offered
    why : what speaks for it, or why it is not offered; "" for the columns between
    score : what name and place say for it
    """

    name: str
    reading: TargetReading | None
    why: str
    score: int


def target_candidates(table: Table) -> tuple[Candidate, ...]:
    """Every column as a target, in the order of the table. Names and places are looked at, and the kinds of the columns.

    Parameters
    ----------
    table : from `read_table`
    """
    return tuple(_candidate(table, column, place) for place, column in enumerate(table.columns))


def guess_target(table: Table) -> Candidate:
    """The column that most looks like the one to predict: by its name, else the last one that can be.

    Parameters
    ----------
    table : from `read_table`

    Raises
    ------
    DataError
        If no column can be a target: says why of each.
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
    return Candidate(column.name, reading, " and ".join(reasons), score)


def _why_not(table: Table, column: Column) -> str:
    """Why a column is not offered as a target; "" if it is."""
    if column.kind in _NO_TARGET:
        return _NO_TARGET[column.kind] + (f": {column.note}" if column.note and column.kind not in _OBVIOUS else "")
    try:
        check_target(table, column.name, any_levels=True)
    except DataError as error:
        return str(error)
    return ""
