"""Audit: guess by hand whether a record is in the data, then let a machine attack the claim."""

import streamlit as st

from dpcore.audit import MEMBERSHIP_CARD
from pages.components import cards, controls, data_input, export, say
from pages.components.page import Page
from pages.components.say import md
from pages.verify.audit import guess, machine, sidebar, words


def _draw() -> None:
    place = cards.heading(
        "Audit",
        "Is one record in the data or not? Guess from a single released output, then let a machine attack thousands of them and "
        "see whether the privacy claim survives.",
    )

    with st.sidebar:
        controls.preset_buttons(sidebar.PRESETS, key="au")
        setup = sidebar.choose(place)
        chosen = machine.options(setup) if setup is not None else None

    if setup is None:
        data_input.no_data()
        st.stop()

    board = machine.current(setup, chosen)
    game = guess.current(setup)
    cards.metric_row([*guess.score(game), machine.verdict_metric(board)])
    if setup.private:
        say.caption(
            md(
                ":material/lock: Results of an attack on rows of your data are as confidential as the data. Attacked: {}.",
                setup.attacked,
            )
        )
    figures = guess.board(setup, game)
    drawn, data = machine.show(board)
    if setup.table is not None:
        say.caption(md("Known without a run, from both output laws:"))
        say.table(setup.table, hide_index=True)

    cards.tabs(
        {
            "What to notice": lambda: cards.notice(words.observations(setup, board)),
            "Formula": lambda: cards.formula_cards([MEMBERSHIP_CARD, *setup.cards]),
            "Code": lambda: cards.code(words.program(setup, chosen)),
            "Data": lambda: say.table(data, hide_index=True, height=320),
            "Download and link": lambda: export.take(figures | drawn, data, "audit"),
        },
        key="au_tab",
    )
    machine.advance(board)


PAGE = Page(draw=_draw)
