"""From a typed table to a data set: choose columns, encode them as numbers, bring them into the public domain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dpcore import validation
from dpcore.data.choose import Choice, choose_columns
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.names import quoted, unique_names
from dpcore.data.report import IngestReport, Note
from dpcore.data.scaling import map_range, scale_rows
from dpcore.data.table import MAX_CELLS, MAX_COLUMNS, Table
from dpcore.errors import DataError

MISSING_RULES = ("drop", "mean", "median", "zero")
TWO_LEVEL_CODES = ((0.0, 1.0), (-1.0, 1.0), (1.0, 2.0))
_CHUNK_CELLS = 2**18
_MANY = 0.2  # share of clipped targets above which the report asks for a public range


@dataclass
class Part:
    """One column of X before scaling: raw values or category codes, and how to turn them into numbers."""

    name: str
    values: np.ndarray
    level: int | None = None
    range: tuple[float, float] | None = None
    fill: float | None = None

    def numbers(self, rows: slice | np.ndarray) -> np.ndarray:
        values = self.values[rows]
        if self.level is None:
            return values.astype(np.float64)
        return np.where(values < 0, np.nan, (values == self.level).astype(np.float64))


def make_dataset(
    table: Table,
    target: str,
    features: Sequence[str] | None = None,
    domain: Domain | None = None,
    missing: str = "drop",
    intercept: bool = False,
    max_categories: int = 50,
) -> Dataset:
    r"""Numbers ready for a learner, with a report of everything done to get them.

    A categorical column becomes one 0/1 column per level in sorted order, named "column=level"; every level is kept,
    because ridge-type learners need no reference level. A two-level column is 0 or 1. A two-level target (two texts, or
    the numbers 0 and 1, −1 and 1, 1 and 2 without a public range) becomes −B or B. Ranges, clipping and
    norms follow `Domain`. Without a domain nothing is scaled (and B = 1).

    With ``intercept=True`` a last, constant column is added and counted in the row norm: with a domain it holds R/√2
    and the other columns are kept within norm R/√2, so that it stays constant and ‖x‖ ≤ R; without one it holds 1.

    Parameters
    ----------
    table : from `read_table`
    target : name of the column to predict: numeric or two-level
    features : names to use; by default every numeric, boolean and categorical column that is not an identifier
    domain : public bounds, see `Domain`
    missing : "drop" leaves rows with a missing cell out; "mean" and "median" fill in from the data (a leak); "zero"
        fills in 0 after scaling, the middle of a public range. Rows without a target are always left out.
    max_categories : most levels a column may have

    Raises
    ------
    DataError
        If the target or the features cannot be used: says why and what to do.
    ParameterError
        If missing, intercept or max_categories is not one of the allowed values.
    """
    validation.choice("missing", missing, MISSING_RULES)
    validation.integer("max_categories", max_categories, minimum=2)
    if not isinstance(intercept, bool | np.bool_):
        raise validation.ParameterError(f"intercept must be True or False, got {intercept!r}")
    choice = choose_columns(table, target, features, domain, max_categories)
    y, two_levels, y_note = _target_values(table, choice, domain)
    parts = _parts(table, choice)
    rows = _kept_rows(parts, y, missing)
    notes = [*table.notes, *choice.notes]
    count = _describe_rows(rows, table, choice.target, missing, notes)
    _check_size(count, len(parts) + bool(intercept))
    y = y[rows].astype(np.float64)
    if missing in ("mean", "median"):
        _find_fills(parts, rows, missing, notes)
    _find_ranges(parts, rows, table, choice, domain, notes)
    y, targets_clipped = _scale_target(y, two_levels, y_note, choice, domain, notes)
    X, cells_imputed, values_clipped, rows_scaled = fill_matrix(parts, rows, count, domain, bool(intercept), missing)
    names = [part.name for part in parts] + (["intercept"] if intercept else [])
    summarise(notes, domain, missing, cells_imputed, values_clipped, rows_scaled, count, bool(intercept))
    report = IngestReport(
        notes=tuple(notes),
        columns=choice.reports,
        rows_read=table.n_rows,
        rows_dropped=table.n_rows - count,
        cells_imputed=cells_imputed,
        rows_scaled=rows_scaled,
        values_clipped=values_clipped,
        targets_clipped=targets_clipped,
    )
    labels = np.arange(table.n_rows) if isinstance(rows, slice) else rows
    X.setflags(write=False)
    return Dataset(X, y, unique_names(names)[0], choice.target, domain, report, labels)


def _target_values(table: Table, choice: Choice, domain: Domain | None) -> tuple[np.ndarray, bool, str]:
    """Raw target as numbers (0/1 if it has two levels), whether it has two levels, and what they are."""
    series = table.frame[choice.target]
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy()
        low, high = series.cat.categories
        return np.where(codes < 0, np.nan, codes.astype(np.float64)), True, f"{quoted(low)} and {quoted(high)}"
    values = series.to_numpy()
    column = table.column(choice.target)
    public = domain is not None and domain.range_of(choice.target) is not None
    if column.distinct == 2 and not public:
        low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
        if (low, high) in TWO_LEVEL_CODES:
            coded = np.where(np.isnan(values), np.nan, (values == high).astype(np.float64))
            return coded, True, f"{low:g} and {high:g}"
    return values, False, ""


def _parts(table: Table, choice: Choice) -> list[Part]:
    parts = []
    for name in choice.features:
        series = table.frame[name]
        if not isinstance(series.dtype, pd.CategoricalDtype):
            parts.append(Part(name, series.to_numpy()))
            continue
        codes = series.cat.codes.to_numpy()
        levels = series.cat.categories
        if len(levels) == 2:
            parts.append(Part(name, codes, level=1))
        else:
            parts.extend(Part(f"{name}={level}", codes, level=code) for code, level in enumerate(levels))
    if len(parts) > MAX_COLUMNS:
        raise DataError(
            f"After encoding the categories the table has {len(parts)} columns; at most {MAX_COLUMNS} are supported. "
            "Choose fewer features."
        )
    return parts


def missing_cells(values: np.ndarray, is_code: bool) -> np.ndarray:
    if is_code:
        return values < 0
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)


def _kept_rows(parts: list[Part], y: np.ndarray, missing: str) -> slice | np.ndarray:
    """Rows that are used: a full slice where none is left out, so that nothing is copied."""
    out = missing_cells(y, False)
    if missing == "drop":
        for part in parts:
            if part.level in (None, 0, 1):
                out |= missing_cells(part.values, part.level is not None)
    return np.flatnonzero(~out) if out.any() else slice(None)


def _describe_rows(rows: slice | np.ndarray, table: Table, target: str, missing: str, notes: list[Note]) -> int:
    count, first = table.n_rows, 0
    if not isinstance(rows, slice):
        kept = np.zeros(table.n_rows, dtype=bool)
        kept[rows] = True
        count, first = len(rows), int(np.argmin(kept))
    notes.extend(row_notes(count, table.n_rows, first, target, missing))
    return count


def row_notes(count: int, total: int, first: int, target: str, missing: str) -> list[Note]:
    """How many rows were left out, the first of them (from 0); refuses fewer than two remaining rows."""
    if count < 2:
        advice = (
            "choose features with fewer missing cells or fill them in" if missing == "drop" else "complete the column"
        )
        raise DataError(
            f"Only {count} of {total} rows have a value in the target {quoted(target)} and in every feature; "
            f"at least two are needed: {advice}."
        )
    if count == total:
        return []
    text = f"{total - count} of {total} rows were left out for a missing cell, first data row {first + 1}."
    return [Note("info", text)]


def _check_size(count: int, width: int) -> None:
    if count * width > MAX_CELLS:
        raise DataError(
            f"The data set would have {count} rows and {width} columns; at most {MAX_CELLS} cells are supported. "
            "Choose fewer features or upload a sample of the rows."
        )


def _find_fills(parts: list[Part], rows: slice | np.ndarray, missing: str, notes: list[Note]) -> None:
    """Mean or median of the present cells of every column with a gap, computed without overflow."""
    filled = []
    for part in parts:
        if not missing_cells(part.values[rows], part.level is not None).any():
            continue
        values = part.numbers(rows)
        values = values[~np.isnan(values)]
        if not len(values):
            part.fill = 0.0
            continue
        largest = float(np.abs(values).max()) or 1.0
        part.fill = largest * float((np.mean if missing == "mean" else np.median)(values / largest))
        filled.append(part.name)
    if filled:
        shown = ", ".join(quoted(name) for name in filled[:6]) + (" and others" if len(filled) > 6 else "")
        notes.append(
            Note(
                "leak",
                f"Missing cells of {shown} were filled with the {missing} of the column, which depends on every row; "
                "no guarantee covers this step.",
            )
        )


def _find_ranges(
    parts: list[Part],
    rows: slice | np.ndarray,
    table: Table,
    choice: Choice,
    domain: Domain | None,
    notes: list[Note],
) -> None:
    if domain is None:
        return
    leaked = []
    for part in parts:
        part.range = domain.range_of(part.name)
        if part.range is None and domain.from_data and part.level is None and table.column(part.name).kind != "boolean":
            values = part.values[rows]
            part.range = (float(np.fmin.reduce(values)), float(np.fmax.reduce(values)))
            leaked.append(part.name)
    if leaked:
        shown = ", ".join(quoted(name) for name in leaked[:6]) + (" and others" if len(leaked) > 6 else "")
        notes.append(
            Note(
                "leak",
                f"The range of {shown} was taken from the data, so the scaling of every row depends on the extreme "
                "rows; no guarantee covers this step. State public ranges instead.",
            )
        )


def _scale_target(
    y: np.ndarray, two_levels: bool, labels: str, choice: Choice, domain: Domain | None, notes: list[Note]
) -> tuple[np.ndarray, int]:
    ends = None if domain is None else domain.range_of(choice.target)
    if domain is not None and domain.from_data and ends is None and not two_levels:
        ends = (float(y.min()), float(y.max()))
        name = quoted(choice.target)
        notes.append(
            Note("leak", f"The range of the target {name} was taken from the data; no guarantee covers this step.")
        )
    y, clipped = map_target(y, two_levels, ends, domain)
    notes.extend(target_notes(choice.target, labels if two_levels else "", clipped, len(y), domain))
    return y, clipped


def map_target(
    y: np.ndarray, two_levels: bool, ends: tuple[float, float] | None, domain: Domain | None
) -> tuple[np.ndarray, int]:
    """Target values in [−B, B], and how many lay outside; two levels become −B and B, `ends` is a public range."""
    bound = 1.0 if domain is None else domain.target_bound
    if two_levels:
        return np.where(y > 0.5, bound, -bound), 0
    if domain is None:
        return y, 0
    if ends is not None:
        return to_range(y, ends, bound)
    return np.clip(y, -bound, bound), int(np.count_nonzero(np.abs(y) > bound))


def target_notes(target: str, labels: str, clipped: int, count: int, domain: Domain | None) -> list[Note]:
    """What was done to the target, in sentences; `labels` names its two levels, or is empty."""
    bound, name = 1.0 if domain is None else domain.target_bound, quoted(target)
    if labels:
        text = f"The two levels of the target {name}, {labels}, became {-bound:g} and {bound:g}; they count as public."
        return [Note("info", text)]
    if not clipped:
        return []
    advice = ""
    if clipped > _MANY * count:
        advice = " That is a large share: state a public range of the target that covers its values."
    text = f"{clipped} of {count} values of the target {name} lay outside and were clipped.{advice}"
    return [Note("warning" if advice else "info", text)]


def to_range(values: np.ndarray, ends: tuple[float, float], bound: float = 1.0) -> tuple[np.ndarray, int]:
    """`map_range`; a column with a single value maps to 0."""
    if not ends[0] / 2 < ends[1] / 2:
        return np.where(np.isnan(values), np.nan, 0.0), 0
    return map_range(values, ends[0], ends[1], bound)


def fill_matrix(
    parts: list[Part], rows: slice | np.ndarray, count: int, domain: Domain | None, intercept: bool, missing: str
) -> tuple[np.ndarray, int, int, int]:
    """X in blocks of rows that stay in cache: encode, fill in, map to ranges, scale."""
    width = len(parts)
    X = np.empty((count, width + intercept))
    inner = None if domain is None else domain
    if domain is not None and intercept:
        inner = Domain(row_norm=domain.row_norm / math.sqrt(2.0), rows=domain.rows)
        X[:, -1] = inner.row_norm * (1.0 - 1e-15)
    elif intercept:
        X[:, -1] = 1.0
    imputed = clipped = scaled = 0
    step = max(256, _CHUNK_CELLS // (width + 1))
    for start in range(0, count, step):
        stop = min(start + step, count)
        chosen: Any = slice(start, stop) if isinstance(rows, slice) else rows[start:stop]
        block = np.empty((stop - start, width))
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
            if gaps is not None and missing == "zero":
                values[gaps] = 0.0
            block[:, position] = values
        if inner is not None:
            scaled += scale_rows(block, inner)
        X[start:stop, :width] = block
    return X, imputed, clipped, scaled


def summarise(
    notes: list[Note],
    domain: Domain | None,
    missing: str,
    imputed: int,
    clipped: int,
    scaled: int,
    count: int,
    intercept: bool,
) -> None:
    if imputed and missing == "zero":
        notes.append(Note("info", f"{imputed} missing cells were filled with 0 after scaling."))
    if clipped:
        notes.append(Note("info", f"{clipped} cells lay outside the range of their column and were clipped to it."))
    if domain is None:
        notes.append(Note("warning", "No public domain was given, so nothing was scaled; most guarantees need one."))
        return
    if scaled:
        rule = "had a larger norm and were scaled back" if domain.rows == "clip" else "were scaled"
        level = "warning" if domain.rows == "clip" and scaled > 0.9 * count else "info"
        advice = " State public ranges of the columns to keep their proportions." if level == "warning" else ""
        notes.append(
            Note(level, f"{scaled} of {count} rows {rule} to the public row norm {domain.row_norm:g}.{advice}")
        )
    if intercept:
        notes.append(Note("info", "The intercept is a constant column and counts in the row norm."))
