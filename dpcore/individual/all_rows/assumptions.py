"""What per-instance numbers take for granted, in sentences: target, rows used, ranges, filled cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.ingest_report import IngestReport
from dpcore.data.names import grouped, listed, quoted

# Largest numbers of rows and of names that a sentence lists. Doubled, the sentence is up to twice as long.
ROWS_LISTED, _NAMES_LISTED = 20, 4


@dataclass(frozen=True)
class Assumptions:
    """Sentences to put beside numbers computed from some rows.

    Parameters
    ----------
    report : ingest report of the data set, or of the file read in pieces
    domain : the public domain the rows were brought into, or None
    target : name of the target
    used : number of rows used
    """

    report: IngestReport
    domain: Domain | None
    target: str
    used: int

    @property
    def read(self) -> int:
        """Number of rows in the file."""
        return max(self.report.rows_read, self.used)

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences, in the order in which they are to be read."""
        parts = (f"Target: {quoted(self.target)}.", self.rows, self.ranges, self.report.extremes, self.fills)
        return tuple(part for part in parts if part)

    @property
    def rows(self) -> str:
        """How many rows are used, and which are left out, as a sentence."""
        used, read = self.used, self.read
        numbering = "rows are numbered as in the file, the first line after the header is 1"
        if used == read or not self.report.dropped_rows:
            return f"{grouped(used)} of {grouped(read)} rows used; {numbering}."
        out = listed_rows(self.report.dropped_rows, read - used)
        return f"{grouped(used)} of {grouped(read)} rows used; left out for a missing cell: {out} ({numbering})."

    @property
    def ranges(self) -> str:
        """Where the ranges come from, as a sentence."""
        report, domain = self.report, self.domain
        if domain is None:
            return "No ranges are stated and nothing is scaled."
        if report.ranges_from_file:
            return f"Ranges of {_names(report.ranges_from_file)} are read off this file."
        numeric = [column.name for column in report.columns if column.used and column.kind == "numeric"]
        stated = [name for name in numeric if domain.range_of(name) is not None]
        shortened = "longer rows are shortened" if domain.rows == "clip" else "every row is set to one length"
        if not stated:
            return f"No ranges are stated: columns keep their units, {shortened} and the target is clipped."
        if len(stated) < len(numeric):
            return (
                f"Ranges are stated for {len(stated)} of {len(numeric)} numeric columns; the others keep their units."
            )
        return "Ranges are stated, not read off this file."

    @property
    def fills(self) -> str:
        """What missing cells were filled with, as a sentence; empty if there are none."""
        cells, columns = grouped(self.report.cells_imputed), self.report.filled_from_file
        if columns:
            return f"{cells} missing cells of {_names(columns)} are filled in from the other rows."
        return f"{cells} missing cells are filled with 0." if self.report.cells_imputed else ""

    @property
    def until(self) -> str:
        """For how long there is no guarantee, in a few words; empty if there is one."""
        if self.report.ranges_from_file:
            return "until ranges are stated"
        return "while cells are filled in from other rows" if self.report.filled_from_file else ""

    @property
    def no_guarantee(self) -> str:
        """Why nothing is known about other records; empty if there is a guarantee."""
        if self.report.ranges_from_file:
            return (
                f"the ranges of {_names(self.report.ranges_from_file)} are read off this file, so the extreme rows decide how "
                "every row is scaled; state ranges known without the file"
            )
        if self.report.filled_from_file:
            return (
                f"missing cells of {_names(self.report.filled_from_file)} are filled in from the other rows, so each row "
                "enters through others too; leave such rows out, or fill with zero"
            )
        return ""


def assumptions_of(dataset: Dataset) -> Assumptions:
    """What numbers computed from a data set in memory assume."""
    return Assumptions(dataset.report, dataset.domain, dataset.target, dataset.n_samples)


def listed_rows(dropped: Sequence[int], count: int, limit: int = ROWS_LISTED) -> str:
    """ "rows 3, 8 and 17", or the first rows and how many more there are."""
    return f"row{'s' if count > 1 else ''} {listed(dropped[:limit], count)}"


def _names(names: Sequence[str]) -> str:
    said, more = listed([quoted(name) for name in names[:_NAMES_LISTED]], len(names)), len(names) - _NAMES_LISTED
    return said if more <= 0 else f"{said} column{'s' if more > 1 else ''}"
