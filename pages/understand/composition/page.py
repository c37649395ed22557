"""Composition: what many private steps cost together, by every accountant, always between two certified sides."""

from pages.components import examples
from pages.components.page import Page
from pages.understand.composition import calibrate, views, words
from pages.understand.composition.state import Shown, State, certify, headline, metrics

PAGE = Page(
    title="Composition",
    sentence="Every private answer spends budget. See what a whole pipeline costs, why accountants disagree about it, and where the "
    "truth lies: always between two certified sides.",
    headline=lambda shown: headline(shown.asked),
    prefix="co",
    state=State,
    study=Shown,
    presets=examples.read(__file__),
    main=lambda asked: "runs" if asked.view == "loss" else "",
    plays=lambda shown: shown.asked.view == "loss",
    cards=lambda shown: metrics(shown.asked),
    under=views.said,
    figures=lambda shown: views.loss_charts(shown.asked),
    body=views.draw,
    notes=lambda shown: words.observations(shown.asked),
    more=lambda shown: {"Find the noise": lambda: calibrate.section(shown.asked)},
    formulas=lambda shown: words.formula_cards(shown.asked),
    program=lambda shown: words.program(shown.asked),
    data=lambda shown: shown.data,
    people=lambda shown: shown.asked.in_people(),
    follows=lambda asked: ("runs", "false_alarms", "prior") if asked.view == "loss" else (),
    afterwards=lambda shown, cards: certify(shown.asked, cards),
    file="composition",
)
