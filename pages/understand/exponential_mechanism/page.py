"""Exponential mechanism: outputs drawn from a density that the data shape and that a larger ε makes steeper."""

from collections.abc import Callable

from pages.components import examples, path
from pages.components.page import Page
from pages.understand.exponential_mechanism import sampler, views


def _more(shown: views.ExponentialView) -> dict[str, dict[str, Callable[[], None]]]:
    line = {} if shown.view == "finite" else {"Dimension": lambda: views.dimension_chart(shown)}
    return {"Further questions": {"Sampler": lambda: sampler.sampler(shown)} | line}


PAGE = Page.of_views(
    views,
    title="Exponential mechanism",
    sentence="Instead of adding noise to an answer, draw the answer itself: good ones often, bad ones rarely. Watch the draws "
    "gather as ε grows, and compare their loss with what the theorems allow.",
    prefix="em",
    state=views.ExponentialView,
    main="epsilon",
    presets=examples.read(__file__),
    below=lambda shown: None if shown.view == "finite" else path.show(path.SAMPLING, path.MECHANISM),
    more=_more,
    formulas=lambda shown: shown.cards,
    follows=lambda shown: ("epsilon",),
    file="exponential_mechanism",
)
