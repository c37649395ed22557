"""Large data on the per-instance page: the computation shows its progress and can be stopped; rows come in pages."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dpcore.data import Dataset
from dpcore.data.names import grouped
from dpcore.errors import DPError
from dpcore.individual import IndividualPrivacy, individual_privacy
from dpcore.individual.passes.paging import SORTS, page, page_count
from dpcore.mechanisms.releases import GlmRelease
from pages.components import data_input, say
from pages.components.state import NothingToShowError

_sentence = say.sentences(__file__)

# Least number of rows for which the computation shows its progress. Doubled, longer computations show none.
LARGE = 200_000
PAGE = 100
LABELS = {
    "row": "row",
    "epsilon": "ε",
    "in_sample": "leverage μ′",
    "out_of_sample": "leverage μ",
    "residual": "residual r′",
    "loo_residual": "residual r",
}
_SORTED = {
    "epsilon": "ε, largest first",
    "out_of_sample": "leverage, largest first",
    "loo_residual": "size of the residual, largest first",
    "row": "row of the file",
}


def result(dataset: Dataset, mechanism: GlmRelease, delta: float) -> IndividualPrivacy:
    """The exposure of every row, computed with a progress bar and a stop button; an error says if it is stopped.

    The last result is kept in the session, so that a rerun with the same settings costs nothing.
    """
    state = data_input.store()
    key = (dataset.sha256, dataset.provenance, f"{type(mechanism).__qualname__}:{mechanism!r}", delta)
    if state.get("large_key") == key:
        return state["large_result"]
    if state.get("large_stopped") == key:
        say.info(_sentence("stopped"), icon=":material/pause_circle:")
        if not say.button("Compute again", icon=":material/play_arrow:", key="pi_large_again"):
            raise NothingToShowError("")
        state.pop("large_stopped")
    place = st.empty()
    told = "Ends after the current step; nothing is lost but the rows done so far."
    bar = stoppable(place, "pi_large_stop", state, {"large_stopped": key}, told)

    def told(what: str, share: float) -> None:
        say.progress(share, f"{what}, {grouped(dataset.n_samples)} rows", on=bar)

    try:
        found = individual_privacy(dataset, mechanism, delta, progress=told, known=state.get("large_result"))
    except DPError:
        place.empty()
        raise
    place.empty()
    state.update(large_key=key, large_result=found)
    return found


def stoppable(place: Any, key: str, state: dict[str, Any], stopped: dict[str, Any], told: str | None = None) -> Any:
    """Show a progress bar and a stop button, which ends the work by writing `stopped` into `state`."""
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = say.progress(0.0)
        say.button("Stop", icon=":material/stop_circle:", key=key, on_click=state.update, kwargs=stopped, help=told)
    return bar


def labels(answer: IndividualPrivacy) -> dict[str, str]:
    """Headings of a table of rows, in the words of the model."""
    name = answer.leverage.residual_name
    return LABELS | {"epsilon": answer.method.symbol, "residual": f"{name} r′", "loo_residual": f"{name} r"}


def insert_ids(table: pd.DataFrame, dataset: Dataset, rows: Sequence[int]) -> None:
    """Insert the ids of the file after the row numbers of a table, if there are any."""
    ids = dataset.row_ids(rows)
    if any(ids):
        table.insert(1, "id", ids)


def all_rows(answer: IndividualPrivacy) -> None:
    """Show every row, one page at a time, sorted on the server; the most exposed rows come first."""
    if not say.toggle("Browse all rows", key="pi_browse", help="Sorted here; the browser is sent one page at a time."):
        return
    pages = page_count(answer, PAGE)
    left, right = st.columns(2)
    sorted_by = _SORTED | {"loo_residual": f"size of the {answer.leverage.residual_name}, largest first"}
    sort = say.selectbox("Sort by", SORTS, on=left, format_func=sorted_by.get, key="pi_browse_sort")
    number = say.number_input(
        f"Page, 1 to {grouped(pages)}", min_value=1, max_value=pages, value=1, key="pi_browse_page", on=right
    )
    positions, frame = page(answer, int(number) - 1, PAGE, sort)
    insert_ids(frame, answer.dataset, positions)
    formats = {name: "%.4g" for name in LABELS if name != "row"}
    say.table(frame, hide_index=True, height=360, formats=formats, labels=labels(answer), key="pi_browse_table")
    first = (int(number) - 1) * PAGE
    say.caption(
        f"Rows {grouped(first + 1)} to {grouped(first + len(frame))} of {grouped(answer.epsilon.size)}, sorted by {sorted_by[sort]}."
    )
