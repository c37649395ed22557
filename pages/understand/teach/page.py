"""Teach: a lecture in steps. Each step has a page with settings, a line to say, questions, and what to look for."""

from pages.components.page import Page
from pages.understand.teach import views

PAGE = Page.of_views(
    views,
    title="Teach",
    sentence="A lecture of 20, 45 or 90 minutes in steps. Each opens one figure with its question and without its answer, which "
    "the key A reveals.",
    prefix="teach",
    state=views.State,
    body=views.steps,
    notes=lambda shown: views.NOTES,
    more=lambda shown: {
        "Hand-out": lambda: views.handouts(shown.plan),
        **dict.fromkeys(("Formula", "Code", "Data", "Share")),
    },
    kept=("Hand-out",),
)
