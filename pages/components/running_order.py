"""The running lecture: which step of which plan is open, whether its answer is shown, and the strip above the page."""

from collections.abc import Sequence

import streamlit as st

from pages.components import full_window, routes, say
from pages.components.lecture_steps import PLANS, STEPS
from pages.components.say import md

STEP, ANSWER, PLAN = "step", "answer", "plan"
USUAL = 45  # minutes of the usual plan
_AT = "lecture_at"  # key of the page, the step, and whether it is answered, at the last run


def starts(plan: int = USUAL) -> list[int]:
    """The minute at which each step of a plan begins."""
    minutes = [one for _, one in PLANS[plan]]
    return [sum(minutes[:place]) for place in range(len(minutes))]


def query(index: int, *, answered: bool = False, plan: int = USUAL) -> dict[str, str | Sequence[str]]:
    """The parameters of a step's link: its state, and the strip with its question, or with its answer if `answered`."""
    step = STEPS[index]
    shown = {**step.shown, ANSWER: "true"} if answered else {}
    return {**step.state, **shown, STEP: str(index + 1), **({} if plan == USUAL else {PLAN: str(plan)})}


def address(page: str) -> str:
    """The last part of a page's address; it is empty for the page home."""
    name = page.rpartition("/")[2]
    return "" if name == "home" else name


def index_now() -> int | None:
    """The index of the open step; None if there is none."""
    asked = st.query_params.get(STEP, "")
    whole = asked.isascii() and asked.isdecimal() and len(asked) < 4
    return int(asked) - 1 if whole and 1 <= int(asked) <= len(STEPS) else None


def covered() -> bool:
    """Whether a question of the lecture is open, so that nothing on the page may show its answer."""
    return index_now() is not None and st.query_params.get(ANSWER) != "true"


def figure() -> int:
    """The number of the one figure of the page that an open question needs, from 1."""
    index = index_now()
    return 1 if index is None else int(STEPS[index].state.get(full_window.FIGURE, 1))


def slider() -> str:
    """The control that the step moves in a full window, or "" if it names none."""
    index = index_now()
    return "" if index is None else STEPS[index].slider


def place() -> tuple[str, ...]:
    """The parts of the address that say which step is open and whether it is answered."""
    return tuple(st.query_params.get(name, "") for name in (STEP, ANSWER))


def _plan() -> int:
    """The plan that the address names if it contains the step, else another plan with this step."""
    asked = st.query_params.get(PLAN, str(USUAL))
    plans = [minutes for minutes in PLANS if str(minutes) == asked] + sorted(
        PLANS, key=lambda one: (one != USUAL, -one)
    )
    return next(plan for plan in plans if index_now() in dict(PLANS[plan]))


def strip(page: str) -> None:
    """Show a strip above a page opened by the lecture: the question, what to do or the answer, links to other steps.

    An address that names only a step leads to the page of the step, in its state.
    """
    index = index_now()
    if index is None:
        return
    here, plan, answered = STEPS[index], _plan(), not covered()
    order = [one for one, _ in PLANS[plan]]
    at = order.index(index)
    seen, st.session_state[_AT] = st.session_state.get(_AT), (page, *place())
    if address(here.page) != page or (seen != st.session_state[_AT] and not set(here.state) & set(st.query_params)):
        routes.open_page(here.page, query(index, answered=answered, plan=plan) | full_window.carried())
    # A link to the page that is open already does not change the address, so the step is written into it here.
    if seen is not None and seen[1:] != place():
        st.query_params[STEP] = str(index + 1)
    with st.container(border=True, key="lecture_strip"):
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            say.markdown(md("**{} of {} · {}**", at + 1, len(order), here.ask), width="stretch")
            with st.container(key="lecture_answer", width="content"):
                other = query(index, answered=not answered, plan=plan) | full_window.carried()
                routes.page_link(here.page, "Hide (A)" if answered else "Answer (A)", other)
            for near, label in ((at - 1, "← Back"), (at + 1, "Next →")):
                if 0 <= near < len(order):
                    step = order[near]
                    routes.page_link(STEPS[step].page, label, query(step, plan=plan) | full_window.carried())
                else:
                    routes.page_link("understand/teach", "Teach")
        if answered:
            say.markdown(here.answer())
        else:
            say.caption(here.act)
