"""Make a data set of a typed table: choose columns, encode them as numbers, bring them into the public domain."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.encoding.encoder import Encoder
from dpcore.data.encoding.matrix import Counts, Part, column_parts, fill_matrix, kept_rows, missing_cells
from dpcore.data.encoding.target import TargetCode, TargetNumbers, target_code, with_bound
from dpcore.data.ingest.choose import Choice, choose_columns, choose_label
from dpcore.data.ingest.extremes import Extremes, observed_range, settled
from dpcore.data.ingest.origin import Origin
from dpcore.data.ingest.table import MAX_CELLS, MAX_COLUMNS, Table
from dpcore.data.ingest_report import COUNTED, IngestReport, Note
from dpcore.data.names import all_quoted, grouped, quoted, unique_names
from dpcore.errors import DataError

MISSING_RULES = ("drop", "mean", "median", "zero")
_SHORTER = (
    " Their lengths no longer tell them apart: where columns are mapped to [−1, 1], a row norm of √(number of columns) shortens "
    "none."
)
_MANY = 0.2  # share of clipped targets above which the report asks for a public range


def make_dataset(
    table: Table,
    target: str,
    features: Sequence[str] | None = None,
    domain: Domain | None = None,
    missing: str = "drop",
    intercept: bool = False,
    max_categories: int = 50,
    label: str | None = None,
    *,
    positive: Any = None,
    counts: bool = False,
) -> Dataset:
    r"""A data set of numbers that a learner can use, with a report of everything done to get them.

    A categorical column becomes one 0/1 column per level in sorted order, named "column=level"; every level is kept,
    because ridge-type learners need no reference level. A two-level column is 0 or 1. A two-level target (two texts, or
    the numbers 0 and 1, −1 and 1, 1 and 2 without a public range) becomes −B or B. A target with more levels (texts, or
    whole numbers that are class codes, see `target_kind`) needs ``positive``, the one level that becomes B. Ranges,
    clipping and norms follow `Domain`. Without a domain nothing is scaled (and B = 1).

    With ``counts=True`` the target keeps its units: whole numbers from 0. Counts above the public bound are replaced by
    it. The bound is the upper end of the target's public range, or B if there is none; it is B in the domain of the
    result.

    With ``intercept=True`` a last, constant column is added and counted in the row norm: with a domain it holds R/√2
    and the other columns are kept within norm R/√2, so that it stays constant and ‖x‖ ≤ R; without one it holds 1.

    Parameters
    ----------
    table : from `read_table`
    target : name of the column to predict
    features : names to use; by default every numeric, boolean and categorical column that is not an identifier
    domain : public bounds, see `Domain`
    missing : "drop" leaves out rows with a missing cell; "mean" and "median" fill gaps from the data (a leak); "zero"
        fills gaps with 0 after scaling, the middle of a public range. Rows without a target are always left out.
    max_categories : most levels a column may have
    label : column with the owner's own name of each row, which must differ from row to row; by default the first that
        looks like an identifier, "" for none
    intercept : whether to add the constant column
    positive : the level of the target that becomes B, all others becoming −B; by default the last of two
    counts : whether the target is kept as counts

    Raises
    ------
    DataError
        If the target or the features cannot be used. The text says why and what to do.
    ParameterError
        If missing, intercept, counts or max_categories is not one of the allowed values.
    """
    validation.choice("missing", missing, MISSING_RULES)
    validation.integer("max_categories", max_categories, minimum=2)
    intercept, counts = validation.flag("intercept", intercept), validation.flag("counts", counts)
    choice = choose_columns(table, target, features, domain, max_categories, any_levels=positive is not None)
    label = choose_label(table, label)
    y, code = target_values(table, choice, domain, positive, counts)
    parts = matrix_parts(table, choice)
    rows = kept_rows([part for part in parts if table.column(part.column).missing], y, missing)
    every = np.arange(1, table.n_rows + 1)
    numbers, dropped = every[rows], np.delete(every, rows)
    notes = [*table.notes, *choice.notes]
    notes += row_notes(len(numbers), table.n_rows, dropped[:1].tolist(), choice.target, missing)
    _check_size(len(numbers), len(parts) + intercept)
    y = y[rows].astype(np.float64)
    filled = _find_fills(parts, rows, missing, notes) if missing in ("mean", "median") else ()
    beyond: list[Extremes] = []
    from_file = _find_ranges(parts, rows, table, domain, notes, beyond)
    extremes = ""
    if domain is not None and domain.from_data:
        if code.ends is None and not code.levels:
            low, high = observed_range(choice.target, y, domain.from_data, beyond)
            code = replace(code, ends=(low, max(high, 1.0) if code.counts else high))
            text = f"The range of the target {quoted(choice.target)} was taken from the data; no guarantee covers this step."
            notes.append(Note("leak", text))
            from_file += (choice.target,)
        extremes = settled(beyond, domain.from_data, numbers)
        notes += [Note("warning", extremes)] if extremes else []
    domain = with_bound(code, domain)
    y, outside = code.y(y, domain)
    X, done = fill_matrix(parts, rows, len(numbers), domain, intercept, missing)
    done.of_rows(every, rows, y, outside)
    names = [part.name for part in parts] + (["intercept"] if intercept else [])
    report = make_report(notes, choice, code, done, names, domain, missing, intercept)
    report = replace(report, ranges_from_file=from_file, filled_from_file=filled, extremes=extremes)
    encoder = Encoder(
        target=choice.target,
        parts=tuple(replace(part, values=np.empty(0)) for part in parts),
        levels={name: found for name in (choice.target, *choice.features) if (found := table.levels(name))},
        codes=code.numbers,
        target_range=None if code.counts else code.ends,
        domain=domain,
        missing=missing,
        intercept=intercept,
        positive=code.positive if positive is not None else None,
        counts=counts,
    )
    X.setflags(write=False)
    origin = Origin(table, rows, encoder, label)
    return Dataset(X, y, unique_names(names)[0], choice.target, domain, report, numbers, origin)


def target_values(
    table: Table, choice: Choice, domain: Domain | None, positive: Any, counts: bool
) -> tuple[np.ndarray, TargetCode]:
    """The raw target as numbers (1 for the positive level, 0 for the others), and how they become y.

    Parameters
    ----------
    table, choice : what was read, and the columns chosen
    domain, positive, counts : as in `make_dataset`
    """
    cells, levels = table.cells(choice.target), table.levels(choice.target)
    numbers = None if levels else TargetNumbers.of(cells)
    code = target_code(choice.target, levels, numbers, positive, counts, domain)
    return code.values(cells), code


def matrix_parts(table: Table, choice: Choice) -> list[Part]:
    """The columns of X before scaling."""
    parts = [part for name in choice.features for part in column_parts(name, table.levels(name), table.cells(name))]
    check_matrix_width(len(parts))
    return parts


def check_matrix_width(width: int) -> None:
    """Refuse a matrix with too many columns."""
    if width > MAX_COLUMNS:
        raise DataError(
            f"After encoding the categories the table has {width} columns; at most {MAX_COLUMNS} are supported. "
            "Choose fewer features."
        )


def row_notes(count: int, total: int, dropped: Sequence[int], target: str, missing: str) -> list[Note]:
    """A note on how many rows were left out and which is the first; raises if fewer than two rows remain.

    Parameters
    ----------
    count, total : rows used, and rows in the file
    dropped : numbers of rows that were left out
    target : name of the target
    missing : rule for missing cells
    """
    if count < 2:
        filled = "choose features with fewer missing cells or fill them in"
        advice = filled if missing == "drop" else "complete the column"
        raise DataError(
            f"Only {count} of {grouped(total)} rows have a value in the target {quoted(target)} and in every feature; "
            f"at least two are needed: {advice}."
        )
    if count == total:
        return []
    text = f"{grouped(total - count)} of {grouped(total)} rows were left out for a missing cell; the first is row {dropped[0]}."
    return [Note("info", text)]


def _check_size(count: int, width: int) -> None:
    if count * width > MAX_CELLS:
        raise DataError(
            f"The data set would have {grouped(count)} rows and {width} columns; at most {grouped(MAX_CELLS)} cells are supported. "
            "Choose fewer features or upload a sample of the rows."
        )


def _find_fills(parts: list[Part], rows: slice | np.ndarray, missing: str, notes: list[Note]) -> tuple[str, ...]:
    """Give every column with a gap the mean or median of its present cells; return the original columns of these.

    Values are divided by the largest one before averaging, so that nothing overflows.
    """
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
        text = (
            f"Missing cells of {all_quoted(filled)} were filled with the {missing} of the column, which depends on every row; "
            "no guarantee covers this step."
        )
        notes.append(Note("leak", text))
    return tuple(dict.fromkeys(part.column for part in parts if part.name in filled))


def _find_ranges(
    parts: list[Part],
    rows: slice | np.ndarray,
    table: Table,
    domain: Domain | None,
    notes: list[Note],
    beyond: list[Extremes],
) -> tuple[str, ...]:
    """Give every part its range, and return the columns whose range was taken from the data.

    Cells far beyond all others are added to `beyond`.
    """
    leaked: list[str] = []
    if domain is None:
        return ()
    for part in parts:
        part.range = domain.range_of(part.name)
        if part.range is None and domain.from_data and part.level is None and table.column(part.name).kind != "boolean":
            part.range = observed_range(part.name, part.values[rows], domain.from_data, beyond)
            leaked.append(part.name)
    if leaked:
        text = (
            f"The range of {all_quoted(leaked)} was taken from the data, so the scaling of every row depends on the extreme "
            "rows; no guarantee covers this step. State public ranges instead."
        )
        notes.append(Note("leak", text))
    return tuple(leaked)


def target_notes(code: TargetCode, clipped: int, count: int, domain: Domain | None) -> list[Note]:
    """Notes on what was done to the target, of which `clipped` of `count` values lay outside the bound."""
    name = quoted(code.name)
    said = code.note(None if domain is None else domain.target_bound)
    notes = [Note("info", said)] if said else []
    if not clipped:
        return notes
    advice = ""
    if clipped > _MANY * count:
        advice = " That is a large share: state a public range of the target that covers its values."
    text = f"{grouped(clipped)} of {grouped(count)} values of the target {name} lay outside and were clipped.{advice}"
    return [*notes, Note("warning" if advice else "info", text)]


def make_report(
    notes: list[Note],
    choice: Choice,
    code: TargetCode,
    counts: Counts,
    names: Sequence[str],
    domain: Domain | None,
    missing: str,
    intercept: bool,
) -> IngestReport:
    """The report on all rows; raises if the domain leaves next to nothing of the data.

    Parameters
    ----------
    notes : the notes so far
    choice, code, counts : columns used, how the target became y, and what was counted
    names : names of the columns of X
    domain : public bounds, or None
    missing : rule for missing cells
    intercept : whether a constant column was added
    """
    counts.scaling.check(choice.target, names, domain)
    said = [*notes, *target_notes(code, counts.targets_clipped, counts.kept, domain)]
    said += _matrix_notes(domain, missing, counts, intercept)
    counted = {name: getattr(counts, name) for name in COUNTED}
    dropped, numbers = counts.rows_read - counts.kept, tuple(counts.dropped_rows)
    return IngestReport(tuple(said), choice.reports, rows_dropped=dropped, dropped_rows=numbers, **counted)


def _matrix_notes(domain: Domain | None, missing: str, counts: Counts, intercept: bool) -> list[Note]:
    """Notes on what was done to the features of all rows."""
    notes: list[Note] = []
    if counts.cells_imputed and missing == "zero":
        notes.append(Note("info", f"{grouped(counts.cells_imputed)} missing cells were filled with 0 after scaling."))
    if counts.values_clipped:
        text = f"{grouped(counts.values_clipped)} cells lay outside the range of their column and were clipped to it."
        notes.append(Note("info", text))
    if domain is None:
        return [*notes, Note("warning", "No public domain was given, so nothing was scaled; most guarantees need one.")]
    if counts.rows_scaled:
        level, rule, advice = "info", "were scaled", ""
        if domain.rows == "clip":
            rule = "had a larger norm and were scaled back"
            if counts.rows_scaled > 0.9 * counts.kept:
                mapped = domain.ranges or domain.from_data
                advice = _SHORTER if mapped else " State public ranges of the columns to keep their proportions."
                level = "warning"
        share = f"{grouped(counts.rows_scaled)} of {grouped(counts.kept)} rows"
        notes.append(Note(level, f"{share} {rule} to the public row norm {domain.row_norm:g}.{advice}"))
    if intercept:
        notes.append(Note("info", "The intercept is a constant column and counts in the row norm."))
    return notes
