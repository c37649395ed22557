"""Learn: short lessons in order. Each asks a question to guess at before it draws the answer's curve."""

from dpcore.profiles.curves import table
from pages.components.page import Page
from pages.understand.learn import progress, views

PAGE = Page.of_views(
    views,
    title="Learn",
    sentence="Eight lessons: guess first, then see the curve and what it means.",
    prefix="learn",
    state=progress.State,
    study=views.Lecture,
    above=lambda shown: views.lesson(PAGE, shown),
    body=lambda shown: [shown.chart],
    notes=lambda shown: [shown.lesson.more, shown.lesson.notice],
    formulas=lambda shown: [shown.lesson.card],
    program=lambda shown: shown.lesson.code.format(value=shown.state.answer),
    data=lambda shown: table(list(shown.reading.curves), "x", "y"),
    offers=lambda shown: views.offers(PAGE, shown),
    taken=views.taken,
    file=lambda shown: f"lesson_{shown.state.key}",
)
