"""Privacy curves: δ(ε), trade-off curve and Rényi divergence of the same mechanisms."""

from dataclasses import replace

from dpcore.mechanisms import MECHANISMS
from pages.components import examples, say
from pages.components.page import Page
from pages.understand.privacy_curves import views
from pages.understand.privacy_curves.state import State, checked

_sentence = say.sentences(__file__)

PAGE = Page.of_views(
    views,
    title="Privacy curves",
    sentence=_sentence("see_what_one_mechanism"),
    prefix="pc",
    state=State,
    study=checked,
    presets=examples.read(__file__),
    formulas=lambda shown: [MECHANISMS[key].card for key in shown.show],
    offers=lambda shown: {views.POINT: (views.point_decks, PAGE, replace(shown, epsilon=0.0))},
    pointed=views.rings,
    people=views.in_people,
    file="privacy_curves",
)
