"""Teach: 45 minutes of lecture, each step a page in a state, a line to say, a question, and what the room should see."""

import streamlit as st

from pages.components import cards, say
from pages.components.page import Page
from pages.components.running_order import STEPS, starts
from pages.components.say import md
from pages.understand.teach import views


def _draw() -> None:
    cards.heading(
        "Teach",
        f"A lecture of {sum(step.minutes for step in STEPS)} minutes in {len(STEPS)} steps. Each opens a page in the state it "
        "needs; the question stands above it, and the answer appears when you ask for it.",
    )

    with st.sidebar:
        answers = say.toggle(
            "Show the answers", key="teach_answers",
            help="Off while the room can see this screen; each number is computed when it is shown.",
        )  # fmt: skip
        say.caption(
            "In the lecture: F fills the window with the figure and its slider (Esc leaves), S shows the numbers, N the next figure; "
            "← Back and Next → above the page change the step."
        )

    for index, (step, begins) in enumerate(zip(STEPS, starts(), strict=True)):
        views.step(index, step, begins, answers)

    notes, take = say.tabs(["What to notice", "Hand-out"])
    with notes:
        cards.notice(
            [
                md(
                    "**Ask before you move.** Every step has a question whose answer the figure gives; let the room commit first."
                ),
                md(
                    "**The state is in the link.** A step opened in another window, or by a student at home, shows the same figure."
                ),
                md(
                    "**The order is an argument**: one answer, its curve, many answers, what proofs miss, what cannot be had, and a row."
                ),
            ]
        )
    with take:
        views.handouts()


PAGE = Page(draw=_draw)
