"""Gallery: every figure and table of the sources drawn again, with a computed verdict, and an index of statements."""

from dpcore.exhibits.gallery import PAPERS
from pages.components.page import Page
from pages.sources.gallery import cards_of_figures, statements

PAGE = Page.of_views(
    title="Gallery",
    sentence="See every figure and table of the sources as this package draws it, with the printed numbers on top and a verdict computed "
    "from both; open any of them as a page you can move in, and look up any statement.",
    above=lambda shown: statements.entries(),
    prefix="ga",
    state=cards_of_figures.Asked,
    study=lambda asked: cards_of_figures.Wall(asked) if asked.source in PAPERS else statements.Index(asked.source),
    under=lambda shown: [shown.under],
    body=lambda shown: shown.draw(),
    formulas=lambda shown: shown.formulas,
    more=lambda shown: shown.further(),
    file=lambda shown: shown.file,
)
