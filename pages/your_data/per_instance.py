"""Per-instance privacy: how exposed each row of a data set is to a released regression, and why."""

import streamlit as st

from pages.components import (
    cards,
    data_input,
    export,
    individual_details,
    individual_mechanism,
    individual_models,
    individual_story,
    individual_views,
    report,
)

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
st.caption(f":material/lock: {view.result.confidentiality}")
figures, selected = individual_views.charts(view)
individual_views.selection(view, selected)

names = [
    "Most exposed rows", "Why, and what helps", "Subgroups", "Mechanisms side by side", "Floor at γ → 0", "Other models", "What to notice",
    "What-if record", "Ingest report", "Formula", "Code", "Download and link",
]  # fmt: skip
exposed, why, groups, beside, floor, models, notes, what_if, ingest, formulas, program, take = st.tabs(
    names, key="pi_tab", on_change="rerun"
)
with exposed:
    individual_views.exposed_table(view)
if why.open:
    with why:
        individual_story.why(view, selected)
if groups.open:
    with groups:
        individual_story.by_group(view)
if beside.open:
    with beside:
        individual_story.side_by_side(view)
if floor.open:
    with floor:
        individual_story.floor(view)
if models.open:
    with models:
        individual_models.show(dataset, mechanism.lam, delta)
with notes:
    cards.notice(individual_views.observations(view))
with what_if:
    individual_details.what_if(view)
    individual_details.worst_record(view)
with ingest:
    individual_details.ingest_report(dataset)
with formulas:
    cards.formula_cards([individual_mechanism.card(mechanism)])
with program:
    cards.code(individual_details.program(view))
with take:
    export.downloads(figures, view.result.frame, "confidential_per_instance_privacy", note=view.result.confidentiality)
    report.download(dataset, mechanism, view.result, figures)
    export.link()
