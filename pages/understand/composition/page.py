"""Composition: what many private steps cost together, by every accountant, always between two certified sides."""

import streamlit as st

from pages.components import cards, controls, export, say
from pages.components.page import Page
from pages.components.say import md
from pages.understand.composition import calibrate, pipeline, presets, views, words
from pages.understand.composition.state import (
    METHODS,
    METHODS_HELP,
    VIEWS,
    CompositionView,
    certify,
    show_first_cards,
    view_controls,
)


def _draw() -> None:
    cards.heading(
        "Composition",
        "Every private answer spends budget. See what a whole pipeline costs, why accountants disagree about it, and where the "
        "truth lies: always between two certified sides.",
    )

    with st.sidebar:
        controls.preset_buttons(presets.PRESETS, key="co", sources=presets.SOURCES)
        view = say.segmented_control(
            "View", list(VIEWS), format_func=VIEWS.get, default="loss",
            required=True, key="co_view",
        )  # fmt: skip
        options = view_controls(view)
        rows = pipeline.builder()
        methods = say.pills(
            "Accountants", list(METHODS), selection_mode="multi",
            default=["pld", "renyi", "advanced", "basic"], format_func=METHODS.get, key="co_methods",
            help=METHODS_HELP,
        )  # fmt: skip
        epsilon = controls.log_slider(md("Look at ε ="), 0.01, 100.0, 1.0, key="co_epsilon")
        delta = controls.delta_slider(md("Look at δ ="), key="co_delta")

    state = CompositionView(view, rows, tuple(methods), epsilon, delta, **options)
    place, progress = st.empty(), st.empty()
    show_first_cards(state, place)
    figures, data = views.draw(state)

    cards.tabs(
        {
            "What to notice": lambda: cards.notice(words.observations(state)),
            "Find the noise": lambda: calibrate.section(state),
            "Formula": lambda: cards.formula_cards(words.formula_cards(state)),
            "Code": lambda: cards.code(words.program(state)),
            "Data": lambda: say.table(data, hide_index=True, height=320),
            "Download and link": lambda: export.take(figures, data, "composition"),
        },
        key="co_tab",
    )
    certify(state, place, progress)


PAGE = Page(draw=_draw)
