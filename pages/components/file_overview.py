"""The overview of a file in the main area: the target, ten rows, how each column was read, and ranges."""

import contextlib
from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from dpcore.data import Column, Table, file_ranges, needs_range, suggest_ranges, taken_for
from dpcore.data.names import grouped, quoted
from dpcore.errors import DataError
from pages.components import cache, public_ranges, say, target_choice
from pages.components.say import md
from pages.components.target_choice import TargetChoice

OPEN = "overview_open"  # key in the session's store: the file of which no data set can be made with what is stated
EXTREMES = "extremes"  # key in the session's store: the rule for cells far beyond all others, see `Domain.from_data`
_ROWS = 10
_HEIGHT = 318
_ROW_HEIGHT = 28


def draw(
    table: Table,
    target: TargetChoice,
    features: tuple[str, ...] | None,
    scaling: str,
    missing: str,
    prefix: str,
    main: Any,
    state: dict[str, Any],
) -> public_ranges.Stated:
    """Show what was read and the table of ranges, open while something is left to state; returns the ranges in force.

    Parameters
    ----------
    table : what was read
    target : the chosen target
    features : the chosen features; None for all
    scaling : key in `SCALING`
    missing : rule for missing cells
    prefix : prefix of the keys
    main : container in which it is shown
    state : the session's store of private data
    """
    names: tuple[str, ...] = ()
    leaks: dict[str, tuple[float, float]] = {}
    asked = table, target.name, features
    with contextlib.suppress(DataError):  # make_dataset will raise the same error
        if scaling != "none":
            names = needs_range(*asked, **target.options)
        if scaling == "data":
            leaks = cache.kept(file_ranges, *asked, missing, *target.options.values(), state.get(EXTREMES, True))
    suggested = suggest_ranges(table.columns)
    needed = {name: suggested.get(name) for name in names}

    def ranges() -> public_ranges.Stated:
        return public_ranges.state_ranges(
            needed, table.names, state, key=f"{prefix}_ranges", in_file=leaks if scaling == "data" else None
        )

    done = public_ranges.are_complete(needed, state, scaling == "data")
    unfinished = not done or state.get(OPEN) == table.sha256
    label = f"{table.name}: {grouped(table.n_rows)} rows, {len(table.columns)} columns: how each was read and why, and its range"
    with main, say.expander(label, expanded=unfinished):
        found = show(table, target, prefix, ranges)
    if not done and public_ranges.are_complete(needed, state, scaling == "data"):
        st.rerun()  # nothing is left to state, so the overview closes and leaves its space to the answer
    return found


def show(table: Table, target: TargetChoice, prefix: str, ranges: Callable[[], Any]) -> Any:
    """Show the file as it was read, beside the table of ranges; returns the result of that table.

    Parameters
    ----------
    table : what was read
    target : the chosen target
    prefix : prefix of the keys
    ranges : function that draws the table of ranges
    """
    _target(table, target, prefix)
    left, right = st.columns([4, 5], gap="small")
    with left:
        rows, columns = say.tabs(["First rows", "Columns"], key=f"{prefix}_overview", on_change="rerun")
        if rows.open:
            with rows:
                say.table(first_rows(table), hide_index=True, height=_HEIGHT, row_height=_ROW_HEIGHT)
        if columns.open:
            with columns:
                say.table(columns_of(table, target.name), hide_index=True, height=_HEIGHT, row_height=_ROW_HEIGHT)
    with right:
        return ranges()


def _target(table: Table, target: TargetChoice, prefix: str) -> None:
    """Say what is predicted and why, with a button for each other column that is likely."""
    found = next(one for one in target_choice.candidates(table) if one.name == target.name)
    reading = found.reading
    why = f" Suggested by {found.why}." if found.why else ""
    say.markdown(md("Target **{}**: {}.{}", quoted(target.name)[1:-1], "" if reading is None else reading.reason, why))
    others = target_choice.likely(table, target.name)
    if others:
        place = st.container(horizontal=True, gap="small")
        for number, name in enumerate(others):
            say.button(
                f"Predict {quoted(name, 24)}", on=place, key=f"{prefix}_instead_{number}",
                on_click=st.session_state.update, args=({target_choice.key(prefix): name},),
            )  # fmt: skip


def first_rows(table: Table) -> pd.DataFrame:
    """The first ten rows in the units of the file, with signs of currencies and percentages in the header."""
    return table.frame.head(_ROWS).set_axis([_heading(column) for column in table.columns], axis=1)


def _heading(column: Column) -> str:
    """A name with the sign of its cells, such as "pay (€)"; a name that has the sign already ("rate in %") stays."""
    return column.name if not column.unit or column.unit in column.name else f"{column.name} ({column.unit})"


def columns_of(table: Table, target: str) -> pd.DataFrame:
    """A table of all columns: how each was read, why, and whether it can be the target."""
    lines = []
    for one in target_choice.candidates(table):
        taken, why = taken_for(table, one.name)
        offered = "chosen" if one.name == target else "offered" if one.reading is not None else "no"
        lines.append((one.name, taken, offered, why if one.reading is not None else one.why))
    return pd.DataFrame(lines, columns=["column", "taken for", "as target", "why"])
