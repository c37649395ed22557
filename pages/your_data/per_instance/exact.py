"""ε without the expansion for the rows that are looked at. It is computed last, kept, and can be stopped."""

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st

from dpcore.errors import DPError, or_reason
from dpcore.individual.all_rows.exactly import exact_row, wanted
from dpcore.individual.exact.found import ExactEpsilon, ExactRows
from dpcore.individual.exposure import TOLERANCE
from dpcore.individual.rows.in_place import exact_in_place
from pages.components import say
from pages.components.words import measured
from pages.your_data.per_instance.large_data import stoppable
from pages.your_data.per_instance.views import ExposureView

# Most selected rows that are computed without the expansion at once. Doubled, the wait after a selection doubles.
SELECTED = 20


def known(view: ExposureView) -> dict[int, ExactRows]:
    """The results without the expansion that are computed so far, by row."""
    return view.kept["rows"]


def is_to_come(view: ExposureView) -> bool:
    """Whether the page will be drawn again after rows are computed; slow parts that nobody asked for wait for that."""
    state = view.kept
    return view.result.is_expansion and not (state["rows"] or state["refused"] or state["stopped"])


def said(view: ExposureView, row: int) -> str:
    """ε of a row with its error bar; empty if it is not computed without the expansion."""
    return view.of_row(row) if view.result.is_expansion and row in known(view) else ""


def pair(found: ExactRows | ExactEpsilon) -> tuple[float, float]:
    """ε and error bar of the first record."""
    return float(found.epsilon[0]), float(found.error[0])


def shown(found: Iterable[float]) -> str:
    """ε with its error bar."""
    return measured(*found, 1e-3)


def records(
    view: ExposureView, wanted: Callable[[], tuple[Any, Any]], row: int | None, *, key: str
) -> ExactEpsilon | None:
    """ε and error bar of records that take a row's place or (`row` None) are added; None until they are asked for."""
    if not view.result.is_expansion or not say.toggle("Without the expansion", key=key):
        return None
    bar = say.progress(0.0)
    try:
        X, y = wanted()
        found = exact_in_place(view.result, X, y, row, TOLERANCE, lambda share: say.progress(share, "", on=bar))
    except DPError as error:
        say.info(str(error))
        return None
    bar.empty()
    return found


def share(found: ExactRows) -> str:
    """The effective sample size of the first row as a share of the drawn points; empty if no point has a weight."""
    value = float(found.effective[0])
    return f"{100 * value:.0f} %" if value == value else ""


def measured_rows(view: ExposureView) -> None:
    """Show the error of the expansion in the rows that are computed without it."""
    best, refused = view.best, view.kept["refused"]
    if refused:
        rows = "1 row has" if len(refused) == 1 else f"{len(refused)} rows have"
        say.info(f"{rows} no exact value: {next(iter(refused.values()))}")
    found = best.exactly
    if found is None:
        say.caption(f"{best.said} The most exposed rows, or all where that is quick, are computed without it.")
        return
    say.caption(best.said)
    if found.missed:
        say.warning(found.missed)


def fill(view: ExposureView, rows: Iterable[int], place: Any) -> None:
    """Compute what is not known yet, after the page is complete, and draw the page again with it."""
    state = view.kept
    chosen = [row for row in list(rows)[: 1 + SELECTED] if row not in state["rows"] and row not in state["refused"]]
    missing = list(dict.fromkeys([*chosen, *wanted(view.result, state["rows"], state["refused"])]))
    if not view.result.is_expansion or not (missing or view.is_searching):
        return
    if state["stopped"]:
        with place.container(horizontal=True, vertical_alignment="center"):
            searched = " The most exposed record of the public domain is not known." if view.is_searching else ""
            say.caption(f"Stopped: {len(missing)} rows are known by the expansion only.{searched}")
            say.button(
                "Compute them", icon=":material/play_arrow:", key="pi_exact_again", on_click=state.update, kwargs={"stopped": False}
            )  # fmt: skip
        return
    bar = stoppable(place, "pi_exact_stop", state, {"stopped": True})
    steps = len(missing) + view.is_searching
    for done, row in enumerate(missing):

        def show(share: float, done: int = done, row: int = row) -> None:
            say.progress(
                min(1.0, (done + share) / steps), f"{view.dataset.row_name(row)} without the expansion", on=bar
            )

        try:
            show(0.0)
            state["rows"][row] = exact_row(view.result, row, show)
        except DPError as error:
            state["refused"][row] = str(error)
    if view.is_searching:
        state["unconfirmed"] = _search(
            view, lambda share: say.progress((len(missing) + share) / steps, "the most exposed record", on=bar)
        )
        state["searched"] = True
    st.rerun()


def _search(view: ExposureView, progress: Callable[[float], None]) -> str:
    """Find the most exposed record of the public domain and confirm it; returns why that is not possible, or ""."""
    progress(0.0)
    tolerance = TOLERANCE * max(1.0, float(view.result.epsilon.max()))
    return or_reason(lambda: view.result.for_all_exactly(tolerance, progress))[1]
