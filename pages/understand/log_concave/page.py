"""Log-concave pairs: the Gaussian that dominates every pair of strongly log-concave densities."""

import streamlit as st

from dpcore.exhibits.log_concave.pair import LogConcavePair
from pages.components import cards, controls, export, live, say
from pages.components.say import md
from pages.understand.log_concave import moving, presets, views

cards.heading(
    "Log-concave pairs",
    "Why does a sampler from a curved density hide one record as well as Gaussian noise does? Choose or draw two densities "
    "and see their exact privacy curve stay under the theorem's, and when it touches.",
)

with st.sidebar:
    controls.preset_buttons(presets.PRESETS, key="lc")
    pair = views.pair_controls()
    st.divider()
    epsilon = controls.linear_slider(md("Look at ε ="), 0.0, 5.0, 0.5, step=0.05, key="lc_epsilon")
    epsilon_max = controls.log_slider("ε axis up to", 0.5, 20.0, 4.0, key="lc_epsilon_max")

if pair.theorem is None:
    say.info(
        "Both potentials are equal, so the two densities cannot be told apart at all: choose or draw two different shapes."
    )
    views.equal(pair)
    st.stop()

views.metrics(pair, epsilon)
figures, data = views.draw(pair, epsilon_max)
follows = moving.offers(pair, epsilon_max)

more = views.more_title(pair)
cards.tabs(
    {
        "What to notice": lambda: cards.notice(views.observations(pair, epsilon)),
        more: lambda: views.more(pair, figures),
        "Formula": lambda: cards.formula_cards([LogConcavePair.card]),
        "Code": lambda: cards.code(views.program(pair, epsilon)),
        "Data": lambda: say.table(data, hide_index=True, height=320),
        "Download and link": lambda: export.take(figures, data, "log_concave", moves=moving.taken(follows)),
    },
    key=f"lc_tab_{more}",
)
live.follow(follows, key="lc_live")
