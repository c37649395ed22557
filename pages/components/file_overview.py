"""What was read, in the main area: the target, ten rows, what each column was taken for, ranges."""

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

OPEN = "overview_open"  # in the store: the file of which no data set can be made as it is described
EXTREMES = "extremes"  # in the store: what is done with cells far beyond all others, see `Domain.from_data`
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
    """What was read and the table of ranges, open while something in it is left to do; the ranges in force.

    Parameters
    ----------
    table : what was read
    target : as chosen
    features : as chosen; None for all
    scaling : what columns are scaled by
    missing : what is done with missing cells
    prefix : of the keys
    main : where it is shown
    state : the session's store of private data
    """
    names: tuple[str, ...] = ()
    leaks: dict[str, tuple[float, float]] = {}
    asked = table, target.name, features
    with contextlib.suppress(DataError):  # said by make_dataset
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
        st.rerun()  # nothing is left to do: the answer gets the room
    return found


def show(table: Table, target: TargetChoice, prefix: str, ranges: Callable[[], Any]) -> Any:
    """The file as it was read, beside the table of ranges, whose answer is returned.

    Parameters
    ----------
    table : what was read
    target : as chosen
    prefix : of the keys
    ranges : draws the table of ranges
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
    """What is predicted, why, and other columns one click away."""
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
    """Ten rows in the units of the file, signs of currencies and percentages in the header."""
    return table.frame.head(_ROWS).set_axis([_heading(column) for column in table.columns], axis=1)


def _heading(column: Column) -> str:
    """A name with the sign that its cells carry, unless it names that itself: "pay (€)", "rate in %"."""
    return column.name if not column.unit or column.unit in column.name else f"{column.name} ({column.unit})"


def columns_of(table: Table, target: str) -> pd.DataFrame:
    """Each column: what it was taken for, why, and whether it can be the target."""
    lines = []
    for one in target_choice.candidates(table):
        taken = taken_for(table, one.name)
        offered = "chosen" if one.name == target else "offered" if one.reading is not None else "no"
        lines.append((one.name, taken.what, offered, taken.why if one.reading is not None else one.why))
    return pd.DataFrame(lines, columns=["column", "taken for", "as target", "why"])
