"""Columns of a table as a matrix in the public domain, row by row: codes and numbers, fills, ranges, norms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from dpcore.data.domain import Domain
from dpcore.data.encoding.clipping import Scaling
from dpcore.data.ingest_report import DROPPED_LISTED
from dpcore.data.scaling import map_range, row_norms, scale_rows

_CHUNK_CELLS = 2**18  # of a block of rows, which stays in cache
_THREADS = 2


@dataclass
class Counts:
    """What happened to the rows read so far; `dropped` holds the numbers of the first rows that were left out."""

    read: int = 0
    kept: int = 0
    dropped: list[int] = field(default_factory=list)
    imputed: int = 0
    clipped: int = 0
    scaled: int = 0
    targets_clipped: int = 0
    scaling: Scaling = field(default_factory=Scaling)

    def merge(self, other: Counts) -> None:
        """Add the counts of the rows that follow."""
        self.dropped += other.dropped[: DROPPED_LISTED - len(self.dropped)]
        for name in ("read", "kept", "imputed", "clipped", "scaled", "targets_clipped"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.scaling.merge(other.scaling)

    def of_rows(self, numbers: np.ndarray, rows: slice | np.ndarray, y: np.ndarray, outside: int) -> None:
        """Note which rows were used, their targets in the bound, and how many of these lay outside.

        Parameters
        ----------
        numbers : of all rows, as in the file
        rows : positions of those that are used
        y, outside : from `TargetCode.y`
        """
        dropped = np.delete(numbers, rows)
        self.read, self.kept = len(numbers), len(numbers) - len(dropped)
        self.dropped, self.targets_clipped = dropped[:DROPPED_LISTED].tolist(), outside
        self.scaling.target.add(y, outside)


@dataclass
class Part:
    """One column of X before scaling: raw values or category codes of a column, and how to turn them into numbers."""

    name: str
    values: np.ndarray
    level: int | None = None
    column: str = ""
    range: tuple[float, float] | None = None
    fill: float | None = None

    def numbers(self, rows: slice | np.ndarray) -> np.ndarray:
        values = self.values[rows]
        if self.level is None:
            return values.astype(np.float64)
        return np.where(values < 0, np.nan, (values == self.level).astype(np.float64))


def column_parts(name: str, levels: Sequence[str], cells: np.ndarray, domain: Domain | None = None) -> list[Part]:
    """What a column becomes: itself, or of three and more levels a column each; with their public ranges.

    Parameters
    ----------
    name : of the column
    levels : its texts, none for a column of numbers
    cells : numbers, or positions among the levels
    domain : public bounds
    """
    chosen = [None] if not levels else [1] if len(levels) == 2 else range(len(levels))
    names = [name] if len(levels) in (0, 2) else [f"{name}={level}" for level in levels]
    ends = [None if domain is None else domain.range_of(part) for part in names]
    return [Part(part, cells, level, name, both) for part, level, both in zip(names, chosen, ends, strict=True)]


def kept_rows(parts: Sequence[Part], y: np.ndarray, missing: str) -> slice | np.ndarray:
    """Rows that are used: a full slice where none is left out, so that nothing is copied. `parts` need hold those with gaps only."""
    out = np.isnan(y)
    if missing == "drop":
        for part in parts:
            if part.level in (None, 0, 1):
                out |= missing_cells(part.values, part.level is not None)
    return np.flatnonzero(~out) if out.any() else slice(None)


def missing_cells(values: np.ndarray, is_code: bool) -> np.ndarray:
    if is_code:
        return values < 0
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)


def to_range(values: np.ndarray, ends: tuple[float, float], bound: float = 1.0) -> tuple[np.ndarray, int]:
    """`map_range`; a column with a single value maps to 0."""
    if not ends[0] / 2 < ends[1] / 2:
        return np.where(np.isnan(values), np.nan, 0.0), 0
    return map_range(values, ends[0], ends[1], bound)


def fill_matrix(
    parts: list[Part], rows: slice | np.ndarray, count: int, domain: Domain | None, intercept: bool, missing: str
) -> tuple[np.ndarray, Counts]:
    """X (count, n_features) in blocks of rows, two at once: encode, fill in, map to ranges, scale; and what was done.

    Parameters
    ----------
    parts : columns of X before scaling
    rows : rows of the table to use, and count : how many they are
    domain : public bounds, or None
    intercept : whether a constant column comes last
    missing : rule for missing cells
    """
    counts, width = Counts(), len(parts)
    X = np.empty((count, width + intercept))
    inner = domain
    if domain is not None and intercept:
        inner = Domain(row_norm=domain.row_norm / math.sqrt(2.0), rows=domain.rows)
        X[:, -1] = inner.row_norm * (1.0 - 1e-15)
    elif intercept:
        X[:, -1] = 1.0
    step = max(256, _CHUNK_CELLS // (width + 1))
    starts = range(0, count, step)
    with ThreadPoolExecutor(_THREADS if len(starts) > _THREADS else 1) as pool:
        filled = pool.map(
            lambda start: _fill_block(
                X[start : start + step, :width],
                parts,
                slice(start, min(start + step, count)) if isinstance(rows, slice) else rows[start : start + step],
                missing,
                None if domain is None else domain.row_norm,
                inner,
            ),
            starts,
        )
        for block in filled:
            counts.merge(block)
    return X, counts


def _fill_block(
    X: np.ndarray,
    parts: list[Part],
    chosen: slice | np.ndarray,
    missing: str,
    radius: float | None,
    domain: Domain | None,
) -> Counts:
    """Some rows of X, in place; what was done to them.

    Parameters
    ----------
    X : the rows to fill
    parts : the columns before scaling
    chosen : the rows of the table
    missing : rule for missing cells
    radius : row norm of the public domain, which a constant column counts in
    domain : what these columns are scaled to
    """
    counts, block = Counts(), np.empty(X.shape)
    for position, part in enumerate(parts):
        values = part.numbers(chosen)
        gaps = np.isnan(values) if missing != "drop" else None
        if gaps is not None and gaps.any():
            counts.imputed += int(np.count_nonzero(gaps))
            if part.fill is not None:
                values[gaps] = part.fill
        if part.range is not None:
            values, outside = to_range(values, part.range)
            counts.clipped += outside
            if part.range[0] < part.range[1]:
                counts.scaling.add_column(position, values, outside)
        if gaps is not None and missing == "zero":
            values[gaps] = 0.0
        block[:, position] = values
    if domain is not None and radius is not None:
        open_ended = [place for place, part in enumerate(parts) if part.level is None and part.range is None]
        norms = row_norms(block)
        counts.scaling.add_rows(block, norms, open_ended, radius)
        counts.scaled = scale_rows(block, domain, norms)
    X[:] = block
    return counts
