"""Per-instance privacy: how exposed each row of a data set is to a released regression, and why."""

from pages.components import cards, glm_release
from pages.components.page import Page
from pages.your_data.per_instance import (
    cells,
    comparison,
    details,
    download,
    exact,
    in_people,
    moving,
    publish,
    realised,
    recommendation,
    screen,
    settings,
    tables,
    views,
)

PAGE = Page(
    title="Per-instance privacy",
    sentence="Find out how much a released model reveals about each single row of a data set, which rows are most exposed, and "
    "whether it is because few others look like them or because the model is wrong about them.",
    headline=lambda on: views.headline(on.view),
    prefix="pi",
    state=glm_release.Released,
    study=screen.begun,
    cards=lambda on: views.metrics(on.view),
    under=lambda on: views.assumed(on.view),
    confidential=lambda on: on.view.result.confidentiality,
    body=screen.draw,
    below=screen.look,
    more=lambda on: {
        "Why this row": {
            "Cell by cell": lambda: cells.why(on.view, on.row),
            "Most exposed rows": lambda: tables.exposed_table(on.view),
            "What-if record": lambda: (details.what_if(on.view, on.row), details.worst_record(on.view)),
            "In people": lambda: in_people.show(on.view, on.row),
            "What to notice": lambda: cards.notice(details.observations(on.view)),
        },
        "Decide": {
            "Recommendation": lambda: recommendation.show(on.view),
            "Noise against accuracy": lambda: settings.show(on.view),
            "Mechanisms side by side": lambda: comparison.side_by_side(on.view),
            "Subgroups": lambda: comparison.by_group(on.view),
        },
        "Check": {
            "After a release": lambda: realised.show(on.view),
            "Floor at γ → 0": lambda: comparison.floor(on.view, on.row),
            "Ingest report": lambda: details.ingest_report(on.view.dataset),
            "Formula": lambda: cards.formula_cards([glm_release.card(on.view.result.mechanism)]),
        },
        "Share": {
            "Files and link": lambda: download.take(on.view, on.charts),
            "What may be said": lambda: publish.show(on.view, on.row),
            "Code": lambda: details.code(on.view),
        },
        "Data": None,
    },
    kept=("Most exposed rows", "What-if record"),
    former={
        "Why, and what helps": "Recommendation",
        "Under a target": "Recommendation",
        "Download and link": "Files and link",
    },
    offers=lambda on: moving.offers(on.view),
    taken=lambda offers: None,
    following=lambda on: {"ahead": moving.ahead(on.view), "interrupts": on.view.result.is_expansion},
    afterwards=lambda on, place: exact.fill(on.view, [on.row, *on.selected], on.work),
    on_data=True,
)
