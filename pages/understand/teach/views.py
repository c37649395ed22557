"""The steps of the lecture on the screen."""

from dataclasses import dataclass

import streamlit as st

from pages.components import full_window, routes, running_order, say, state
from pages.components.charts import Chart
from pages.components.lecture_steps import PLANS, STEPS
from pages.components.say import md

NOTES = (
    md("**Ask before you move.** Every step opens with its question; let the room commit before A shows the answer."),
    md(
        "**The state is in the link.** A step opened in another window, or by a student at home, shows the same figure."
    ),
    md(
        "**The order is an argument**: one answer, its curve, many answers, what proofs miss, what cannot be had, and a row."
    ),
)


def _plan(asked: state.Asked, key: str) -> int:
    return say.segmented_control(
        "Minutes", list(PLANS), format_func=str, default=running_order.USUAL, required=True, key=key
    )


def _answers(asked: state.Asked, key: str) -> bool:
    told = "Off while the room can see this screen; each number is computed when it is shown."
    shown = say.toggle("Show the answers", key=key, help=told)
    say.caption(
        "In the lecture a figure fills the window with its slider (Esc leaves, F fills it again): A shows the answer and, asked again, "
        "hides it, S shows the numbers, N the next figure; ← Back and Next → change the step."
    )
    return shown


@dataclass(frozen=True)
class State:
    """What the sidebar asks."""

    plan: int = state.control(running_order.USUAL, _plan)
    answers: bool = state.control(False, _answers)


def steps(shown: State) -> list[Chart]:
    """All steps of the plan in their order; there is no figure to take away."""
    begun = running_order.starts(shown.plan)
    for place, ((index, minutes), begins) in enumerate(zip(PLANS[shown.plan], begun, strict=True)):
        _step(place, index, begins, minutes, shown)
    return []


def _step(place: int, index: int, begins: int, minutes: int, shown: State) -> None:
    """One step: when, where to, what to say and ask, what is often misunderstood, and the answers if they may be seen."""
    here = STEPS[index]
    with st.container(border=True, gap="small"):
        head, link = st.columns([4, 1], vertical_alignment="center")
        with head:
            say.subheader(f"{place + 1} · {here.title}", anchor=False)
        with link, st.container(horizontal=True, horizontal_alignment="right"):
            opened = running_order.query(index, plan=shown.plan) | {full_window.ON: "true"}
            routes.page_link(here.page, f"Open step {place + 1} →", opened)
        say.caption(f"Minutes {begins} to {begins + minutes}")
        say.markdown(md("Say: *{}*", here.say))
        say.markdown(md("Ask: **{}**", here.ask))
        say.markdown(md("Do: {}", here.act))
        if shown.answers:
            say.markdown(md("See: {}", here.answer()))
        for one in here.questions:
            said = md("Ask too: **{}** Often heard: *{}*", one.ask, one.heard)
            say.markdown(md("{} Reply: {}", said, one.reply) if shown.answers else said)
