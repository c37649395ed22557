"""Learning limits: what privacy costs on finite classes, and what cannot be learned privately at all."""

import streamlit as st

from pages.components import cards, controls, export, say
from pages.components.page import Page
from pages.understand.learning_limits import descent, finite, packing, presets, sampling, squeeze

VIEWS = {
    "finite": "Finite class",
    "packing": "Packing",
    "sampling": "Sampling",
    "descent": "Gradient descent",
    "convexity": "Convexity",
}
OF_EPSILON = {"finite": finite.chosen, "packing": packing.chosen, "descent": descent.chosen}


def _draw() -> None:
    cards.heading(
        "Learning limits",
        "When is privacy free for a learner, when does it dominate, and which simple tasks can no private learner ever solve? "
        "Choose the numbers and see the argument close, with real private learners beside it.",
    )

    with st.sidebar:
        controls.preset_buttons(presets.PRESETS, key="ll")
        view = say.segmented_control(
            "View", list(VIEWS), format_func=VIEWS.get, default="finite", required=True, key="ll_view",
        )  # fmt: skip
        if view in OF_EPSILON:
            shown = OF_EPSILON[view](controls.log_slider("Privacy loss ε", 0.05, 4.0, 0.5, key="ll_epsilon"))
        else:
            shown = (squeeze if view == "convexity" else sampling).chosen()

    cards.metric_row(shown.metrics())
    figures, data = shown.draw()

    notes, formulas, program, table, take = say.tabs(["What to notice", "Formula", "Code", "Data", "Download and link"])
    with notes:
        cards.notice(shown.observations())
    with formulas:
        cards.formula_cards([shown.card])
    with program:
        cards.code(shown.program())
    with table:
        say.table(data, hide_index=True, height=320)
    with take:
        export.downloads(figures, data, "learning_limits")
        export.link()


PAGE = Page(draw=_draw)
