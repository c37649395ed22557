"""A table in which the curator states, from knowledge of the quantities, the range of each numeric column."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dpcore.data import read_ranges, write_ranges
from dpcore.data.names import quoted, suggestion, visible
from dpcore.errors import DataError, DPError
from pages.components import say

_ENDS = ("low", "high")
_LISTED = 6


def state_ranges(
    names: Sequence[str], columns: Sequence[str], state: dict[str, Any], *, key: str
) -> dict[str, tuple[float, float]]:
    """The complete ranges stated so far; all are kept in `state`, the session's store of private data, from page to page.

    Parameters
    ----------
    names : columns that need a range
    columns : all columns of the table, which a file of ranges may name
    """
    stated = state.setdefault("ranges", {})
    if not names:
        return {}
    _load(columns, state, f"{key}_file")
    version = (names, state.get("ranges_file"))
    if f"{key}_{state.get('ranges_edition')}" not in st.session_state or state.get("ranges_for") != version:
        state["ranges_for"] = version  # the editor starts anew, from what was stated
        state["ranges_edition"] = state.get("ranges_edition", 0) + 1
        state["ranges_table"] = pd.DataFrame(
            {end: pd.array([stated.get(name, {}).get(end) for name in names], dtype="Float64") for end in _ENDS},
            index=pd.Index([visible(name) for name in names], name="column"),
        )
    say.caption(
        "State what each quantity can be at all, without looking at the rows; values outside are clipped. Nothing is "
        "computed before every range is stated."
    )
    edited = say.editor(
        state["ranges_table"], key=f"{key}_{state['ranges_edition']}", num_rows="fixed", placeholder="—",
        height=min(38 + 35 * len(names), 250), formats=dict.fromkeys(_ENDS, "%g"),
    )  # fmt: skip
    for name, ends in zip(names, edited[list(_ENDS)].itertuples(index=False), strict=True):
        stated[name] = {end: float(value) for end, value in zip(_ENDS, ends, strict=True) if not pd.isna(value)}
    complete = {name: (stated[name]["low"], stated[name]["high"]) for name in names if len(stated[name]) == len(_ENDS)}
    say.download_button(
        "Save ranges", data=lambda: write_ranges(complete, names), file_name="ranges.csv", mime="text/csv",
        on_click="ignore", key=f"{key}_save", help="The columns column, low, high; the command line reads it by --ranges.",
    )  # fmt: skip
    return complete


def check_complete(names: Sequence[str], ranges: Mapping[str, tuple[float, float]]) -> None:
    """Refuse to go on while a range is missing.

    Raises
    ------
    DataError
    """
    missing = [name for name in names if name not in ranges]
    if missing:
        more = f" and {len(missing) - _LISTED} more" if len(missing) > _LISTED else ""
        raise DataError(
            f"Nothing is computed yet: {len(missing)} of {len(names)} ranges are not stated or have one end only, those "
            f"of {', '.join(quoted(name) for name in missing[:_LISTED])}{more}. State both ends of each under Columns and "
            "scaling, or load a file of ranges."
        )


def _load(columns: Sequence[str], state: dict[str, Any], key: str) -> None:
    """A file of ranges put into the table, once; what is wrong with it is said here."""
    upload = say.file_uploader(
        "Load ranges", type=["csv", "txt"], key=key, help="A CSV file with the columns column, low and high."
    )
    if upload is None or state.get("ranges_file") == upload.file_id:
        return
    try:
        ranges = read_ranges(upload)
        unknown = [name for name in ranges if name not in columns]
        if unknown:
            raise DataError(
                f"The ranges name a column {quoted(unknown[0])} that the table does not have; "
                f"{suggestion(unknown[0], columns)}."
            )
    except DPError as error:
        say.error(str(error), icon=":material/error:")
        return
    state["ranges"].update({name: dict(zip(_ENDS, ends, strict=True)) for name, ends in ranges.items()})
    state["ranges_file"] = upload.file_id
