"""A proposal in force: the edited file takes the place of the file in this session, until it is taken back."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from dpcore.data import Dataset, Table
from dpcore.decisions.proposed import Proposal
from pages.components import say

_APPLIED, _PREFIX = "applied", "applied_prefix"  # keys in the session's store of private data


@dataclass(frozen=True)
class Applied:
    """A proposal, the table as it is and the edited one, the page whose controls it sets, and the features before."""

    proposal: Proposal
    original: Table
    table: Table
    page: str
    features: Any

    @property
    def place(self) -> str:
        """The prefix of the controls that start at the proposed release; as it holds a hash, no address has them."""
        return f"data_{self.original.sha256[:12]}_{self.page}"


def current(state: dict[str, Any], table: Table, prefix: str) -> Table:
    """The edited table, with a button that takes it back, if a proposal for this table is in force; else the table.

    `prefix` is that of the controls of the file, which are kept.
    """
    state[_PREFIX] = prefix
    found: Applied | None = state.get(_APPLIED)
    if found is None or found.original != table:
        return table
    undo_button(state, "data_undo", "stretch")
    return found.table


def of_page(state: dict[str, Any], page: str, dataset: Dataset) -> Applied | None:
    """The proposal that the data set comes from, if it was applied on the page with this prefix."""
    found: Applied | None = state.get(_APPLIED)
    if found is None or found.page != page or dataset.origin is None or dataset.origin.table != found.table:
        return None
    return found


def apply(state: dict[str, Any], proposal: Proposal, table: Table, page: str, values: dict[str, Any]) -> None:
    """Use the edited file, and controls that start at the proposed release.

    Parameters
    ----------
    state : the session's store of private data
    proposal, table : what is applied, and to which table
    page : prefix of the page
    values : values of controls by the ends of their keys
    """
    features = f"{state[_PREFIX]}_features"
    found = Applied(proposal, table, proposal.apply(table), page, st.session_state.get(features))
    state[_APPLIED] = found
    if proposal.reading["features"] is not None:
        st.session_state[features] = list(proposal.reading["features"])
    st.session_state.update({f"{found.place}_{key}": value for key, value in values.items()})


def undo(state: dict[str, Any]) -> None:
    """Use the file as it was, and the controls as they were."""
    found: Applied = state.pop(_APPLIED)
    for key in [key for key in map(str, st.session_state) if key.startswith(found.place)]:
        del st.session_state[key]
    if found.features is not None:
        st.session_state[f"{state[_PREFIX]}_features"] = found.features


def undo_button(state: dict[str, Any], key: str, width: str = "content") -> None:
    """A button that takes the proposal back."""
    say.button(
        "Undo the recommendation", icon=":material/undo:", key=key, on_click=undo, args=(state,), width="stretch"
    )
