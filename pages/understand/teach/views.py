"""The steps of the lecture on the screen, and on paper."""

from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from dpcore.interfaces.handout import Stop, handout_html
from pages.components import routes, running_order, say, state
from pages.components.page import Chart
from pages.components.running_order import STEPS, Step, starts
from pages.components.say import md

NOTES = (
    md("**Ask before you move.** Every step has a question whose answer the figure gives; let the room commit first."),
    md(
        "**The state is in the link.** A step opened in another window, or by a student at home, shows the same figure."
    ),
    md(
        "**The order is an argument**: one answer, its curve, many answers, what proofs miss, what cannot be had, and a row."
    ),
)


def _answers(asked: state.Asked, key: str) -> bool:
    shown = say.toggle(
        "Show the answers",
        key=key,
        help="Off while the room can see this screen; each number is computed when it is shown.",
    )
    say.caption(
        "In the lecture: F fills the window with the figure and its slider (Esc leaves), S shows the numbers, N the next figure; "
        "← Back and Next → above the page change the step."
    )
    return shown


@dataclass(frozen=True)
class State:
    """What the sidebar asks."""

    answers: bool = state.control(False, _answers)


def steps(shown: State) -> list[Chart]:
    """All steps in their order; there is no figure to take away."""
    for index, (step, begins) in enumerate(zip(STEPS, starts(), strict=True)):
        _step(index, step, begins, shown.answers)
    return []


def _step(index: int, here: Step, begins: int, answers: bool) -> None:
    """One step: when, where to, what to say and ask, and the answer if it may be seen."""
    with st.container(border=True):
        head, link = st.columns([4, 1], vertical_alignment="center")
        with head:
            say.subheader(f"{index + 1} · {here.title}", anchor=False)
        with link, st.container(horizontal=True, horizontal_alignment="right"):
            routes.page_link(here.page, f"Open step {index + 1} →", running_order.query(index))
        say.caption(f"Minutes {begins} to {begins + here.minutes}")
        say.markdown(md("Say: *{}*", here.say))
        say.markdown(md("Ask: **{}**", here.ask))
        say.markdown(md("Do: {}", here.act))
        if answers:
            say.markdown(md("See: {}", here.answer()))


def handouts() -> None:
    """The two hand-outs, made when they are asked for."""
    # the address is not known any more when the file is made, on the click
    base = st.context.url.rsplit("/", 1)[0] if st.context.url else ""
    say.markdown("One page for the lecturer, with words and answers, and one for the room, with space to write.")
    for name, label, answers in (
        ("lecturer", "For the lecturer (HTML to print)", True),
        ("room", "For the room (HTML to print)", False),
    ):
        say.download_button(
            label,
            data=lambda answers=answers: _handout(base, answers).encode(),
            file_name=f"see_differential_privacy_{name}.html",
            mime="text/html",
            on_click="ignore",
            icon=":material/print:",
            key=f"teach_{name}",
        )


def _handout(base: str, answers: bool) -> str:
    stops = [
        Stop(
            here.title,
            begins,
            begins + here.minutes,
            f"{base}/{running_order.address(here.page)}?{urlencode(running_order.query(index), doseq=True)}",
            here.say,
            here.ask,
            here.act,
            here.answer() if answers else "",
        )
        for index, (here, begins) in enumerate(zip(STEPS, starts(), strict=True))
    ]
    return handout_html("See differential privacy: a lecture of 45 minutes", stops, answers=answers)
