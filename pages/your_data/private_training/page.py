"""Private training: what accuracy a privacy budget buys, live and as a study, and what the solvers cost."""

import streamlit as st

from pages.components import (
    cards,
    controls,
    data_input,
    export,
    say,
    training_data,
    training_live,
    training_solvers,
    training_study,
    training_words,
)
from pages.components.say import md

VIEWS = {"live": "Live", "study": "Study", "solvers": "Solvers"}
cards.heading(
    "Private training",
    "What accuracy does a privacy budget buy? Move ε, the noise or the number of rows and watch a hundred private fits, then compare "
    "learners over many splits without tuning anything on the data.",
)

with st.sidebar:
    controls.preset_buttons(training_words.PRESETS, key="tr")
    view = say.segmented_control(
        "View", list(VIEWS), format_func=VIEWS.get, default="live", required=True, key="tr_view",
        bind="query-params", persist_state="session",
    )  # fmt: skip
    delta = controls.delta_slider("Failure probability δ", key="tr_delta")
    dataset, loss, shown = None, "logistic", None
    if view == "solvers":
        largest, budget = training_solvers.choices()
    else:
        dataset, loss = training_data.choose()
    if dataset is not None:
        shown = training_data.guarded(training_live if view == "live" else training_study, dataset, loss, delta)

if view != "solvers" and shown is None:
    message = data_input.problem()
    (say.error if message else say.info)(message or training_data.advice())
    st.stop()

training_data.leaks(dataset)
result = None
if view == "live":
    result = training_live.compute(shown)
    if result is None:
        st.stop()
    training_live.metrics(shown, result)
    say.caption(md(":material/lock: {}", training_live.CONFIDENTIAL))
    figures, data = training_live.draw(result)
    said, code = training_words.live_observations(shown, result), training_live.program(shown)
elif view == "study":
    figures, data = training_study.section(shown)
    said, code = training_words.study_observations(shown), training_words.study_program(shown)
else:
    figures, data, said = training_solvers.section(largest, budget, delta)
    said, code = said or training_words.DECISIONS, training_words.SOLVER_PROGRAM

cards.tabs(
    {
        "What to notice": lambda: cards.notice(said),
        "Excess risk": lambda: training_live.risk(figures),
        "Formula": lambda: cards.formula_cards(training_words.formula_cards(view, shown)),
        "Code": lambda: cards.code(code),
        "Data": lambda: say.table(data, hide_index=True, height=320),
        "Download and link": lambda: export.take(
            figures, data, "confidential_private_training", note=training_live.CONFIDENTIAL
        ),
    },
    key="tr_tab",
)
