"""Columns of numbers that need a public range, and the ranges that could be read off the file."""

from collections.abc import Sequence
from typing import Any

from dpcore.data.encoding.matrix import kept_rows
from dpcore.data.encoding.target import TWO_LEVEL_CODES, TargetNumbers
from dpcore.data.ingest.choose import choose_columns
from dpcore.data.ingest.encode import matrix_parts, target_values
from dpcore.data.ingest.extremes import observed_range
from dpcore.data.ingest.table import Table


def needs_range(
    table: Table, target: str, features: Sequence[str] | None = None, positive: Any = None, counts: bool = False
) -> tuple[str, ...]:
    """Columns of numbers that would be used and need a public range to become comparable; the target comes last.

    Parameters
    ----------
    table, target, features, positive, counts : as in `make_dataset`

    Raises
    ------
    DataError
        If the target or the features cannot be used.
    """
    choice = choose_columns(table, target, features, None, max_categories=50, any_levels=positive is not None)
    # The levels of a target that is named one of them, or has two, become −B and B.
    levels = positive is not None or (
        not counts and TargetNumbers.of(table.cells(choice.target)).values in TWO_LEVEL_CODES
    )
    names = [*choice.features, *([] if levels else [choice.target])]
    return tuple(name for name in names if not table.levels(name) and table.column(name).kind != "boolean")


def file_ranges(
    table: Table,
    target: str,
    features: Sequence[str] | None = None,
    missing: str = "drop",
    positive: Any = None,
    counts: bool = False,
    from_data: bool | str = True,
) -> dict[str, tuple[float, float]]:
    """Smallest and largest value of each column of `needs_range` over the rows that would be used. These values leak.

    Parameters
    ----------
    table, target, features, missing, positive, counts : as in `make_dataset`
    from_data : as in `Domain`

    Raises
    ------
    DataError
        If the target or the features cannot be used.
    """
    choice = choose_columns(table, target, features, None, max_categories=50, any_levels=positive is not None)
    y, _ = target_values(table, choice, None, positive, counts)
    rows = kept_rows(matrix_parts(table, choice), y, missing)
    found = {}
    for name in needs_range(table, target, features, positive, counts):
        values = table.frame[name].to_numpy()[rows]
        ends = observed_range(name, values, from_data, []) if len(values) else (0.0, -1.0)
        if ends[0] <= ends[1]:
            found[name] = ends
    return found
