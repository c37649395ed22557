"""A table in which the curator states, from knowledge of the quantities, the range of each numeric column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from dpcore.data import SuggestedRange, read_ranges, write_ranges
from dpcore.data.names import quoted, suggestion, visible
from dpcore.errors import DataError, DPError
from pages.components import say

SUGGESTED, STATED, MISSING, HALF = "suggested", "stated", "not stated", "one end missing"
FILE = "read off the file: leaks"
_ENDS = ("low", "high")
_LISTED = 6
_HEIGHT = 283
_CAPTION = (
    "What each quantity can be at all; values outside are clipped. A suggested range comes from the column's name. One read "
    "off the file leaks, and its numbers are for your eyes only: no guarantee covers it until you state both ends."
)


@dataclass(frozen=True)
class Stated:
    """Complete ranges by column, the source of each, and a container for more words about them."""

    ranges: dict[str, tuple[float, float]]
    sources: dict[str, str]
    place: Any = None

    @property
    def half(self) -> list[str]:
        """Columns with one end only."""
        return [name for name, source in self.sources.items() if source == HALF]

    @property
    def missing(self) -> list[str]:
        """Columns without both ends."""
        return [name for name in self.sources if name not in self.ranges]


def state_ranges(
    needed: Mapping[str, SuggestedRange | None],
    columns: Sequence[str],
    state: dict[str, Any],
    *,
    key: str,
    in_file: Mapping[str, tuple[float, float]] | None,
) -> Stated:
    """Show the table of ranges; returns the ranges in force.

    Stated ranges are kept in `state`, the session's store of private data, for all pages.

    Parameters
    ----------
    needed : columns that need a range, with the range that their name suggests
    columns : all columns of the table, which a file of ranges may name
    state : where stated ranges are kept
    key : prefix of the keys of the controls
    in_file : ranges of the file for columns without one; None if ranges must be stated
    """
    stated = state.setdefault("ranges", {})
    if not needed:
        return Stated({}, {})
    place, below = st.container(), say.expander("Load or save ranges", key=f"{key}_place")
    with below:
        _load(columns, state, f"{key}_file")
    from_file = in_file is not None
    ends, sources = _in_force(needed, stated, from_file)
    shown = {
        name: dict(zip(_ENDS, (in_file or {}).get(name, ()), strict=False)) if source == FILE else ends[name]
        for name, source in sources.items()
    }
    version = (tuple(needed), tuple(sources.values()), state.get("ranges_file"), tuple((in_file or {}).items()))
    if f"{key}_{state.get('ranges_edition')}" not in st.session_state or state.get("ranges_for") != version:
        state["ranges_for"] = version  # the editor is made again, with the ranges in force
        state["ranges_edition"] = state.get("ranges_edition", 0) + 1
        numbers = {end: pd.array([shown[name].get(end) for name in needed], dtype="Float64") for end in _ENDS}
        names = pd.Index([visible(name) for name in needed], name="column")
        state["ranges_table"] = pd.DataFrame({**numbers, "from": list(sources.values())}, index=names)
    with place:
        edited = say.editor(
            state["ranges_table"], key=f"{key}_{state['ranges_edition']}", num_rows="fixed", placeholder="—",
            height=min(38 + 35 * len(needed), _HEIGHT), formats=dict.fromkeys(_ENDS, "%g"), width="small",
            disabled=["from"],
        )  # fmt: skip
        say.caption(_CAPTION)
    changed = False
    for name, values in zip(needed, edited[list(_ENDS)].itertuples(index=False), strict=True):
        typed = {end: float(value) for end, value in zip(_ENDS, values, strict=True) if not pd.isna(value)}
        if typed != shown[name]:
            # An end read off the file is shown in the table, but it counts as stated only if it is changed.
            kept = shown[name].items() if sources[name] == FILE else ()
            stated[name], changed = dict(typed.items() - kept), True
    if changed:
        ends, sources = _in_force(needed, stated, from_file)
        if tuple(sources.values()) != version[1]:
            st.rerun()  # the column "from" beside the ranges changes
    with below:
        _save(ends, key)
    return Stated(_complete(ends), sources, place)


def _save(ends: Mapping[str, dict[str, float]], key: str) -> None:
    complete = _complete(ends)
    say.download_button(
        "Save ranges", data=lambda: write_ranges(complete, list(ends)), file_name="ranges.csv", mime="text/csv",
        on_click="ignore", key=f"{key}_save", help="The columns column, low, high; the command line reads it by --ranges.",
    )  # fmt: skip


def _complete(ends: Mapping[str, dict[str, float]]) -> dict[str, tuple[float, float]]:
    return {name: (one["low"], one["high"]) for name, one in ends.items() if len(one) == len(_ENDS)}


def _in_force(
    needed: Mapping[str, SuggestedRange | None], stated: Mapping[str, dict[str, float]], from_file: bool
) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """The ends of each column's range, and their source."""
    suggested = {name: {"low": one.low, "high": one.high} if one else {} for name, one in needed.items()}
    ends = {name: stated.get(name, suggested[name]) for name in needed}
    return ends, {name: _source(ends[name], name in stated, needed[name], from_file) for name in needed}


def _source(ends: Mapping[str, float], is_stated: bool, suggestion: SuggestedRange | None, from_file: bool) -> str:
    if not ends:
        return FILE if from_file else MISSING
    if len(ends) < len(_ENDS):
        return HALF
    return STATED if is_stated or suggestion is None else SUGGESTED


def are_complete(needed: Mapping[str, SuggestedRange | None], state: dict[str, Any], from_file: bool) -> bool:
    """Whether all ranges are complete; this can be asked before the table is drawn."""
    _, sources = _in_force(needed, state.get("ranges", {}), from_file)
    return not {MISSING, HALF} & {*sources.values()}


def check_complete(ranges: Stated, from_file: bool) -> None:
    """Raise an error while a range is missing or has only one end.

    Raises
    ------
    DataError
    """
    missing = ranges.half if from_file else ranges.missing
    if missing:
        more = f" and {len(missing) - _LISTED} more" if len(missing) > _LISTED else ""
        raise DataError(
            f"Nothing is computed yet: {len(missing)} of {len(ranges.sources)} ranges are not stated or have one end only, "
            f"those of {', '.join(quoted(name) for name in missing[:_LISTED])}{more}. State both ends of each in the table "
            "of ranges, or load a file of ranges."
        )


def _load(columns: Sequence[str], state: dict[str, Any], key: str) -> None:
    """An uploader for a file of ranges, which is put into the table once; errors in it are shown here."""
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
