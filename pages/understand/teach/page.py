"""Teach: 45 minutes of lecture, each step a page in a state, a line to say, a question, and what the room should see."""

from pages.components.page import Page
from pages.components.running_order import STEPS
from pages.understand.teach import views

PAGE = Page(
    title="Teach",
    sentence=f"A lecture of {sum(step.minutes for step in STEPS)} minutes in {len(STEPS)} steps. Each opens a page in the state it "
    "needs; the question stands above it, and the answer appears when you ask for it.",
    prefix="teach",
    state=views.State,
    body=views.steps,
    notes=lambda shown: views.NOTES,
    more=lambda shown: {
        "Hand-out": views.handouts,
        "Formula": None,
        "Code": None,
        "Data": None,
        "Share": None,
    },
)
