"""Figures 1 and 2 of the per-instance privacy paper, computed again with their claims checked."""

import streamlit as st

from dpcore.exhibits.paper_figures.study import NEAR_D, NEAR_N, NEAR_NOISE, NEAR_SEED, paper_figures
from dpcore.learners import AdaOPS
from dpcore.mechanisms import OutputPerturbation, PosteriorSampling
from pages.components import cache, cards, controls, export, say
from pages.components.page import Page
from pages.your_data.paper_figures import conversion, efficiency, proposition, township, views


def _draw() -> None:
    cards.heading(
        "Figures of the per-instance paper",
        "Recompute the figures with which per-instance privacy was introduced, on a linear Gaussian model of any size, and see "
        "which of their claims, such as six times or an order of magnitude, hold and where they stop to hold.",
    )

    with st.sidebar:
        n = controls.count_slider("Rows n", 10_000, NEAR_N, key="pf_n")
        d = controls.count_slider("Columns d", 30, NEAR_D, key="pf_d")
        noise = controls.log_slider("Noise of the model", 0.01, 1.0, NEAR_NOISE, key="pf_noise")
        seed = controls.linear_slider("Seed", 0, 20, NEAR_SEED, step=1, key="pf_seed")
        controls.preset_buttons(
            {
                "Near the printed ratios": {
                    "pf_n": NEAR_N,
                    "pf_d": NEAR_D,
                    "pf_noise": NEAR_NOISE,
                    "pf_seed": NEAR_SEED,
                },
                "Few rows": {"pf_n": 100, "pf_d": 5},
                "A thousand rows": {"pf_n": 1000, "pf_d": 10},
                "Many rows": {"pf_n": 10000, "pf_d": 10},
            },
            key="pf",
            sources={
                "Near the printed ratios": "The paper prints no n, d or seed: sizes at which Figure 1's two ratios come out."
            },
        )

    if n < 2:
        say.info("A data set needs at least two rows: raise n.")
        st.stop()
    with say.spinner("Computing both figures", show_time=True):
        found = cache.kept(paper_figures, n, d, noise, seed)
    views.metrics(found)
    figures = views.charts(found)

    program = views.PROGRAM.format(n=n, d=d, noise=noise, seed=seed)
    cards.tabs(
        {
            "What to notice": lambda: cards.notice(views.observations(found)),
            "Proposition 16": lambda: proposition.show((n, d, noise, seed)),
            "From pDP to DP": lambda: conversion.show((d, noise, seed)),
            "Statistical efficiency": efficiency.show,
            "Township": township.show,
            "Formula": lambda: cards.formula_cards([OutputPerturbation.card, PosteriorSampling.card, AdaOPS.card]),
            "Code": lambda: cards.code(program),
            "Data": lambda: say.table(views.table(found), hide_index=True),
            "Download and link": lambda: export.take(figures, lambda: views.table(found), "per_instance_paper_figures"),
        },
        key="pf_tab",
    )


PAGE = Page(draw=_draw)
