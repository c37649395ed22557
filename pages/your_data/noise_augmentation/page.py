"""Noise augmentation: private training by appended rows, what it realises, and what its guarantee is worth."""

import streamlit as st

from dpcore.errors import DPError
from pages.components import cards, controls, data_input, export, say
from pages.components.page import Page
from pages.components.say import md
from pages.your_data.noise_augmentation import presets, views, words
from pages.your_data.noise_augmentation.program import program
from pages.your_data.noise_augmentation.state import sidebar


def _draw() -> None:
    setup = cards.heading(
        "Noise augmentation",
        "Train a regularised model privately by appending rows of noise to the data. Watch the rows work, see which regulariser they "
        "really realise, and find out which of the published guarantees survives an exact attack.",
    )

    with st.sidebar:
        controls.preset_buttons(presets.PRESETS, key="na", sources=presets.SOURCES)
        state = sidebar(setup)

    try:
        if state.data == "upload" and state.case() is None:
            say.info(
                data_input.problem()
                or "Choose a sample, or upload a CSV or Parquet file (Adult, for Fig. 6), in the sidebar."
            )
            st.stop()
        shown = views.draw(state)
    except DPError as error:
        say.error(str(error))
        st.stop()
    if not state.simulated:
        say.caption(
            md(
                ":material/lock: Computed from your data without privacy protection: this picture is as confidential as the data."
            )
        )

    def checked() -> None:
        if not shown.claims:
            say.markdown(
                "Views with statements to check: Regulariser, Is this private?, and Simulations once a part is finished."
            )
            return
        if state.view != "study":
            say.caption("At ε = 1 and Λ = 2, for one coefficient under a lasso.")
        say.prose_table(words.claim_table(shown.claims), hide_index=True)

    name = "noise_augmentation" if state.simulated else "confidential_noise_augmentation"
    cards.tabs(
        {
            "What to notice": lambda: cards.notice(words.observations(state, shown)),
            "Claims checked": checked,
            "Formula": lambda: cards.formula_cards(words.formula_cards(state)),
            "Code": lambda: cards.code(program(state)),
            "Data": lambda: say.table(shown.data, hide_index=True, height=320),
            "Download and link": lambda: export.take(shown.figures, shown.data, name),
        },
        key="na_tab",
    )


PAGE = Page(draw=_draw)
