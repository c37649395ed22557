"""The map of privacy definitions: which supremum or mean each takes, and its value on the reader's own data."""

from pages.components import glm_release
from pages.components.page import Page
from pages.your_data.privacy_map import moving, tabs, views

PAGE = Page.of_views(
    views,
    title="Privacy definitions on a map",
    sentence="See what every variant of differential privacy says about the same release: each takes a supremum, a mean or nothing over "
    "data sets and over records, and the numbers between one person here and the worst case anywhere differ by orders.",
    prefix="pm",
    state=glm_release.InFewSteps,
    study=views.computed,
    under=lambda view: filter(None, [view.result.said]),
    confidential=lambda view: view.result.confidentiality,
    more=lambda view: {
        "Further questions": {
            "As odds": lambda: tabs.odds(view),
            "Moments": lambda: tabs.moments(view),
            "pDP for one": lambda: tabs.for_one(view),
            "Several releases": lambda: tabs.several(view),
            "Group of rows": lambda: tabs.group(view),
            "Generalisation": lambda: tabs.learning(view),
        },
    },
    formulas=lambda view: [glm_release.card(view.result.mechanism)],
    offers=lambda view: moving.offers(PAGE, view),
    taken=lambda offers: None,
    on_data=True,
    file="privacy_map",
)
