"""Noise augmentation: private training by appended rows, what it realises, and what its guarantee is worth."""

import streamlit as st

from dpcore.errors import DPError
from pages.components import (
    cards,
    controls,
    data_input,
    export,
    napp_presets,
    napp_state,
    napp_views,
    napp_words,
)

cards.heading(
    "Noise augmentation",
    "Train a regularised model privately by appending rows of noise to the data. Watch the rows work, see which regulariser they "
    "really realise, and find out which of the published guarantees survives an exact attack.",
)

with st.sidebar:
    controls.preset_buttons(napp_presets.NOISE_AUGMENTATION, key="na")
    state = napp_state.sidebar()

try:
    if state.data == "upload" and state.case() is None:
        st.info(
            data_input.problem()
            or "Choose a sample, or upload a CSV or Parquet file (Adult, for Fig. 6), in the sidebar."
        )
        st.stop()
    shown = napp_views.draw(state)
except DPError as error:
    st.error(str(error))
    st.stop()
if not state.simulated:
    st.caption(
        ":material/lock: Computed from your data without privacy protection: this picture is as confidential as the data."
    )

notes, checked, formulas, program, table, take = st.tabs(
    ["What to notice", "Claims checked", "Formula", "Code", "Data", "Download and link"]
)
with notes:
    cards.notice(napp_words.observations(state, shown))
with checked:
    if shown.claims:
        if state.view != "study":
            st.caption("At ε = 1 and Λ = 2, for one coefficient under a lasso.")
        st.table(napp_words.claim_table(shown.claims), hide_index=True)
    else:
        st.markdown(
            "Views with statements to check: Regulariser, Is this private?, and Simulations once a part is finished."
        )
with formulas:
    cards.formula_cards(napp_words.formula_cards(state))
with program:
    cards.code(napp_words.program(state))
with table:
    st.dataframe(shown.data, hide_index=True, height=320)
with take:
    export.downloads(
        shown.figures, shown.data, "noise_augmentation" if state.simulated else "confidential_noise_augmentation"
    )
    export.link()
