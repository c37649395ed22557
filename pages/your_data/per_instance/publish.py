"""What may be published: the worst case, which costs nothing, or the distribution of ε by a private release.

Each request is drawn once only.
"""

from typing import Any

import streamlit as st

from dpcore.data.names import grouped
from dpcore.errors import DPError, or_reason
from dpcore.exhibits.per_instance.rows_figure import published_counts
from dpcore.individual.all_rows.pictured import counted
from dpcore.individual.publication import plan
from dpcore.individual.publication.statement import PublishedExposure, at_most, spent
from pages.components import cache, cards, controls, export, say
from pages.components.words import number
from pages.your_data.per_instance.views import ExposureView

_sentence = say.sentences(__file__)

_STATE = "data_published"  # key of data in the session, which "Forget my data" deletes
_ROWS = "pi_publish_rows"  # key of the control that says whether the number of rows is public
_DRAWN = "Noisy counts of rows by a bound of ε; the bars are what the noise of a count may be, 95 % of the time."
_OWN = "data_published_own"  # for each request, the bound ε̄ of every row from the last drawing


def show(view: ExposureView, row: int) -> None:
    """Show the three things that may be published, their price, and what was drawn so far."""
    say.caption(_sentence("three_things"))
    rows = say.toggle(
        f"That there are {grouped(view.dataset.n_samples)} rows is public", key=_ROWS,
        help="The worst case of linear regression depends on the number of rows. Leave it off unless everybody knows the number.",
    )  # fmt: skip
    public_rows = view.dataset.n_samples if rows else None
    _free(view, public_rows)
    say.subheader("The distribution, with noise", anchor=False)
    why = _sentence("why_not_the_values")
    say.caption(why if view.result.mechanism.is_linear else f"{why} {_sentence('by_length')}")
    budget = controls.log_slider("Budget ε of the publication", 0.05, 10.0, 1.0, key="pi_publish_epsilon")
    request = _request(view, budget, public_rows)
    drawn: list[tuple[Any, PublishedExposure]] = st.session_state.setdefault(_STATE, [])
    if st.session_state.pop(f"{_STATE}_wanted", None) == request:
        with say.spinner("Drawing it", show_time=True):
            _draw(view, request, budget, public_rows)
    found = next((one for asked, one in reversed(drawn) if asked == request), None)
    say.button(
        "Draw it" if found is None else "Draw it again: spends the budget again", key="pi_publish_draw",
        icon=":material/casino:", on_click=st.session_state.update, args=({f"{_STATE}_wanted": request},),
        help="Noise is drawn once, by this computer's own randomness, and kept: looking again changes nothing.",
    )  # fmt: skip
    if found is not None:
        _found(view, found)
        _one_person(view, float(st.session_state[_OWN][request][row]), row, budget, found.beta)
    _ledger([one for _, one in drawn])
    with say.expander("How it is computed"):
        cards.formula_cards([plan.CARD])


def latest(view: ExposureView) -> tuple[PublishedExposure | None, int | None, int]:
    """What was drawn last of this release at this δ, the number of rows if it is public, and how often these were drawn from."""
    public_rows = view.dataset.n_samples if st.session_state.get(_ROWS) else None
    drawn = st.session_state.get(_STATE, [])
    same = [found for asked, found in drawn if asked == _request(view, asked[3], public_rows)]
    of_these_rows = [found for asked, found in drawn if asked[0] == cache.value_key(view.dataset)]
    return same[-1] if same else None, public_rows, len(of_these_rows)


def _request(view: ExposureView, budget: float, public_rows: int | None) -> tuple[Any, ...]:
    return cache.value_key(view.dataset), repr(view.result.mechanism), view.delta, budget, public_rows


def _free(view: ExposureView, public_rows: int | None) -> None:
    say.subheader("The worst case, for nothing", anchor=False)
    if reason := view.assumed.no_guarantee:
        say.info(f"There is none to state: {reason}.")
        return
    said, why_not = or_reason(
        lambda: plan.worst_case_statement(view.result.mechanism, view.result.public_domain, view.delta, public_rows)
    )
    if said is None:
        say.info(f"There is none to state: {why_not}.")
    else:
        st.code(said, language=None, wrap_lines=True)


def _draw(view: ExposureView, request: Any, budget: float, public_rows: int | None) -> None:
    try:
        found, told = plan.publish_with_own_bounds(
            view.dataset, view.result.mechanism, view.delta, plan.Terms(budget, public_rows=public_rows)
        )
    except DPError as error:
        say.error(str(error), icon=":material/error:")
        return
    st.session_state[_STATE].append((request, found))
    st.session_state.setdefault(_OWN, {})[request] = told


def _found(view: ExposureView, found: PublishedExposure) -> None:
    mode = cards.theme_mode()
    st.code(found.statement, language=None, wrap_lines=True)
    say.caption(_sentence("frame_above"))
    export.chart(
        published_counts(found, mode, confidential=counted(view.result, found.edges), method=view.result.method),
        key="pi_published", alt="Published noisy counts of rows by the bound of epsilon, and the confidential counts of epsilon",
    )  # fmt: skip
    title = "Published distribution"
    about = export.About("How many rows a released model exposes how much", {title: _DRAWN}, note=_note(found))
    export.downloads({title: published_counts(found, mode)}, found.frame, "public_exposure", about)
    say.download_button(
        "All released numbers (JSON)", data=lambda: found.to_json().encode(), file_name="public_exposure.json",
        mime="application/json", on_click="ignore", key="pi_published_json",
    )  # fmt: skip


def _one_person(view: ExposureView, told: float, row: int, budget: float, beta: float) -> None:
    """Show what the person of the chosen row may be told, and what it would cost to say more."""
    say.subheader("To one person, about themselves", anchor=False)
    named = view.dataset.row_name(row)
    cards.metric_row(
        [
            cards.Metric(f"{named} may be told", f"ε ≤ {at_most(told)}", "nothing beyond the budget above"),
            cards.Metric("Stays confidential", view.of_row(row), "depends on all other rows"),
        ]
    )  # fmt: skip
    say.caption(_sentence("own_bound", budget, 1 - beta))


def _note(found: PublishedExposure) -> str:
    return (
        f"Released with differential privacy: ε = {number(found.epsilon)} at δ = {number(found.publication_delta)}, one row added "
        "or removed. May be published."
    )


def _ledger(drawn: list[PublishedExposure]) -> None:
    if drawn:
        epsilon, delta = spent(drawn)
        say.caption(_sentence("spent_together", len(drawn), epsilon, delta))
