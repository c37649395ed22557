"""Which columns of a table are the target and the features, and why the others are not."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpcore.data.domain import Domain
from dpcore.data.encoding.target import no_levels
from dpcore.data.ingest.kinds import A_CODE, DISTINCT_LIMIT, MANY_TEXTS, Column, names_an_id
from dpcore.data.ingest.table import Table
from dpcore.data.ingest_report import ColumnReport, Note
from dpcore.data.names import quoted, suggestion, visible
from dpcore.errors import DataError

# Most rows per id, on average, for ids that may belong to persons. Doubled, the id of schools with twenty pupils each
# would be taken for the id of a person.
_ROWS_OF_ONE = 10
_NAMED_PERSON = re.compile(
    r"(?i)^(.*[ _.-])?(pid|patient|customer|client|person|member|user|student|employee|participant|e-?mail)"
    r"([ _.-]?(nr|no|number|nummer))?$"
)


@dataclass(frozen=True)
class Choice:
    """Names of the target and the features (in the order asked for, or of the table), and a report on every column."""

    target: str
    features: tuple[str, ...]
    reports: tuple[ColumnReport, ...]
    notes: tuple[Note, ...]


def choose_columns(
    table: Table,
    target: Any,
    features: Sequence[str] | None,
    domain: Domain | None,
    max_categories: int,
    any_levels: bool = False,
) -> Choice:
    """Check the target and every feature asked for. If no features are given, find all columns that can be used.

    Parameters
    ----------
    table : from `read_table`
    target : name of the column to predict
    features : names to use; None for every usable column
    domain : public bounds, or None
    max_categories : most levels a column may have
    any_levels : whether the target may have three or more levels, since one of them is used against the others

    Raises
    ------
    DataError
        If a name is not in the table, the target cannot be predicted, or no usable feature remains.
    """
    target = find_column(table, target, "target")
    check_target(table, target, any_levels)
    if domain is not None:
        for name in domain.ranges or {}:
            find_column(table, name, "column with a public range")
    if features is not None:
        features = _asked_for(table, features, target)
    notes: list[Note] = []
    reports: list[ColumnReport] = []
    used: dict[str, str] = {}
    for column in table.columns:
        if column.name == target:
            reports.append(ColumnReport(column.name, column.kind, True, "target"))
            continue
        reason = _reason_against(table, column, target, features, used, max_categories, notes)
        reports.append(ColumnReport(column.name, column.kind, not reason, reason or column.note or "feature"))
        if not reason:
            used[column.same_as or column.name] = column.name
    if not used:
        reasons = "; ".join(f"{quoted(report.name)}: {report.reason}" for report in reports if not report.used)[:600]
        raise DataError(
            f"No usable feature remains beside the target {quoted(target)}"
            + (f" ({reasons})" if reasons else "")
            + ". Add a column with numbers or a few categories."
        )
    found = [f"{quoted(name)} ({len(levels)})" for name in used.values() if (levels := table.levels(name))]
    if found:
        text = f"The levels of {', '.join(found)} were read from the file and are treated as public."
        notes.append(Note("info", text))
    if any(not report.used and report.reason != "not chosen" for report in reports):
        text = "Some columns were left out after looking at the file; this choice is treated as public."
        notes.append(Note("info", text))
    order = tuple(used.values()) if features is None else tuple(name for name in features if name in used.values())
    return Choice(target, tuple(dict.fromkeys(order)), tuple(reports), tuple(notes))


def choose_label(table: Table, label: str | None) -> str:
    """The column that labels rows: the one asked for, else the first that looks like an identifier, else none ("").

    Raises
    ------
    DataError
        If the label is not in the table, or has the same value in several rows.
    """
    if label is None:
        return next((column.name for column in table.columns if column.kind == "id" and A_CODE not in column.note), "")
    if label == "":
        return ""
    label = find_column(table, label, "label")
    if not tells_apart(table, label):
        raise DataError(
            f"The label {quoted(label)} has the same value in several rows, so it cannot tell them apart; choose a column "
            "with a different value in every row, or none."
        )
    return label


def id_columns(table: Table, label: str) -> tuple[str, ...]:
    """Columns that may say whose row it is: the label, columns named like an identifier or a person, and short texts.

    Their cells may repeat. A column with fewer different ids than a tenth of the rows is left out, since it is taken to
    name shops or schools, not persons; texts must differ in most rows, as names and codes do.
    """
    named = [
        column.name
        for column in table.columns
        if names_an_id(column.name) or _NAMED_PERSON.match(column.name.strip()) or column.note.startswith(MANY_TEXTS)
    ]
    return tuple(
        name
        for name in dict.fromkeys([label, *named])
        if name and table.column(name).distinct >= min(DISTINCT_LIMIT, table.n_rows / _ROWS_OF_ONE)
    )


def label_columns(table: Table) -> tuple[str, ...]:
    """Columns that can label rows, identifiers first."""
    found = [column for column in table.columns if tells_apart(table, column.name)]
    return tuple(column.name for column in sorted(found, key=lambda column: column.kind != "id"))


def tells_apart(table: Table, name: str) -> bool:
    """Whether a column is an identifier, or all its cells that are not missing differ."""
    column = table.column(name)
    if column.kind in ("id", "constant", "empty"):
        return column.kind == "id" and A_CODE not in column.note
    present = table.n_rows - column.missing
    if present < 2 or column.distinct < min(present, DISTINCT_LIMIT):
        return False
    return not table.frame[name].dropna().duplicated().any()


def find_column(table: Table, name: Any, role: str) -> str:
    """The name as the table has it; blanks around the given name and invisible characters in it are ignored."""
    if isinstance(name, str):
        for candidate in (name, visible(name)):
            if candidate in table:
                return candidate
    raise DataError(f"There is no {role} {quoted(name)} in the table; {suggestion(name, table.names)}.")


def _asked_for(table: Table, features: Any, target: str) -> list[str]:
    features = [features] if isinstance(features, str) else features
    try:
        features = [find_column(table, name, "feature") for name in features]
    except TypeError as error:
        raise DataError(f"Features must be a list of column names, got {quoted(features)}.") from error
    if not features:
        raise DataError("The list of features is empty; name at least one column, or give no list to use them all.")
    if target in features:
        raise DataError(f"The target {quoted(target)} is also among the features; remove it from one of the two.")
    return features


def check_target(table: Table, target: str, any_levels: bool = False) -> None:
    """Refuse a target that cannot be predicted.

    Raises
    ------
    DataError
    """
    column = table.column(target)
    name = quoted(target)
    if column.kind == "empty":
        raise DataError(f"The target {name} has no value in any row ({column.note}); choose another target.")
    if column.kind == "constant":
        raise DataError(f"The target {name} is {column.note}, so there is nothing to predict; choose another target.")
    if levels := table.levels(target):
        if len(levels) == 2 or any_levels:
            return
        raise no_levels(target, levels)
    if not column.is_number:
        what = {"date": "dates or times", "id": "a different text in every row"}.get(column.kind, "text")
        note = f" ({column.note})" if column.note else ""
        raise DataError(
            f"The target {name} holds {what}{note}; a target must be numeric or have two levels. "
            "Choose another column, or correct these cells."
        )


def _reason_against(
    table: Table,
    column: Column,
    target: str,
    features: list[str] | None,
    used: dict[str, str],
    max_categories: int,
    notes: list[Note],
) -> str:
    """Why a column is not used ("" if it is used); raises if it was asked for by name and cannot be used."""
    name = quoted(column.name)
    if features is not None and column.name not in features:
        return "not chosen"
    if column.kind in ("empty", "constant"):
        return f"{column.kind}: {column.note}"
    group = column.same_as or column.name
    if group == (table.column(target).same_as or target):
        notes.append(Note("warning", f"Column {name} has the same content as the target and was left out."))
        return "same content as the target"
    if group in used:
        return f"duplicate: same content as {quoted(used[group])}"
    if column.kind in ("date", "text") or not (column.is_number or column.levels):
        reason = f"{column.kind}: {column.note or 'holds text'}"
        if features is not None:
            raise DataError(
                f"The feature {name} cannot be used as numbers: it is of the kind {reason}. Leave it out, or replace "
                "it by a number or a category in the file."
            )
        if column.kind == "id":
            notes.append(Note("warning", f"Column {name} looks like an identifier ({column.note}) and was left out."))
        return reason
    if column.kind == "id" and features is None:
        left_out = f"Column {name} looks like an identifier ({column.note}) and was left out"
        notes.append(Note("warning", f"{left_out}; name it as a feature to use it."))
        return f"id: {column.note}"
    levels = len(table.levels(column.name))
    if levels > max_categories and features is not None:
        raise DataError(f"The feature {name} has {levels} levels, more than {max_categories}; merge rare levels.")
    return f"categorical: {levels} levels, more than {max_categories}" if levels > max_categories else ""
