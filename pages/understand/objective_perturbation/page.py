"""Objective perturbation: every published bound, the tight profile, and what the difference buys."""

import streamlit as st

from pages.components import cards, controls, export, live, say
from pages.components.page import Page
from pages.components.say import md
from pages.understand.objective_perturbation import moving, presets, sampling, stopping, story, variables, views, words
from pages.understand.objective_perturbation.plan import CalibrationTarget, plan_controls


def _draw() -> None:
    cards.heading(
        "Objective perturbation",
        "How private is a model trained on a noisy objective, and how much of that privacy did the published bounds miss? Compare "
        "them all with the exact worst case.",
    )

    with st.sidebar:
        controls.preset_buttons(presets.PRESETS, key="op", sources=presets.SOURCES)
        view = say.segmented_control(
            "View", list(views.VIEWS), format_func=views.VIEWS.get, default="profile", required=True,
            key="op_view", former=views.FORMER,
        )  # fmt: skip
        plan = plan_controls() if view == "calibration" else CalibrationTarget()
        place = variables.choose() if view == "variables" else (0.5, 0.5)
        rate = sampling.choose() if view == "sampled" else 0.1
        tau, sigma_out = stopping.choose() if view == "stopping" else (0.01, 0.15)
        sigma = controls.log_slider("Noise σ", *views.RANGES["sigma"], 10.0, key="op_sigma")
        lam = controls.log_slider("Regularisation λ", *views.RANGES["lam"], 5.0, key="op_lambda")
        beta = controls.log_slider(
            "Smoothness β", 0.01, 10.0, 1.0, key="op_beta", help="Curvature of one record's loss: f″R² ≤ β"
        )
        lipschitz = controls.log_slider(
            "Lipschitz constant L", 0.1, 10.0, 1.0, key="op_lipschitz", help=md("|f′|R ≤ L")
        )
        monotone = say.toggle(
            "Loss is monotone", value=True, key="op_monotone",
            help="The derivative keeps one sign for each record, as in logistic regression and the smoothed hinge.",
        )  # fmt: skip
        sharper = say.toggle(
            "Sharper log term", key="op_sharper",
            help=md("log(1 + β/λ) in place of the published −log(1 − β/λ), in Theorems 3.1, 3.2, C.1 and E.1: valid for any λ."),
        )  # fmt: skip
        shown = say.pills(
            "Bounds", list(views.BOUNDS), selection_mode="multi", default=views.DEFAULT_BOUNDS,
            format_func=views.BOUNDS.get, key="op_show",
            help=views.BOUNDS_HELP,
        )  # fmt: skip
        dimension = 1
        if view == "beyond" or set(views.USE_DIMENSION) & set(shown):
            dimension = controls.count_slider(md("Parameters d (lecture, C.1, E.1)"), 1000, 10, key="op_dimension")
        delta = controls.delta_slider(md("Look at δ ="), key="op_delta")
        epsilon, epsilon_max = 0.5, 1.0
        if view != "variables":
            epsilon = controls.linear_slider(md("Look at ε ="), 0.0, 8.0, epsilon, step=0.05, key="op_epsilon")
            epsilon_max = controls.log_slider("ε axis up to", 0.1, 20.0, epsilon_max, key="op_epsilon_max")

    state = views.ObjectiveView(
        sigma, lam, beta, lipschitz, monotone, sharper, dimension, tuple(shown), epsilon, delta, epsilon_max, plan,
        tau, sigma_out, place, rate,
    )  # fmt: skip
    story.tell(state)
    if view == "stopping" and (why := stopping.too_early(state)):
        say.error(why)
        st.stop()
    story.answers(view, state)
    figures, data = story.draw(view, state)
    follows = moving.offers(view, state)

    cards.tabs(
        {
            "What to notice": lambda: cards.notice(words.observations(view, state)),
            "Formula": lambda: cards.formula_cards(words.formula_cards(view, state)),
            "Theorem and proof": lambda: cards.document("mathematics/tight_profile.md", key="op_proof"),
            "Code": lambda: cards.code(words.program(view, state)),
            "Data": lambda: say.table(data, hide_index=True, height=320),
            "Download and link": lambda: export.take(
                figures, data, "objective_perturbation", moves=moving.taken(follows)
            ),
        },
        key="op_tab",
    )
    live.follow(follows, key="op_live")


PAGE = Page(draw=_draw)
