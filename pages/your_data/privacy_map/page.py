"""The map of privacy definitions: which supremum or mean each takes, and its number on one's own data."""

import streamlit as st

from pages.components import cards, data_input, export, glm_release, say
from pages.components.page import Page
from pages.your_data.privacy_map import statements, tabs, views


def _draw() -> None:
    setup = cards.heading(
        "Privacy definitions on a map",
        "See what every variant of differential privacy says about the same release: each takes a supremum, a mean or nothing over "
        "data sets and over records, and the numbers between one person here and the worst case anywhere differ by orders.",
    )

    with st.sidebar:
        dataset = data_input.choose(setup)
        st.divider()
        mechanism, delta = glm_release.choose("pm", dataset)

    if dataset is None:
        data_input.no_data()
        st.stop()
    view = views.compute(dataset, mechanism, delta)
    if view is None:
        st.stop()
    views.metrics(view)
    views.notes(view)
    figure = views.chart(view)

    names = [
        "What to notice", "As odds", "Moments", "pDP for one", "Several releases", "Group of rows", "Generalisation", "Formula",
        "Code", "Data", "Download and link",
    ]  # fmt: skip
    notes, odds, moments, one, several, group, learning, formulas, program, table, take = say.tabs(names, key="pm_tab")
    with notes:
        cards.notice(views.observations(view))
    for tab, show in (
        (odds, statements.odds),
        (moments, statements.moments),
        (one, tabs.for_one),
        (several, tabs.several),
        (group, tabs.group),
        (learning, tabs.learning),
    ):
        if tab.open:
            with tab:
                show(view)
    with formulas:
        cards.formula_cards([glm_release.card(mechanism)])
    with program:
        cards.code(views.program(view))
    with table:
        say.table(views.table(view), hide_index=True)
    with take:
        export.downloads(
            {"Map of definitions": figure}, lambda: views.table(view), "confidential_privacy_map",
            note=f"{view.result.confidentiality} {view.result.said}".rstrip(),
        )  # fmt: skip
        export.link()


PAGE = Page(draw=_draw)
