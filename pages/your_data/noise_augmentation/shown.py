"""What a view of the noise-augmentation page drew, and where its numbers are kept."""

from dataclasses import dataclass, field

import pandas as pd
import plotly.graph_objects as go

from dpcore.exhibits.noise_augmentation.claims import Statement
from dpcore.learners import Plan
from dpcore.profiles import Bound
from pages.components import cache, cards
from pages.components.words import number
from pages.your_data.noise_augmentation.state import AugmentationView


@dataclass
class Shown:
    """What a view drew, for the tabs below it."""

    figures: dict[str, go.Figure] = field(default_factory=dict)
    data: pd.DataFrame = field(default_factory=pd.DataFrame)
    facts: dict[str, float] = field(default_factory=dict)
    claims: list[Statement] = field(default_factory=list)


def cached(state: AugmentationView, function: object, *args: object, **options: object) -> object:
    """Simulated data are public mathematics; anything from a loaded file stays in the session."""
    if state.simulated:
        return cache.shared(function, *args, **options)
    return cache.in_session(_Call(function, tuple(options.items())), *args)


class _Call:
    """A function with its options, named by both."""

    def __init__(self, function: object, options: tuple[tuple[str, object], ...]) -> None:
        self.function, self.options = function, dict(options)
        self.__module__, self.__qualname__ = function.__module__, f"{function.__qualname__}{options!r}"

    def __call__(self, *args: object) -> object:
        return self.function(*args, **self.options)


def guarantee(state: AugmentationView, plan: Plan) -> cards.Metric:
    """The claim of what is shown; what is certified is the release, the exact minimiser under the exact terms."""
    if plan.profile.bound is Bound.CLAIMED:
        return cards.Metric("Guarantee of this run", f"ε = {number(state.epsilon)} claimed", "refuted", worse=True)
    reached = float(plan.profile.epsilon(state.delta))
    return cards.Metric(
        "Guarantee of a release", f"ε = {number(reached)} certified", f"exact minimiser, δ = {number(state.delta)}"
    )
