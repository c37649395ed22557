"""How each column of a table was read, and why, in words."""

from dpcore.data.ingest.kinds import WORDS, Column, joined
from dpcore.data.ingest.table import Table
from dpcore.data.names import grouped, quoted

_LEVELS_SHOWN = 4


def taken_for(table: Table, name: str) -> tuple[str, str]:
    """How a column was read, and why: as numbers, an amount of money, a percentage, levels, a date, an identifier, …

    Parameters
    ----------
    table : from `read_table`
    name : name of the column
    """
    column = table.column(name)
    gaps = f"{grouped(column.missing)} of {grouped(table.n_rows)} cells missing" if column.missing else ""
    what, why = _described(column, table.frame[name].dtype.kind)
    return what, joined(why, gaps)


def _described(column: Column, kind: str) -> tuple[str, str]:
    if column.kind in WORDS["called"]:
        return WORDS["called"][column.kind], column.note
    if column.kind == "categorical":
        shown = ", ".join(quoted(level, 20) for level in column.levels[:_LEVELS_SHOWN])
        more = ", …" if len(column.levels) > _LEVELS_SHOWN else ""
        return f"{len(column.levels)} levels", shown + more
    if column.kind == "boolean":
        return "two levels", column.note or " and ".join(quoted(level, 20) for level in column.levels or "01")
    what = {"": "whole numbers" if kind == "i" else "numbers", "%": "percentage"}.get(
        column.unit, f"amount in {column.unit}"
    )
    return what, column.note or "cells are numbers"
