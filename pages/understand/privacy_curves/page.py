"""Privacy curves: δ(ε), trade-off and Rényi views of the same mechanisms, side by side."""

from dataclasses import replace

from dpcore.mechanisms import MECHANISMS
from pages.components import examples
from pages.components.page import Page
from pages.components.say import md
from pages.understand.privacy_curves import views
from pages.understand.privacy_curves.state import State, checked

PAGE = Page(
    title="Privacy curves",
    sentence=md(
        "See what one mechanism promises in three languages at once — δ(ε), the trade-off between an attacker's two errors, "
        "and Rényi divergence — and how mechanisms that agree in one number differ everywhere else."
    ),
    headline=views.headline,
    prefix="pc",
    state=State,
    main=views.main,
    study=checked,
    presets=examples.read(__file__),
    cards=views.metrics,
    figures=views.charts,
    data=views.table,
    notes=views.observations,
    formulas=lambda shown: [MECHANISMS[key].card for key in shown.show],
    program=views.program,
    follows=views.follows,
    offers=lambda shown: {views.POINT: (views.point_decks, PAGE, replace(shown, epsilon=0.0))},
    pointed=views.rings,
    file="privacy_curves",
)
