"""Per-instance privacy: how exposed each row of a data set is to a released regression, and why."""

import streamlit as st

from pages.components import (
    cards,
    data_input,
    export,
    individual_advice,
    individual_details,
    individual_find,
    individual_groups,
    individual_mechanism,
    individual_models,
    individual_story,
    individual_tables,
    individual_views,
    report,
    say,
)
from pages.components.say import md

cards.heading(
    "Per-instance privacy",
    "Find out how much a released ridge regression reveals about each single row of a data set, which rows are most "
    "exposed, and whether it is their leverage or their residual that gives them away.",
)

with st.sidebar:
    dataset = data_input.choose()
    st.divider()
    mechanism, delta = individual_mechanism.choose("pi")

if dataset is None:
    individual_views.no_data(data_input.problem())
    st.stop()

view = individual_views.compute(dataset, mechanism, delta)
if view is None:
    st.stop()
individual_views.metrics(view)
individual_views.assumed(view)
say.caption(md(":material/lock: {}", view.result.confidentiality))
figures, selected = individual_views.charts(view)
row = individual_find.choose(view, selected)


def what_if() -> None:
    individual_details.what_if(view, row)
    individual_details.worst_record(view)


def take() -> None:
    note = view.result.confidentiality
    export.downloads(figures, view.result.frame, "confidential_per_instance_privacy", note=note)
    report.download(dataset, mechanism, view.result, figures)
    export.link()


cards.tabs(
    {
        "Most exposed rows": lambda: individual_tables.exposed_table(view),
        "Why, and what helps": lambda: individual_advice.why(view, row),
        "Subgroups": lambda: individual_groups.by_group(view),
        "Mechanisms side by side": lambda: individual_story.side_by_side(view),
        "Floor at γ → 0": lambda: individual_story.floor(view, row),
        "Other models": lambda: individual_models.show(dataset, mechanism.lam, delta),
        "What to notice": lambda: cards.notice(individual_views.observations(view)),
        "What-if record": what_if,
        "Ingest report": lambda: individual_details.ingest_report(dataset),
        "Formula": lambda: cards.formula_cards([individual_mechanism.card(mechanism)]),
        "Code": lambda: individual_details.code(view),
        "Download and link": take,
    },
    key="pi_tab",
    kept=("Most exposed rows", "What-if record"),
)
