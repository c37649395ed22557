"""Decide: which private learner to use, from public facts only; how small an ε or how few rows are enough."""

from pages.components import examples
from pages.components.page import Page
from pages.your_data.decide import simulation, views
from pages.your_data.decide.asked import State, main

PAGE = Page.of_views(
    views,
    title="Decide",
    sentence="Which learner, which ε, how many rows? Every private learner is ranked by the accuracy it is predicted to reach, from what "
    "is public before there are data: numbers of rows and columns, bounds, budget, and a guess at how hard the task is.",
    prefix="de",
    state=State,
    main=main,
    presets=examples.read(__file__),
    under=views.said,
    follows=lambda asked: ("epsilon",) if asked.ask == "learner" and not simulation.running() else (),
    file="decide",
)
