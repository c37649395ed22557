"""The story in one picture: rows of noise, the penalty that they act as, and what privacy survives."""

from dataclasses import replace

import pandas as pd

from dpcore.audit import napp as audit
from dpcore.exhibits.noise_augmentation.pictures import given_away, realised_picture, row_picture
from dpcore.exhibits.noise_augmentation.story_figure import story_figure
from pages.components import cache, say, screen
from pages.components.cards import Metric, theme_mode
from pages.components.charts import Chart
from pages.components.words import count, number
from pages.sources.noise_augmentation.state import AugmentationView
from pages.sources.noise_augmentation.view import Trained

_sentence = say.sentences(__file__)
# A smaller δ is round-off of the quadrature: the claim is not called broken.
_BROKEN = 1e-9


class Story(Trained):
    """The form whose guarantee the source claims, at one budget: rows, penalty, and one record under attack."""

    def __init__(self, state: AugmentationView) -> None:
        super().__init__(replace(state, variant="moor"))
        self.scenario = state.scenario
        self.rows = cache.shared(row_picture, *self.run, state.rows)
        self.realised = cache.shared(realised_picture, state.regularizer, self.scenario.floor, False, state.rows)
        self.given = cache.shared(given_away, self.scenario)
        self.broken = self.given.delta > _BROKEN

    def headline(self) -> str:
        if not self.broken:
            return f"Noise rows make a lasso; at ε = {number(self.state.epsilon)} the claim holds here"
        return f"Noise rows make a lasso, not privacy: δ = {number(self.given.delta)}, not 0"

    def metrics(self) -> list[Metric]:
        found, at = cache.shared(audit.attack, self.scenario, "moor"), number(self.state.epsilon)
        return [
            self.guarantee(),
            Metric(f"δ at ε = {at}", number(self.given.delta), "claimed: 0", worse=True if self.broken else None),
            Metric("Largest log ratio", number(found.largest_ratio), "no ε at all" if self.broken else f"claimed {at}"),
            Metric("Certified sum form", f"ε = {number(self.scenario.certified.pure_epsilon)}", "proven, δ = 0"),
        ]

    def charts(self) -> list[Chart]:
        titles = (
            f"1 · {count(self.state.rows)} rows of noise …", "2 · … act as a lasso …",
            "3 · … and give a record away" if self.broken else "3 · … and hide a record",
        )  # fmt: skip
        told = f"only with it: δ = {number(self.given.delta)}" if self.broken else "no output tells: δ = 0"
        return [
            Chart("From rows to privacy",
                  lambda: story_figure(self.rows, self.realised, self.given, theme_mode(), titles=titles, told=told,
                                       stacked=screen.size() == "phone"),
                  "Data with appended rows, the penalty that these realise, and output laws with and without a record",
                  "na_story_chart", caption=_sentence("append_and_fit")),
        ]  # fmt: skip

    def notes(self) -> list[str]:
        state, delta = self.state, self.given.delta
        return [
            _sentence("nothing_but_rows_added", count(state.rows), self.rows.spread),
            _sentence("rows_act_as_penalty"),
            _sentence("claimed_with_truth", state.epsilon, delta)
            if self.broken
            else _sentence("no_violation_these_settings"),
            _sentence("what_holds", self.scenario.floor, self.scenario.certified.pure_epsilon),
        ]

    def data(self) -> pd.DataFrame:
        found = self.given
        return pd.DataFrame(
            {
                "theta": found.theta,
                "without the record": found.absent,
                "with the record": found.present,
                "excess": found.excess,
            }
        )
