"""Errata: what the sources print, what is right, and a number that shows the difference."""

import streamlit as st

from pages.components import cards, controls, export, say
from pages.components.say import md
from pages.verify.errata import views

cards.heading(
    "Errata",
    "Pick a formula that a source prints wrongly, read it beside the corrected one, and see at your own parameters how far "
    "the printed form is from a number computed without either.",
)

with st.sidebar:
    controls.preset_buttons(views.PRESETS, key="er")
    record = views.choose()
    st.divider()
    values = views.parameters(record)

found = views.demonstrate(record, values)
views.formulas(record)
say.markdown(md("**{}** {}", record.sentence(found), record.matters))
figures, data = views.chart(record, values)

notes, formulas, program, table, register, take = say.tabs(
    ["What to notice", "Formula", "Code", "Data", "All records", "Download and link"]
)
with notes:
    cards.notice(views.observations(record, found))
with formulas:
    cards.formula_cards([views.card(record)])
with program:
    cards.code(views.program(record, values))
with table:
    say.table(data, hide_index=True, height=320)
with register:
    say.table(views.register(), hide_index=True, height=420)
with take:
    export.downloads(figures, data, f"erratum_{record.key}")
    export.link()
