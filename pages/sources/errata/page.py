"""Errata: what the sources print, what is right, and a number that shows the difference."""

from pages.components import examples
from pages.components.page import Page
from pages.sources.errata import register, views

PAGE = Page(
    title="Errata",
    sentence="Pick a statement that a source prints wrongly, read it beside the corrected one, and see at your own parameters how far "
    "it is from a number computed without either.",
    headline=views.headline,
    prefix="er",
    state=views.Chosen,
    main="first",
    presets=examples.read(__file__),
    above=views.place_of,
    cards=views.metrics,
    under=lambda shown: [shown.record.sentence(shown.numbers), shown.wording.relation.format(shown.record.quantity)],
    body=views.body,
    notes=views.observations,
    more=lambda shown: {"All records": register.table},
    formulas=views.formulas,
    program=views.program,
    data=views.table,
    file=lambda shown: f"erratum_{shown.key}",
)
