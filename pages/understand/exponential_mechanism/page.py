"""Exponential mechanism: outputs drawn from a landscape that the data shape and ε sharpen."""

from pages.components.page import Page
from pages.understand.exponential_mechanism import presets, views, words

PAGE = Page(
    title="Exponential mechanism",
    sentence="Instead of adding noise to an answer, draw the answer itself: good ones often, bad ones rarely. Watch the draws "
    "gather as ε grows, and compare their loss with what the theorems allow.",
    prefix="em",
    state=views.ExponentialView,
    presets=presets.PRESETS,
    cards=views.metrics,
    figures=views.charts,
    data=views.table,
    notes=words.observations,
    more=views.more,
    formulas=lambda shown: shown.cards,
    program=words.program,
    follows=lambda shown: ("epsilon",),
    file="exponential_mechanism",
)
