"""What was done to a table to make a data set of it: notes in sentences, counts, and one line per column."""

from dataclasses import dataclass

COUNTED = ("rows_read", "cells_imputed", "rows_scaled", "values_clipped", "targets_clipped")  # what all rows add up
DROPPED_LISTED = 1_000  # most rows left out whose numbers are kept


@dataclass(frozen=True)
class Note:
    """One sentence about the data. The level "leak" marks a step that depends on the rows and has no guarantee."""

    level: str
    text: str


@dataclass(frozen=True)
class ColumnReport:
    """What was done with one column of the table: its kind, whether it is used, and why (not)."""

    name: str
    kind: str
    used: bool
    reason: str


@dataclass(frozen=True)
class IngestReport:
    """Everything that was read, left out, filled in, scaled and clipped.

    rows_read : rows of the file; rows_dropped : rows left out for a missing cell; cells_imputed : missing cells filled
    in; rows_scaled : rows whose norm was changed; values_clipped : feature cells outside their range;
    targets_clipped : targets outside their range or bound; dropped_rows : numbers of the first 1 000 rows left out,
    as in the file, where the first line after the header is 1; ranges_from_file, filled_from_file : columns whose range
    was read off the rows or whose missing cells were filled from them, which no guarantee covers; extremes : a sentence
    on what was done with cells far beyond all others of a column whose range was read off the rows.
    """

    notes: tuple[Note, ...] = ()
    columns: tuple[ColumnReport, ...] = ()
    rows_read: int = 0
    rows_dropped: int = 0
    cells_imputed: int = 0
    rows_scaled: int = 0
    values_clipped: int = 0
    targets_clipped: int = 0
    dropped_rows: tuple[int, ...] = ()
    ranges_from_file: tuple[str, ...] = ()
    filled_from_file: tuple[str, ...] = ()
    extremes: str = ""

    @property
    def leaks(self) -> bool:
        """Whether any step depended on the rows in a way that no guarantee covers."""
        return any(note.level == "leak" for note in self.notes)
