"""Errata: what the sources print, what is right, and a number that shows the difference."""

from pages.components import examples
from pages.components.page import Page
from pages.sources.errata import register, views

PAGE = Page.of_views(
    views,
    title="Errata",
    sentence="Pick a statement that a source prints wrongly, read it beside the corrected one, and see at your own parameters how far "
    "it is from a number computed without either.",
    prefix="er",
    state=views.Chosen,
    main="first",
    presets=examples.read(__file__),
    above=views.place_of,
    under=lambda shown: [shown.record.sentence(shown.numbers), shown.wording.relation.format(shown.record.quantity)],
    more=lambda shown: {"All records": register.table},
    file=lambda shown: f"erratum_{shown.key}",
)
