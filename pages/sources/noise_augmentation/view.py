"""Base classes of the noise-augmentation page's views: one for all, one for the two that train a model."""

from collections.abc import Sequence

from dpcore.exhibits.noise_augmentation.claims import Statement
from dpcore.profiles import Bound
from pages.components import cards
from pages.components.words import number, programs
from pages.sources.noise_augmentation.state import VIEWS, AugmentationView

_program = programs(__file__)


class View:
    """One view of the page; subclasses give `metrics`, `charts`, `notes`, `data` (see `Page.of_views`)."""

    claims: Sequence[Statement] = ()

    def __init__(self, state: AugmentationView) -> None:
        self.state = state

    def headline(self) -> str:
        """The finding as a headline; a view that has none shows its name."""
        return VIEWS[self.state.view]

    def data_program(self) -> str:
        """The line that makes the data."""
        settings, state = "case = dp.exhibits.noise_augmentation.settings.", self.state
        if state.simulated:
            return f"{settings}example({state.data!r}, {state.n})"
        return f"{settings}from_dataset(dataset, {state.loss!r}, {state.clip!r})  # dataset: a dp.Dataset"

    def program(self) -> str:
        """The lines of dpcore that make these numbers."""
        return _program(self.state.view, view=self, state=self.state, data=self.data_program())


class Trained(View):
    """A view of one run of the learner."""

    def __init__(self, state: AugmentationView) -> None:
        super().__init__(state)
        self.case = state.case
        self.plan = state.learner().plan(self.case.facts)
        self.run = self.case, self.plan.parameters["weighting"], self.plan.parameters["noise"]
        self.claimed = self.plan.profile.bound is Bound.CLAIMED

    def guarantee(self) -> cards.Metric:
        """A card with the guarantee: certified for a release (the exact minimiser), else the source's refuted claim."""
        epsilon, delta = self.state.epsilon, self.state.delta
        if self.claimed:
            return cards.Metric("Guarantee of this run", f"ε = {number(epsilon)} claimed", "refuted", worse=True)
        reached = float(self.plan.profile.epsilon(delta))
        return cards.Metric(
            "Guarantee of a release", f"ε = {number(reached)} certified", f"exact minimiser, δ = {number(delta)}"
        )

    @property
    def options(self) -> str:
        """Arguments of the learner in the program that only forms without a guarantee have."""
        weights = "printed" if self.state.printed else "corrected"
        return f", selection={self.state.selection!r}, weights={weights!r}" if self.state.variant != "certified" else ""
