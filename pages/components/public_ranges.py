"""A table in which the curator states, from knowledge of the quantities, the range of each numeric column."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.components import say
from pages.components.say import md

_ENDS = ("low", "high")


def state_ranges(names: Sequence[str], state: dict[str, Any], *, key: str) -> dict[str, tuple[float, float]]:
    """The complete ranges stated so far; all are kept in `state`, the session's store of private data, from page to page."""
    stated = state.setdefault("ranges", {})
    if key not in st.session_state or state.get("ranges_for") != names:  # the editor starts anew: from what was stated
        state["ranges_for"] = names
        state["ranges_table"] = pd.DataFrame(
            {end: pd.array([stated.get(name, {}).get(end) for name in names], dtype="Float64") for end in _ENDS},
            index=pd.Index(names, name="column"),
        )
    say.caption(
        "State what each quantity can be at all, without looking at the rows; values outside are clipped. An empty row "
        "leaves its column as it is."
    )
    edited = say.editor(
        state["ranges_table"], key=key, num_rows="fixed", placeholder="—", height=min(38 + 35 * len(names), 250),
        formats=dict.fromkeys(_ENDS, "%g"),
    )  # fmt: skip
    for name, ends in zip(names, edited[list(_ENDS)].itertuples(index=False), strict=True):
        stated[name] = {end: float(value) for end, value in zip(_ENDS, ends, strict=True) if not pd.isna(value)}
    halves = [name for name in names if len(stated[name]) == 1]
    if halves:
        say.caption(md(":material/edit: Not used yet, one end is missing: {}.", ", ".join(halves)))
    return {name: (stated[name]["low"], stated[name]["high"]) for name in names if len(stated[name]) == len(_ENDS)}
