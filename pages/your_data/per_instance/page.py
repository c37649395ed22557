"""Per-instance privacy: how exposed each row of a data set is to a released regression, and why."""

import streamlit as st

from pages.components import cards, data_input, export, glm_release, live
from pages.components.page import Page
from pages.your_data.per_instance import (
    advice,
    comparison,
    details,
    download,
    exact,
    find,
    groups,
    moving,
    noticed,
    persons,
    publish,
    realised,
    settings,
    tables,
    views,
)


def _draw() -> None:
    setup = cards.heading(
        "Per-instance privacy",
        "Find out how much a released model reveals about each single row of a data set, which rows are most exposed, and "
        "whether it is because few others look like them or because the model is wrong about them.",
    )

    with st.sidebar:
        dataset = data_input.choose(setup)
        st.divider()
        mechanism, delta = glm_release.choose("pi", dataset)

    if dataset is None:
        data_input.no_data()
        st.stop()

    view = views.compute(dataset, mechanism, delta)
    if view is None:
        st.stop()
    views.metrics(view)
    views.assumed(view)
    persons.show(view)
    figures, selected = views.charts(view)
    work = exact.strip(view)
    row = find.choose(view, selected)

    def take() -> None:
        note = f"{view.result.confidentiality} {view.best.said}".rstrip()
        export.downloads(figures, lambda: view.best.frame(), "confidential_per_instance_privacy", note=note)
        download.report(view, figures)
        export.link()

    cards.tabs(
        {
            "Most exposed rows": lambda: tables.exposed_table(view),
            "Why, and what helps": lambda: advice.why(view, row),
            "Noise against accuracy": lambda: settings.show(view),
            "Subgroups": lambda: groups.by_group(view),
            "Mechanisms side by side": lambda: comparison.side_by_side(view),
            "Floor at γ → 0": lambda: comparison.floor(view, row),
            "After a release": lambda: realised.show(view),
            "What to notice": lambda: cards.notice(noticed.observations(view)),
            "What-if record": lambda: (details.what_if(view, row), details.worst_record(view)),
            "Ingest report": lambda: details.ingest_report(dataset),
            "Formula": lambda: cards.formula_cards([glm_release.card(mechanism)]),
            "Code": lambda: details.code(view),
            "What may be said": lambda: publish.show(view, row),
            "Download and link": take,
        },
        key="pi_tab",
        kept=("Most exposed rows", "What-if record"),
    )
    offers, ahead = moving.offers(view), moving.ahead(view)
    live.follow(offers, key="pi_live", ahead=ahead, interrupts=view.result.is_expansion)
    exact.fill(view, [row, *selected], work)


PAGE = Page(draw=_draw)
