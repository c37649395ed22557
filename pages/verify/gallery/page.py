"""Gallery: every figure and table of the sources drawn again, with a verdict that is computed, and an index of statements."""

import streamlit as st

from pages.components import cards, export, say
from pages.components.page import Page
from pages.verify.gallery import cards_of_figures, statements, words


def _draw() -> None:
    cards.heading(
        "Gallery",
        "See every figure and table of the sources as this package draws it, with the printed numbers on top and a verdict computed "
        "from both; open any of them as a page you can move in, and look up any statement.",
    )

    with st.sidebar:
        source = cards_of_figures.choose()
        if source != cards_of_figures.STATEMENTS:
            kinds = cards_of_figures.verdicts()
            st.divider()
            cards_of_figures.compute_all(source)

    if source == cards_of_figures.STATEMENTS:
        entries = statements.entries()
        statements.show(entries)
        tabs = {
            "What to notice": lambda: cards.notice(words.of_statements(entries)),
            "Code": lambda: cards.code(words.INDEX),
            "Download and link": lambda: export.take({}, lambda: statements.frame(entries), "statements"),
        }
    else:
        found = cards_of_figures.found(source)
        cards_of_figures.metrics(found)
        say.caption(words.PRINTS_NONE)
        cards_of_figures.grid(found, kinds)
        tabs = {
            "What to notice": lambda: cards.notice(words.observations(source, found)),
            "All checks": lambda: say.table(cards_of_figures.table(found), hide_index=True, height=460),
            "Formula": lambda: cards.formula_cards(words.FORMULAS[source]),
            "Code": lambda: cards.code(words.program(found)),
            "Download and link": lambda: export.take(
                cards_of_figures.figures(found), lambda: cards_of_figures.table(found), f"gallery_{source}"
            ),
        }
    cards.tabs(tabs, key="ga_tab")


PAGE = Page(draw=_draw)
