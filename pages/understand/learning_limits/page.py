"""Learning limits: what privacy costs on finite classes, and what cannot be learned privately at all."""

import streamlit as st

from pages.components import cards, controls, export, say
from pages.understand.learning_limits import presets, views, words

cards.heading(
    "Learning limits",
    "When is privacy free for a learner, when does it dominate, and which simple tasks can no private learner ever solve? "
    "Choose the numbers and see the argument close, with real private learners beside it.",
)

with st.sidebar:
    controls.preset_buttons(presets.PRESETS, key="ll")
    view = say.segmented_control(
        "View", list(views.VIEWS), format_func=views.VIEWS.get, default="finite", required=True, key="ll_view",
        bind="query-params", persist_state="session",
    )  # fmt: skip
    shown = views.choose(view)

views.metrics(shown)
figures, data = views.draw(shown)

notes, formulas, program, table, take = say.tabs(["What to notice", "Formula", "Code", "Data", "Download and link"])
with notes:
    cards.notice(words.observations(shown))
with formulas:
    cards.formula_cards([shown.card])
with program:
    cards.code(words.program(shown))
with table:
    say.table(data, hide_index=True, height=320)
with take:
    export.downloads(figures, data, "learning_limits")
    export.link()
