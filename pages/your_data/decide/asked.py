"""What the page on deciding asks: what is public, what is assumed, and what is to be found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import dpcore as dp
from dpcore.decisions.check import Simulated, means_of
from dpcore.exhibits.decide import study
from pages.components import cache, losses, say, state
from pages.your_data.decide import simulation

_sentence = say.sentences(__file__)

_ASKED = {"learner": "Learner", "epsilon": "Least ε", "rows": "Fewest rows"}
_LOSSES = {name: losses.title(name) for name in dp.LOSSES}


def _of(*kinds: str) -> Callable[[Any], bool]:
    return lambda asked: dp.LOSSES[asked.loss].target.name in kinds


def main(asked: Any) -> str:
    """The slider under the figure: the budget, or the score that is to be reached."""
    return "target" if asked.ask == "epsilon" else "epsilon"


@dataclass(frozen=True)
class State:
    """What is public, and what is assumed."""

    ask: str = state.one_of("What to find", _ASKED, "learner")
    loss: str = state.one_of("Loss", _LOSSES, "logistic", menu=True)
    n: int = state.whole("Rows n", 50, 1_000_000, 2000, when=lambda asked: asked.ask != "rows")
    d: int = state.whole("Columns d", 1, 1000, 20)
    epsilon: float = state.log("Budget ε", 0.05, 20.0, 1.0, few=True, when=lambda asked: asked.ask != "epsilon")
    target: float = state.linear(
        "Accuracy, or share explained, to reach", 0.05, 0.99, 0.85, step=0.01, when=lambda asked: asked.ask != "learner"
    )
    delta: float = state.delta()
    accuracy: float = state.linear(
        "Accuracy of the best linear model", 0.55, 0.99, 0.9, step=0.01, when=_of("binary"), help=_sentence("assumed")
    )
    explained: float = state.linear(
        "R² of the best linear model", 0.05, 0.95, 0.5, step=0.05, when=_of("numeric"), help=_sentence("assumed")
    )
    deviance: float = state.linear(
        "D² of the best linear model", 0.05, 0.4, 0.2, step=0.05, when=_of("count"), help=_sentence("assumed")
    )
    larger: float = state.linear("Share of the larger class", 0.5, 0.95, 0.5, step=0.01, when=_of("binary"))
    rows: float = state.linear(
        "Bound R, in lengths of a typical row", 1.0, 10.0, 1.0, step=0.1, help=_sentence("bounds")
    )
    spread: float = state.linear(
        "Bound B, in deviations of a target",
        1.0,
        10.0,
        3.0,
        step=0.1,
        when=_of("numeric"),
        help=_sentence("bounds"),
    )
    largest: int = state.whole("Largest count B", 1, 1000, 10, when=_of("count"))

    @property
    def facts(self) -> dp.PublicFacts:
        """What is public, in units of the bounds; of counts in their own."""
        bound = float(self.largest) if _of("count")(self) else 1.0
        return dp.PublicFacts(self.n, self.d, dp.Domain(row_norm=1.0, target_bound=bound, rows="clip"))

    @property
    def difficulty(self) -> dp.Difficulty:
        """What is assumed."""
        best = {"binary": self.accuracy, "numeric": self.explained, "count": self.deviance}
        return dp.Difficulty(best[dp.LOSSES[self.loss].target.name], 1 / self.rows, 1 / self.spread, self.larger)

    @cached_property
    def answer(self) -> dp.Recommendation:
        """The ranking at the budget, or where the target is reached."""
        asked = self.facts, self.loss, self.difficulty
        if self.ask == "learner":
            return cache.kept(_ranked, *asked, self.epsilon, self.delta)
        if self.ask == "epsilon":
            return cache.kept(_smallest, *asked, self.target, self.delta)
        return cache.kept(_fewest, *asked, self.target, self.epsilon, self.delta)

    @property
    def measured(self) -> dict[str, Simulated]:
        """What simulated releases reach so far; empty before any."""
        return means_of(simulation.trials(self.answer))

    @property
    def best(self) -> Any:
        """The learner that stands first; None where nothing can be used."""
        return self.answer.ranking[0] if self.answer.ranking else None

    def said(self, score: float, unit: bool = True) -> str:
        """A score in words."""
        return study.score_said(self.answer, score, unit)


def _ranked(
    facts: dp.PublicFacts, loss: str, difficulty: dp.Difficulty, epsilon: float, delta: float
) -> dp.Recommendation:
    return dp.recommend(facts, loss, epsilon, delta, difficulty=difficulty)


def _smallest(
    facts: dp.PublicFacts, loss: str, difficulty: dp.Difficulty, target: float, delta: float
) -> dp.Recommendation:
    return dp.recommend(facts, loss, delta=delta, accuracy=target, difficulty=difficulty)


def _fewest(
    facts: dp.PublicFacts, loss: str, difficulty: dp.Difficulty, target: float, epsilon: float, delta: float
) -> dp.Recommendation:
    return dp.rows_needed(facts, target, loss, epsilon, delta, difficulty=difficulty)
