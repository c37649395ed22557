"""Audit: guess by hand whether a record is in the data, then let a machine attack the claim."""

import streamlit as st

from dpcore.audit import CARD
from pages.components import (
    audit_guess,
    audit_machine,
    audit_setup,
    audit_words,
    cards,
    controls,
    data_input,
    export,
    individual_views,
    say,
)
from pages.components.say import md

cards.heading(
    "Audit",
    "Is one record in the data or not? Guess from a single released output, then let a machine attack thousands of them and "
    "see whether the privacy claim survives.",
)

with st.sidebar:
    controls.preset_buttons(audit_setup.PRESETS, key="au")
    setup = audit_setup.choose()
    chosen = audit_machine.options(setup) if setup is not None else None

if setup is None:
    individual_views.no_data(data_input.problem())
    st.stop()

board = audit_machine.current(setup, chosen)
game = audit_guess.current(setup)
cards.metric_row([*audit_guess.score(game), audit_machine.verdict_metric(board)])
if setup.private:
    say.caption(
        md(
            ":material/lock: Results of an attack on rows of your data are as confidential as the data. Attacked: {}.",
            setup.attacked,
        )
    )
figures = audit_guess.board(setup, game)
drawn, data = audit_machine.show(board)
if setup.table is not None:
    say.caption(md("Known without a run, from both output laws:"))
    say.table(setup.table, hide_index=True)

cards.tabs(
    {
        "What to notice": lambda: cards.notice(audit_words.observations(setup, board)),
        "Formula": lambda: cards.formula_cards([CARD, *setup.cards]),
        "Code": lambda: cards.code(audit_words.program(setup, chosen)),
        "Data": lambda: say.table(data, hide_index=True, height=320),
        "Download and link": lambda: export.take(figures | drawn, data, "audit"),
    },
    key="au_tab",
)
audit_machine.advance(board)
