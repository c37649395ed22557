"""Output perturbation: train, then add noise as large as one record can move the result."""

import streamlit as st

from dpcore.exhibits.output_perturbation.study import OUTPUT_PERTURBATION_CARD, usable_losses
from pages.components import cards, controls, data_input, export, live, losses, say
from pages.components.page import Page
from pages.components.say import md
from pages.understand.output_perturbation import moving, presets, sweeps, views


def _draw() -> None:
    setup = cards.heading(
        "Output perturbation",
        "Train a model, then add noise as large as one record could have moved it. See why that needs regularisation, how much "
        "noise the classical formula wastes, and where more regularisation stops helping.",
    )

    with st.sidebar:
        controls.preset_buttons(presets.PRESETS, key="out")
        dataset = data_input.choose(setup)
        st.divider()
        epsilon = controls.log_slider("Privacy loss ε", *views.EPSILONS, 1.0, key="out_epsilon")
        delta = controls.delta_slider(key="out_delta")
        lam = controls.log_slider(md("Look at λ ="), *sweeps.LAMBDA_RANGE, 10.0, key="out_lambda")
        rho = controls.log_slider("Bounds may fail with probability ρ", 0.01, 0.5, 0.05, key="out_rho")

    if dataset is None:
        data_input.no_data()
        st.stop()
    with st.sidebar:
        usable = usable_losses(dataset)
        loss = say.selectbox("Loss", usable, format_func=losses.title, key=f"out_loss_{usable[0]}")
        both = say.toggle(
            "Objective perturbation too", key="out_objective",
            help="Noise in the objective, on the same data at the same budget and λ, calibrated by the tight profile.",
        )  # fmt: skip

    found = sweeps.compute(dataset, loss, epsilon, delta, rho)
    if found is None:
        st.stop()
    here = sweeps.looked_at(found, dataset, loss, epsilon, rho, lam)
    views.metrics(found, here, epsilon, delta, lam)
    with st.container(key="confidential"):
        say.caption(md(":material/lock: {}", views.CONFIDENTIAL))
    other = sweeps.objective(dataset, loss, epsilon, delta) if both else None
    figures, data = views.draw(found, lam, other)
    notes = views.observations(found, here, epsilon, lam) + ([views.comparison(found, other)] if other else [])
    follows = moving.offers(dataset, loss, delta, rho, both)

    cards.tabs(
        {
            "What to notice": lambda: cards.notice(notes),
            "Formula": lambda: cards.formula_cards([OUTPUT_PERTURBATION_CARD]),
            "Code": lambda: cards.code(views.program(dataset, loss, epsilon, delta, rho, lam)),
            "Data": lambda: say.table(data, hide_index=True, height=320),
            "Download and link": lambda: export.take(
                figures, data, "confidential_output_perturbation", note=views.CONFIDENTIAL, moves=moving.taken(follows)
            ),
        },
        key="out_tab",
    )
    live.follow(follows, key="out_live")


PAGE = Page(draw=_draw)
