"""Audit: guess by hand whether a record is in the data, then let a machine attack the claim."""

from dpcore.audit import MEMBERSHIP_CARD
from pages.components import examples
from pages.components.page import Page
from pages.verify.audit import machine, sidebar, views

PAGE = Page.of_views(
    views,
    title="Audit",
    sentence="Is one record in the data or not? Guess from a single released output, then let a machine attack thousands of them and "
    "see whether the privacy claim survives.",
    prefix="au",
    state=sidebar.Asked,
    study=views.begun,
    presets=examples.read(__file__),
    formulas=lambda shown: [MEMBERSHIP_CARD, *shown.setup.cards],
    data=lambda shown: machine.table(shown.board),
    afterwards=lambda shown, place: machine.advance(shown.board),
    file="audit",
)
