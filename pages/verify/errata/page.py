"""Errata: what the sources print, what is right, and a number that shows the difference."""

import streamlit as st

from pages.components import cards, controls, export, say
from pages.components.page import Page
from pages.components.say import md
from pages.verify.errata import register, views


def _draw() -> None:
    cards.heading(
        "Errata",
        "Pick a statement that a source prints wrongly, read it beside the corrected one, and see at your own parameters how far "
        "it is from a number computed without either.",
    )

    with st.sidebar:
        controls.preset_buttons(views.PRESETS, key="er")
        record = views.choose()
        st.divider()
        values = views.parameters(record)

    views.title(record)
    views.formulas(record)
    found = views.demonstrate(record, values)
    say.markdown(md("**{}** {}", record.sentence(found), record.matters))
    figures, data = views.chart(record, values)

    cards.tabs(
        {
            "What to notice": lambda: cards.notice(views.observations(record, found)),
            "All records": register.table,
            "Formula": lambda: cards.formula_cards([views.card(record)]),
            "Code": lambda: cards.code(views.program(record, values)),
            "Data": lambda: say.table(data, hide_index=True, height=320),
            "Download and link": lambda: export.take(figures, data, f"erratum_{record.key}"),
        },
        key="er_tab",
    )


PAGE = Page(draw=_draw)
