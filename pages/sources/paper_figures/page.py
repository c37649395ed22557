"""Figures 1 and 2 of the per-instance privacy paper, computed again with their claims checked."""

from dpcore.learners import AdaOPS
from dpcore.mechanisms import OutputPerturbation, PosteriorSampling
from pages.components import examples
from pages.components.page import Page
from pages.sources.paper_figures import conversion, efficiency, proposition, township, views

PAGE = Page.of_views(
    views,
    title="Figures of the per-instance paper",
    sentence="Recompute a figure with which per-instance privacy was introduced, on a linear Gaussian model of any size, and see "
    "which of their claims, such as six times or an order of magnitude, hold and where they stop to hold.",
    prefix="pf",
    state=views.Settings,
    main=lambda asked: "gamma" if asked.figure == views.FIGURE_2_RIGHT else "sigma",
    study=views.computed,
    presets=examples.read(__file__),
    more=lambda shown: {
        "Further questions": {
            "Proposition 16": lambda: proposition.show(shown.given),
            "From pDP to DP": lambda: conversion.show(shown.given[1:]),
            "Statistical efficiency": efficiency.show,
            "Township": township.show,
        }
    },
    formulas=lambda shown: [OutputPerturbation.card, PosteriorSampling.card, AdaOPS.card],
    follows=lambda asked: ("sigma",) if asked.figure == views.FIGURE_1 and asked.rows > 1 else (),
    file="per_instance_paper_figures",
)
