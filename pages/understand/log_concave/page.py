"""Log-concave pairs: the Gaussian that dominates every pair of strongly log-concave densities."""

import streamlit as st

from dpcore.studies.log_concave.pair import LogConcavePair
from pages.components import cards, controls, export, learning_presets, log_concave_views, say
from pages.components.say import md

cards.heading(
    "Log-concave pairs",
    "Why does a sampler from a curved density hide one record as well as Gaussian noise does? Choose or draw two densities "
    "and see their exact privacy curve stay under the theorem's, and when it touches.",
)

with st.sidebar:
    controls.preset_buttons(learning_presets.LOG_CONCAVE, key="lc")
    pair = log_concave_views.pair_controls()
    st.divider()
    epsilon = controls.linear_slider(md("Look at ε ="), 0.0, 5.0, 0.5, step=0.05, key="lc_epsilon")
    direction = say.segmented_control(
        "Direction", list(log_concave_views.DIRECTIONS), format_func=log_concave_views.DIRECTIONS.get, default="add",
        required=True, key="lc_direction", bind="query-params", persist_state="session",
    )  # fmt: skip
    epsilon_max = controls.log_slider("ε axis up to", 0.5, 20.0, 4.0, key="lc_epsilon_max")

if pair.theorem is None:
    say.info(
        "Both potentials are equal, so the two densities cannot be told apart at all: choose or draw two different shapes."
    )
    log_concave_views.equal(pair)
    st.stop()

log_concave_views.metrics(pair, epsilon, direction)
figures, data = log_concave_views.draw(pair, epsilon_max, direction)

more = log_concave_views.more_title(pair)
cards.tabs(
    {
        "What to notice": lambda: cards.notice(log_concave_views.observations(pair, epsilon, direction)),
        more: lambda: log_concave_views.more(pair, figures),
        "Formula": lambda: cards.formula_cards([LogConcavePair.card]),
        "Code": lambda: cards.code(log_concave_views.program(pair, epsilon, direction)),
        "Data": lambda: say.table(data, hide_index=True, height=320),
        "Download and link": lambda: export.take(figures, data, "log_concave"),
    },
    key=f"lc_tab_{more}",
)
