"""The map of privacy definitions: which supremum or mean each takes, and its number on one's own data."""

import streamlit as st

from pages.components import cards, data_input, export, individual_mechanism, individual_views, map_tabs, map_views, say
from pages.components.say import md

cards.heading(
    "Privacy definitions on a map",
    "See what every variant of differential privacy says about the same release: each takes a supremum, a mean or nothing over "
    "data sets and over records, and the numbers between one person here and the worst case anywhere differ by orders.",
)

with st.sidebar:
    dataset = data_input.choose()
    st.divider()
    mechanism, delta = individual_mechanism.choose("pm")

if dataset is None:
    individual_views.no_data(data_input.problem())
    st.stop()
view = map_views.compute(dataset, mechanism, delta)
if view is None:
    st.stop()
map_views.metrics(view)
say.caption(md(":material/lock: {}", view.result.confidentiality))
figure = map_views.chart(view)

names = [
    "What to notice", "pDP for one", "Several releases", "Group of rows", "Generalisation", "Formula", "Code", "Data",
    "Download and link",
]  # fmt: skip
notes, one, several, group, learning, formulas, program, table, take = say.tabs(names, key="pm_tab", on_change="rerun")
with notes:
    cards.notice(map_views.observations(view))
for tab, show in (
    (one, map_tabs.for_one),
    (several, map_tabs.several),
    (group, map_tabs.group),
    (learning, map_tabs.learning),
):
    if tab.open:
        with tab:
            show(view)
with formulas:
    cards.formula_cards([individual_mechanism.card(mechanism)])
with program:
    cards.code(map_views.program(view))
with table:
    say.table(map_views.table(view), hide_index=True)
with take:
    export.downloads(
        {"Map of definitions": figure}, lambda: map_views.table(view), "confidential_privacy_map",
        note=view.result.confidentiality,
    )  # fmt: skip
    export.link()
