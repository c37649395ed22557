"""All records in one table; choosing a row shows its record."""

import pandas as pd
import streamlit as st

from dpcore.errata import ERRATA, SOURCES, Kind, numbers_of
from pages.components import cache, say

ALL = "all"
_NUMBERS = ("printed", "corrected", "computed")
_SHORT = {
    Kind.MISPRINT: "misprint or slip",
    Kind.FAILS: "bound fails",
    Kind.LOOSE: "loose bound",
    Kind.REFUTED: "claim refuted",
}


def table() -> None:
    """Show the table of all records at their default parameters."""
    say.caption(
        "Choose a row to show its record above; a click on a heading sorts. Numbers at each record's default parameters."
    )
    with say.spinner("Computing every record"):
        shown = frame()
    say.table(
        shown, hide_index=True, height=460, key="er_table", on_select=open_chosen, selection_mode="single-row",
        formats=dict.fromkeys(_NUMBERS, "%.4g"),
    )  # fmt: skip


def frame() -> pd.DataFrame:
    """Source, statement, kind and the three numbers of every record, in the order of the registry."""
    rows = []
    for record in ERRATA.values():
        found = cache.shared(numbers_of, record.key, tuple(record.defaults.items()))
        source = SOURCES[record.source]
        authors = source.rpartition(", ")[0] or source
        said = {"source": authors, "statement": record.place, "kind": _SHORT[record.kind]}
        rows.append(said | {name: getattr(found, name) for name in _NUMBERS} | {"quantity": record.quantity})
    return pd.DataFrame(rows)


def open_chosen() -> None:
    """Show the record whose row was chosen."""
    rows = st.session_state["er_table"]["selection"]["rows"]
    if rows:
        st.session_state["er_source"], st.session_state["er_record"] = ALL, list(ERRATA)[rows[0]]
