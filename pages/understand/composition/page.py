"""Composition: what many private steps cost together, by every accountant, always between two certified sides."""

import streamlit as st

from pages.components import (
    cards,
    composition_calibrate,
    composition_presets,
    composition_state,
    composition_views,
    composition_words,
    controls,
    export,
    pipeline,
    say,
)
from pages.components.say import md

cards.heading(
    "Composition",
    "Every private answer spends budget. See what a whole pipeline costs, why accountants disagree about it, and where the "
    "truth lies: always between two certified sides.",
)

with st.sidebar:
    controls.preset_buttons(composition_presets.PRESETS, key="co")
    view = say.segmented_control(
        "View", list(composition_state.VIEWS), format_func=composition_state.VIEWS.get, default="accountants",
        required=True, key="co_view", bind="query-params", persist_state="session",
    )  # fmt: skip
    options = composition_state.view_controls(view)
    rows = pipeline.builder()
    methods = say.pills(
        "Accountants", list(composition_state.METHODS), selection_mode="multi",
        default=["pld", "renyi", "advanced", "basic"], format_func=composition_state.METHODS.get, key="co_methods",
        help=composition_state.METHODS_HELP, bind="query-params", persist_state="session",
    )  # fmt: skip
    epsilon = controls.log_slider(md("Look at ε ="), 0.01, 100.0, 2.0, key="co_epsilon")
    delta = controls.delta_slider(md("Look at δ ="), key="co_delta")

state = composition_state.State(view, rows, tuple(methods), epsilon, delta, **options)
composition_state.metrics(state)
figures, data = composition_views.draw(state)

cards.tabs(
    {
        "What to notice": lambda: cards.notice(composition_words.observations(state)),
        "Find the noise": lambda: composition_calibrate.section(state),
        "Formula": lambda: cards.formula_cards(composition_words.formula_cards(state)),
        "Code": lambda: cards.code(composition_words.program(state)),
        "Data": lambda: say.table(data, hide_index=True, height=320),
        "Download and link": lambda: export.take(figures, data, "composition"),
    },
    key="co_tab",
)
