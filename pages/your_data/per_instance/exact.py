"""Exact ε of the rows one looks at, where that of all rows is an expansion: computed last, kept, and stopped at will."""

from collections.abc import Iterable
from typing import Any

import streamlit as st

from dpcore.errors import DPError
from pages.components import say
from pages.components.say import md
from pages.components.words import number
from pages.your_data.per_instance.views import ExposureView

TOP, SELECTED = 5, 20  # rows made exact without being asked for
_TOLERANCE = 1e-3  # nats, or of ε where that is above 1
_STATE = "private_data"  # dropped by "Forget my data"


def known(view: ExposureView) -> dict[int, tuple[float, float, float]]:
    """Row → ε, its error bar and what the expansion gives, of the rows computed so far."""
    return _kept(view)["rows"]


def said(view: ExposureView, row: int) -> str:
    """The exact ε of a row as a sentence; empty where the expansion is not one or nothing is known yet."""
    found = known(view).get(row) if view.result.is_expansion else None
    return f" Exactly: ε = {shown(found[:2])}." if found else ""


def shown(found: Iterable[float]) -> str:
    """ε with its error bar."""
    epsilon, error = found
    return f"{number(epsilon)} ± {number(max(error, 1e-4), 1)}"


def strip(view: ExposureView, place: Any) -> None:
    """What is known beside the charts: how far the expansion is off on the rows computed exactly."""
    if not view.result.is_expansion:
        return
    done = known(view)
    with place.container():
        if not done:
            say.caption(
                "ε of all rows: an expansion around the fit. The most exposed rows are computed without it below."
            )
            return
        error = max(abs(expansion / epsilon - 1) for epsilon, _, expansion in done.values() if epsilon > 0)
        say.caption(
            md(
                "ε of all rows: an expansion around the fit. **{} rows computed without it, to ± {}: there it is off by at "
                "most {} %** (measured, not a bound for the others).",
                len(done),
                number(max(1e-4, max(bar for _, bar, _ in done.values())), 1),
                number(100 * error, 2),
            )
        )


def fill(view: ExposureView, rows: Iterable[int], place: Any) -> None:
    """Compute the rows that are not known yet, the page being complete already, and draw it again with them."""
    state = _kept(view)
    missing = [row for row in dict.fromkeys(rows) if row not in state["rows"]]
    if not view.result.is_expansion or not missing or state["refused"]:
        _refusal(state["refused"], place)
        return
    if state["stopped"]:
        with place.container(horizontal=True, vertical_alignment="center"):
            say.caption(f"Stopped: {len(missing)} rows are known by the expansion only.")
            say.button("Compute them", icon=":material/play_arrow:", key="pi_exact_again", on_click=_go, args=(state,))
        return
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = say.progress(0.0)
        say.button("Stop", icon=":material/stop_circle:", key="pi_exact_stop", on_click=_stop, args=(state,))
    for done, row in enumerate(missing):

        def show(share: float, done: int = done, row: int = row) -> None:
            say.progress(min(1.0, (done + share) / len(missing)), f"{view.dataset.row_name(row)} exactly", on=bar)

        try:
            show(0.0)
            tolerance = _TOLERANCE * max(1.0, float(view.result.epsilon[row]))
            found = view.result.exact([row], tolerance, show)
        except DPError as error:
            state["refused"] = str(error)
            _refusal(state["refused"], place)
            return
        state["rows"][row] = float(found.epsilon[0]), float(found.error[0]), float(found.expansion[0])
    st.rerun()


def _refusal(reason: str, place: Any) -> None:
    if reason:
        with place.container():
            say.info(f"No exact value: {reason}")


def _kept(view: ExposureView) -> dict[str, Any]:
    """What is known of this release of these data; of the one before, nothing is kept."""
    state = st.session_state.setdefault(_STATE, {"generation": 0})
    key = (view.dataset.sha256, view.dataset.provenance, repr(view.result.mechanism), view.delta)
    if state.get("exact_key") != key:
        state.update(exact_key=key, exact={"rows": {}, "stopped": False, "refused": ""})
    return state["exact"]


def _stop(state: dict[str, Any]) -> None:
    state["stopped"] = True


def _go(state: dict[str, Any]) -> None:
    state["stopped"] = False
