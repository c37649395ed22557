"""Exponential mechanism: outputs drawn from a landscape that the data shape and ε sharpens."""

import streamlit as st

from pages.components import cards, controls, export, live, say
from pages.components.say import md
from pages.understand.exponential_mechanism import moving, presets, views, words

cards.heading(
    "Exponential mechanism",
    "Instead of adding noise to an answer, draw the answer itself: good ones often, bad ones rarely. Watch the draws gather "
    "as ε grows, and compare their loss with what the theorems allow.",
)

with st.sidebar:
    controls.preset_buttons(presets.PRESETS, key="em")
    view = say.segmented_control(
        "View", list(views.VIEWS), format_func=views.VIEWS.get, default="line", required=True,
        key="em_view",
        help=md("1-D: private median on [−1, 1]. 2-D: private logistic classifier in the unit disc. Finite list: thresholds."),
    )  # fmt: skip
    epsilon = controls.log_slider("Privacy loss ε", *views.EPSILONS, 1.0, key="em_epsilon")
    delta = controls.delta_slider(key="em_delta") if view != "finite" else 1e-5
    stumps = view == "finite" and say.toggle(
        "Decision stumps of real data", key="em_stumps",
        help="Breast cancer diagnosis: every column, threshold and sign, instead of thresholds of invented records.",
    )  # fmt: skip
    n = 100 if stumps else controls.count_slider("Records n", 1000, 100, key="em_n", low=10)
    centre, noise, hypotheses, draws, seed = 0.3, 0.1, 100, 200, 1
    if view == "line":
        centre = controls.linear_slider("Centre of the records", -1.0, 1.0, 0.3, step=0.05, key="em_centre")
    elif not stumps:
        noise = controls.linear_slider("Share of wrong labels", 0.0, 0.5, 0.1, step=0.05, key="em_noise")
    if stumps:
        hypotheses = 60 * controls.count_slider("Thresholds per column", 50, 20, key="em_points")
    elif view == "finite":
        hypotheses = controls.count_slider(md("Classifiers in the list |H|"), 1000, 100, key="em_hypotheses", low=10)
    else:
        draws = controls.count_slider("Draws shown", 1000, 200, key="em_draws", low=10)
        seed = views.rain_number()

state = views.ExponentialView(view, epsilon, delta, n, centre, noise, hypotheses, draws, seed, stumps)
views.metrics(state)
figures, data = views.draw(state)
follows = moving.offers(state)


def notes() -> None:
    cards.notice(words.observations(state))
    if view != "finite":
        views.dimension_chart(state)


cards.tabs(
    {
        "What to notice": notes,
        "Sampler": lambda: views.sampler(state),
        "Formula": lambda: cards.formula_cards(state.cards),
        "Code": lambda: cards.code(words.program(state)),
        "Data": lambda: say.table(data, hide_index=True, height=320),
        "Download and link": lambda: export.take(figures, data, "exponential_mechanism", moves=moving.taken(follows)),
    },
    key="em_tab",
)
live.follow(follows, key="em_live")
