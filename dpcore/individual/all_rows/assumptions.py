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
    """Sentences to put beside the numbers.

    Parameters
    ----------
    target : name of the target
    used, read : number of rows used, and of rows in the file
    dropped : numbers of the first rows that were left out
    rows, ranges, extremes, fills : a sentence each; the last two are empty if there are no such cells
    no_guarantee : why nothing is known about other records; empty if there is a guarantee
    until : for how long that is so, in a few words; empty if there is a guarantee
    """

    target: str
    used: int
    read: int
    dropped: tuple[int, ...]
    rows: str
    ranges: str
    extremes: str
    fills: str
    no_guarantee: str
    until: str

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences, in the order in which they are to be read."""
        parts = (f"Target: {quoted(self.target)}.", self.rows, self.ranges, self.extremes, self.fills)
        return tuple(part for part in parts if part)


def assumptions(report: IngestReport, domain: Domain | None, target: str, n_samples: int) -> Assumptions:
    """What numbers computed from these rows assume.

    Parameters
    ----------
    report : ingest report of the data set, or of the file read in pieces
    domain : the public domain the rows were brought into, or None
    target : name of the target
    n_samples : rows used
    """
    read = max(report.rows_read, n_samples)
    return Assumptions(
        target=target,
        used=n_samples,
        read=read,
        dropped=report.dropped_rows,
        rows=_rows(report, n_samples, read),
        ranges=_ranges(report, domain),
        extremes=report.extremes,
        fills=_fills(report),
        no_guarantee=_no_guarantee(report),
        until=_until(report),
    )


def assumptions_of(dataset: Dataset) -> Assumptions:
    """What numbers computed from a data set in memory assume."""
    return assumptions(dataset.report, dataset.domain, dataset.target, dataset.n_samples)


def listed_rows(dropped: Sequence[int], count: int, limit: int = ROWS_LISTED) -> str:
    """ "rows 3, 8 and 17", or the first rows and how many more there are."""
    return f"row{'s' if count > 1 else ''} {listed(dropped[:limit], count)}"


def _rows(report: IngestReport, used: int, read: int) -> str:
    numbering = "rows are numbered as in the file, the first line after the header is 1"
    if used == read or not report.dropped_rows:
        return f"{grouped(used)} of {grouped(read)} rows used; {numbering}."
    out = listed_rows(report.dropped_rows, read - used)
    return f"{grouped(used)} of {grouped(read)} rows used; left out for a missing cell: {out} ({numbering})."


def _ranges(report: IngestReport, domain: Domain | None) -> str:
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
        return f"Ranges are stated for {len(stated)} of {len(numeric)} numeric columns; the others keep their units."
    return "Ranges are stated, not read off this file."


def _fills(report: IngestReport) -> str:
    if report.filled_from_file:
        return f"{grouped(report.cells_imputed)} missing cells of {_names(report.filled_from_file)} are filled in from the other rows."
    return f"{grouped(report.cells_imputed)} missing cells are filled with 0." if report.cells_imputed else ""


def _until(report: IngestReport) -> str:
    if report.ranges_from_file:
        return "until ranges are stated"
    return "while cells are filled in from other rows" if report.filled_from_file else ""


def _no_guarantee(report: IngestReport) -> str:
    if report.ranges_from_file:
        return (
            f"the ranges of {_names(report.ranges_from_file)} are read off this file, so the extreme rows decide how every "
            "row is scaled; state ranges known without the file"
        )
    if report.filled_from_file:
        return (
            f"missing cells of {_names(report.filled_from_file)} are filled in from the other rows, so each row enters "
            "through others too; leave such rows out, or fill with zero"
        )
    return ""


def _names(names: Sequence[str]) -> str:
    said, more = listed([quoted(name) for name in names[:_NAMES_LISTED]], len(names)), len(names) - _NAMES_LISTED
    return said if more <= 0 else f"{said} column{'s' if more > 1 else ''}"
