"""Private training: what accuracy a privacy budget buys, live and as a study, and what the solvers cost."""

import streamlit as st

from pages.components import cards, controls, data_input, export, say
from pages.components.page import Page
from pages.components.say import md
from pages.your_data.private_training import live, solvers, sources, study, words

VIEWS = {"live": "Live", "study": "Study", "solvers": "Solvers"}


def _draw() -> None:
    setup = cards.heading(
        "Private training",
        "What accuracy does a privacy budget buy? Move ε, the noise or the number of rows and watch a hundred private fits, then compare "
        "learners over many splits without tuning anything on the data.",
    )

    with st.sidebar:
        controls.preset_buttons(words.PRESETS, key="tr", sources=words.SOURCES)
        view = say.segmented_control(
            "View", list(VIEWS), format_func=VIEWS.get, default="live", required=True, key="tr_view",
        )  # fmt: skip
        dataset, loss, shown = None, "logistic", None
        if view == "solvers":
            largest, budget = solvers.choices()
        else:
            dataset, loss = sources.choose(setup)
        if view == "solvers" or dataset is not None:
            delta = controls.delta_slider(key="tr_delta")
        if dataset is not None:
            shown = sources.guarded(live if view == "live" else study, dataset, loss, delta)

    if view != "solvers" and shown is None:
        message = data_input.problem()
        (say.error if message else say.info)(message or sources.advice())
        st.stop()

    sources.leaks(dataset)
    result = None
    if view == "live":
        result = live.compute(shown)
        if result is None:
            st.stop()
        live.metrics(shown, result)
        say.caption(md(":material/lock: {}", live.CONFIDENTIAL))
        figures, data = live.draw(result)
        said, code = words.live_observations(shown, result), live.program(shown)
    elif view == "study":
        figures, data = study.section(shown)
        said, code = words.study_observations(shown), words.study_program(shown)
    else:
        figures, data, said = solvers.section(largest, budget, delta)
        said, code = said or words.DECISIONS, words.SOLVER_PROGRAM

    cards.tabs(
        {
            "What to notice": lambda: cards.notice(said),
            "Excess risk": lambda: live.risk(figures),
            "Formula": lambda: cards.formula_cards(words.formula_cards(view, shown)),
            "Code": lambda: cards.code(code),
            "Data": lambda: say.table(data, hide_index=True, height=320),
            "Download and link": lambda: export.take(
                figures, data, "confidential_private_training", note=live.CONFIDENTIAL
            ),
        },
        key="tr_tab",
    )


PAGE = Page(draw=_draw)
