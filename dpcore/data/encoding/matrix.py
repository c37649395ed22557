"""Turn columns of a table into a matrix in the public domain: encode, fill gaps, map to ranges, scale norms."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from dpcore.data.domain import Domain
from dpcore.data.ingest_report import COUNTED, DROPPED_LISTED
from dpcore.data.names import all_quoted, grouped, quoted, visible
from dpcore.data.scaling import map_range, row_norms, scale_rows
from dpcore.errors import DataError

MOST_OUTSIDE = 0.95  # largest share of the values of a column that may be clipped
# The values of a column must cover at least this share of its bound after scaling.
LEAST_SPREAD = 1e-6
# Largest share of the rows that may be longer than max(R, √d), the longest that stated ranges could make a row.
MOST_LONG = 0.9
_ROUND_OFF = 1.0001  # factor by which a norm may exceed that length before the row counts as long
_WORST = 3  # columns that an error names as the cause; doubled, the list hides which column it is


@dataclass
class Remains:
    """Facts about one column: values, how many of them lay outside its range, smallest and largest after scaling."""

    count: int = 0
    outside: int = 0
    low: float = np.inf
    high: float = -np.inf

    def add(self, scaled: np.ndarray, outside: int) -> None:
        """Count values that have been brought into the range."""
        present = scaled[~np.isnan(scaled)]
        if present.size:
            self.low, self.high = min(self.low, float(present.min())), max(self.high, float(present.max()))
        self.count += present.size
        self.outside += outside

    def merge(self, other: Remains) -> None:
        """Add the facts about the rows that follow."""
        self.count += other.count
        self.outside += other.outside
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)

    @property
    def is_clipped(self) -> bool:
        """Whether more than 95 % of the values lay outside the range."""
        return self.outside > MOST_OUTSIDE * self.count

    def is_flat(self, bound: float = 1.0) -> bool:
        """Whether the values that were counted cover less than a millionth of the bound."""
        return self.count > 0 and self.high - self.low < LEAST_SPREAD * bound


@dataclass
class Scaling:
    """What was done to the rows so far: to the target, to each column with a range, and to the norms.

    long : number of rows that were longer than max(R, √d) before they were shortened; d columns in [−1, 1] cannot make
    a row longer than √d.
    weight : for every column without a range, the sum of its shares of ‖x‖² over long rows; only blocks in which most
    rows are long are counted.
    """

    target: Remains = field(default_factory=Remains)
    columns: defaultdict[int, Remains] = field(default_factory=lambda: defaultdict(Remains))
    weight: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))
    rows: int = 0
    long: int = 0

    def add_rows(self, block: np.ndarray, norms: np.ndarray, open_ended: Sequence[int], radius: float) -> None:
        """Count rows with their norms before scaling; `open_ended` are columns of numbers without a range."""
        self.rows += len(block)
        if not open_ended:
            return
        long = norms > _ROUND_OFF * max(radius, np.sqrt(block.shape[1]))
        count = int(np.count_nonzero(long))
        self.long += count
        if count <= MOST_LONG * len(block):
            return
        for position in open_ended:
            shares = np.square(block[long, position] / np.minimum(norms[long], np.finfo(float).max))
            self.weight[position] += float(shares.sum())

    def merge(self, other: Scaling) -> None:
        """Add the facts about the rows that follow."""
        self.target.merge(other.target)
        for position, remains in other.columns.items():
            self.columns[position].merge(remains)
        for position, weight in other.weight.items():
            self.weight[position] += weight
        self.rows, self.long = self.rows + other.rows, self.long + other.long

    def check(self, target: str, names: Sequence[str], domain: Domain | None) -> None:
        """Refuse data of which the domain leaves next to nothing; `names` are the names of the columns.

        Raises
        ------
        DataError
            If more than 95 % of the values of the target or of a column are clipped, if the values left cover less than
            a millionth of the bound, or if columns without a range alone decide the direction of more than 90 % of the
            rows.
        """
        self._check_target(target, domain)
        if domain is None:
            return
        clipped = [names[place] for place, remains in self.columns.items() if remains.is_clipped]
        if clipped:
            worst = max(self.columns.values(), key=lambda remains: remains.outside / max(remains.count, 1))
            raise DataError(
                f"{_cells(worst)} of {all_quoted(clipped)} lie outside the stated range, so that next to nothing is left of "
                f"the column. State a range in the units of the file ({_stated(clipped[0])}), or leave the column out."
            )
        flat = [names[place] for place, remains in self.columns.items() if remains.is_flat()]
        if flat:
            raise DataError(
                f"The values of {all_quoted(flat)} are all the same when measured against the stated range. State a range that "
                f"fits them, in the units of the file ({_stated(flat[0])}), or leave the column out."
            )
        if self.long > MOST_LONG * self.rows:
            heaviest = sorted(self.weight, key=lambda place: -self.weight[place])[:_WORST]
            worst_names = [names[place] for place in heaviest if self.weight[place] > 0]
            raise DataError(
                f"{grouped(self.long)} of {grouped(self.rows)} rows are longer than any stated ranges could make them: columns without a "
                f"range, {all_quoted(worst_names)} most of all, drown the others when rows are scaled. State their ranges in "
                f"the units of the file ({_stated(worst_names[0])}, and so on), or read them off the file "
                "(from_data=True, --ranges-from-data), which no guarantee covers."
            )

    def _check_target(self, target: str, domain: Domain | None) -> None:
        if domain is not None and self.target.is_clipped:
            ranged = domain.range_of(target) is not None
            where = "its stated range" if ranged else f"the bound |y| ≤ {domain.target_bound:g}"
            raise DataError(
                f"{_cells(self.target)} of the target {quoted(target)} lie outside {where}, so that next to nothing is "
                f"left to predict. State the range of the target in the units of the file ({_stated(target)})"
                + ("." if ranged else ", or a larger bound (target_bound, --target-bound).")
            )
        if self.target.is_flat(0.0 if domain is None else domain.target_bound) or self.target.low == self.target.high:
            raise DataError(
                f"The target {quoted(target)} is the same in all {grouped(self.target.count)} rows that are used, measured "
                f"against its range or bound, so there is nothing to predict. Choose another target, state a range that "
                f"fits it ({_stated(target)}), or keep rows with missing cells."
            )


def _cells(remains: Remains) -> str:
    return f"{grouped(remains.outside)} of {grouped(remains.count)} values"


def _stated(name: str) -> str:
    return f"Domain(ranges={{{quoted(name)}: (low, high)}}), --range {visible(name[:160])[:40]}=LOW:HIGH"


_CHUNK_CELLS = 2**18  # cells of a block of rows, so that the block stays in the processor's cache
_THREADS = 2  # blocks of rows that are filled at the same time


@dataclass
class Counts:
    """What was done to the rows read so far, by the names of `IngestReport`; kept : rows that are used."""

    kept: int = 0
    rows_read: int = 0
    cells_imputed: int = 0
    rows_scaled: int = 0
    values_clipped: int = 0
    targets_clipped: int = 0
    dropped_rows: list[int] = field(default_factory=list)
    scaling: Scaling = field(default_factory=Scaling)

    def merge(self, other: Counts) -> None:
        """Add the counts of the rows that follow."""
        self.dropped_rows += other.dropped_rows[: DROPPED_LISTED - len(self.dropped_rows)]
        for name in ("kept", *COUNTED):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.scaling.merge(other.scaling)

    def of_rows(self, numbers: np.ndarray, rows: slice | np.ndarray, y: np.ndarray, outside: int) -> None:
        """Record which rows were used, their targets within the bound, and how many targets lay outside.

        Parameters
        ----------
        numbers : numbers of all rows in the file
        rows : positions of the rows that are used
        y, outside : from `TargetCode.y`
        """
        dropped = np.delete(numbers, rows)
        self.rows_read, self.kept = len(numbers), len(numbers) - len(dropped)
        self.dropped_rows, self.targets_clipped = dropped[:DROPPED_LISTED].tolist(), outside
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
    """The columns of X that a column becomes, with their public ranges: one, or one per level of three or more.

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
    """Rows that are used: a full slice where none is left out, so that nothing is copied.

    Only parts with missing cells matter; `parts` may leave out all others.
    """
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
    """X (count, n_features), and what was done to get it: encode, fill gaps, map to ranges, scale.

    Two threads work on blocks of rows.

    Parameters
    ----------
    parts : columns of X before scaling
    rows : rows of the table to use
    count : how many rows these are
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
    """Fill some rows of X in place, and return what was done to them.

    Parameters
    ----------
    X : the rows to fill
    parts : the columns before scaling
    chosen : the rows of the table
    missing : rule for missing cells
    radius : row norm R of the public domain, for all columns together with an intercept
    domain : bounds that these columns are scaled to, without the intercept's share of R
    """
    counts, block = Counts(), np.empty(X.shape)
    for position, part in enumerate(parts):
        values = part.numbers(chosen)
        gaps = np.isnan(values) if missing != "drop" else None
        if gaps is not None and gaps.any():
            counts.cells_imputed += int(np.count_nonzero(gaps))
            if part.fill is not None:
                values[gaps] = part.fill
        if part.range is not None:
            values, outside = to_range(values, part.range)
            counts.values_clipped += outside
            if part.range[0] < part.range[1]:
                counts.scaling.columns[position].add(values, outside)
        if gaps is not None and missing == "zero":
            values[gaps] = 0.0
        block[:, position] = values
    if domain is not None and radius is not None:
        open_ended = [place for place, part in enumerate(parts) if part.level is None and part.range is None]
        norms = row_norms(block)
        counts.scaling.add_rows(block, norms, open_ended, radius)
        counts.rows_scaled = scale_rows(block, domain, norms)
    X[:] = block
    return counts
