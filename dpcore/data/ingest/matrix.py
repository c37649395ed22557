"""Columns of a table as a matrix in the public domain, row by row: codes and numbers, fills, ranges, norms."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from dpcore.data.domain import Domain
from dpcore.data.ingest.clipping import Scaling
from dpcore.data.scaling import map_range, row_norms, scale_rows

_CHUNK_CELLS = 2**18  # of a block of rows, which stays in cache
_THREADS = 2


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
    parts: list[Part],
    rows: slice | np.ndarray,
    count: int,
    domain: Domain | None,
    intercept: bool,
    missing: str,
    scaling: Scaling | None = None,
) -> tuple[np.ndarray, int, int, int]:
    """X in blocks of rows, two at once: encode, fill in, map to ranges, scale; `scaling` is added to.

    Parameters
    ----------
    parts : columns of X before scaling
    rows : rows of the table to use, and count : how many they are
    domain : public bounds, or None
    intercept : whether a constant column comes last
    missing : rule for missing cells
    scaling : what the domain leaves of the columns so far

    Returns
    -------
    X (count, n_features), cells filled in, cells clipped, rows scaled.
    """
    scaling = Scaling() if scaling is None else scaling
    width = len(parts)
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
        imputed = clipped = scaled = 0
        for left, counts in filled:
            scaling.merge(left)
            imputed, clipped, scaled = imputed + counts[0], clipped + counts[1], scaled + counts[2]
    return X, imputed, clipped, scaled


def _fill_block(
    X: np.ndarray,
    parts: list[Part],
    chosen: slice | np.ndarray,
    missing: str,
    radius: float | None,
    domain: Domain | None,
) -> tuple[Scaling, tuple[int, int, int]]:
    """Some rows of X, in place.

    Parameters
    ----------
    X : the rows to fill
    parts : the columns before scaling
    chosen : the rows of the table
    missing : rule for missing cells
    radius : row norm of the public domain, which a constant column counts in
    domain : what these columns are scaled to

    Returns
    -------
    What the domain leaves of them; cells filled in, cells clipped, rows scaled.
    """
    scaling, block, imputed, clipped, scaled = Scaling(), np.empty(X.shape), 0, 0, 0
    for position, part in enumerate(parts):
        values = part.numbers(chosen)
        gaps = np.isnan(values) if missing != "drop" else None
        if gaps is not None and gaps.any():
            imputed += int(np.count_nonzero(gaps))
            if part.fill is not None:
                values[gaps] = part.fill
        if part.range is not None:
            values, outside = to_range(values, part.range)
            clipped += outside
            if part.range[0] < part.range[1]:
                scaling.add_column(position, values, outside)
        if gaps is not None and missing == "zero":
            values[gaps] = 0.0
        block[:, position] = values
    if domain is not None and radius is not None:
        open_ended = [place for place, part in enumerate(parts) if part.level is None and part.range is None]
        norms = row_norms(block)
        scaling.add_rows(block, norms, open_ended, radius)
        scaled = scale_rows(block, domain, norms)
    X[:] = block
    return scaling, (imputed, clipped, scaled)
