"""Objective perturbation: every published bound, the tight profile, and what the difference buys."""

from pages.components import cards, examples, people
from pages.components.page import Page
from pages.understand.objective_perturbation import story
from pages.understand.objective_perturbation.beyond import Beyond
from pages.understand.objective_perturbation.calibration import Calibration
from pages.understand.objective_perturbation.profile import Profile, offers, taken
from pages.understand.objective_perturbation.renyi import Renyi
from pages.understand.objective_perturbation.sampling import Sampled
from pages.understand.objective_perturbation.state import State
from pages.understand.objective_perturbation.stopping import Stopping
from pages.understand.objective_perturbation.variables import Variables
from pages.understand.objective_perturbation.walk import Walk

VIEWS = {
    "profile": Profile, "renyi": Renyi, "stopping": Stopping, "calibration": Calibration, "walk": Walk,
    "variables": Variables, "sampled": Sampled, "beyond": Beyond,
}  # fmt: skip


PAGE = Page.of_views(
    title="Objective perturbation",
    sentence="How private is a model trained on a noisy objective, and how much of that privacy did a published bound miss? Compare it "
    "with the exact worst case, then with every other bound.",
    headline=lambda view: story.headline(view.asked),
    prefix="op",
    state=State,
    main="sigma",
    study=lambda asked: VIEWS[asked.view](asked),
    presets=examples.read(__file__),
    body=lambda view: view.draw(),
    notes=lambda view: [*story.steps(view.asked), *view.notes()],
    more=lambda view: {
        "Formula": lambda: cards.formula_cards(view.formulas()),
        "Theorem and proof": lambda: cards.document("mathematics/tight_profile.md"),
    },
    offers=lambda view: offers(PAGE, view),
    taken=taken,
    people=lambda view: people.told(view.asked.mechanism("tight"), view.asked) if view.asked.view == "profile" else "",
    file="objective_perturbation",
)
