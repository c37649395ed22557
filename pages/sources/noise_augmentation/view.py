"""Base classes of the noise-augmentation page's views: one for all, one for the two that train a model."""

from collections.abc import Sequence

from dpcore.exhibits.noise_augmentation.claims import Statement
from dpcore.profiles import Bound
from pages.components import cards
from pages.components.words import number
from pages.sources.noise_augmentation.state import VIEWS, AugmentationView


class View:
    """One view of the page; subclasses give `metrics`, `charts`, `notes`, `program`, `data` (see `Page.of_views`)."""

    claims: Sequence[Statement] = ()

    def __init__(self, state: AugmentationView) -> None:
        self.state = state

    def headline(self) -> str:
        """The finding as a headline; a view that has none shows its name."""
        return VIEWS[self.state.view]

    def data_program(self) -> list[str]:
        """The line that makes the data."""
        settings, state = "case = dp.exhibits.noise_augmentation.settings.", self.state
        if state.simulated:
            return [f"{settings}example({state.data!r}, {state.n})"]
        return [f"{settings}from_dataset(dataset, {state.loss!r}, {state.clip!r})  # dataset: a dp.Dataset"]


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

    def learner_program(self, seen: str) -> list[str]:
        """Program lines that make the learner and its plan; `seen` is the expression for the result shown."""
        state, more = self.state, ", clip=case.clip"
        if state.variant != "certified":
            more = f", selection={state.selection!r}, weights={'printed' if state.printed else 'corrected'!r}{more}"
        return [
            "pictures = dp.exhibits.noise_augmentation.pictures",
            f"target = dp.learners.napp.{state.regularizer!r}",
            f"learner = dp.NoiseAugmentedLearner(case.loss, {state.epsilon!r}, {state.delta!r}, target, {state.variant!r}{more})",
            "plan = learner.plan(case.facts)  # a release: learner.fit(dataset, rng)",
            "chosen = plan.parameters",
            f"plan.profile.bound, plan.profile.epsilon({state.delta!r}), {seen}",
        ]
