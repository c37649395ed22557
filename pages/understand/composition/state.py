"""The choices made on the composition page, and its answers as numbers on cards."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

import dpcore as dp
from dpcore.exhibits import composition
from dpcore.profiles.curves import Curve
from pages.components import cache, cards, controls, people, say, state
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import count, number, probability_from_log, times
from pages.understand.composition import answer, pipeline
from pages.understand.composition.answer import Answer, answer_of, certified_answer, interval

_sentence = say.sentences(__file__)

VIEWS = {"loss": "Privacy loss", "accountants": "Accountants", "growth": "Growth", "renyi": "Rényi", "tuning": "Tuning"}
ONE_CURVE = ("loss", "accountants")  # views whose cards are about one curve
METHODS = {
    "pld": "PLD",
    "saddle": "Saddle point",
    "renyi": "Rényi",
    "advanced": "Advanced",
    "optimal": "Optimal (pure)",
    "basic": "Basic",
}
MOST_RUNS = 100

# Relative width of the bracket of ε above which the page explains the width. Doubled, more widths go unexplained.
_WIDE = 2e-4

# An accountant whose ε is more than this many times the certified one is marked as worse.
# Doubled, only an ε more than twice the certified one is marked.
_LOOSER = 1.005
CERTIFIED = "certified upper side"  # the note on every curve of PLD
COMPARED = ("renyi", "basic", "advanced")


@dataclass(frozen=True)
class State:
    """The choices made in the sidebar."""

    view: str = state.one_of("View", VIEWS, "loss")
    direction: str = state.one_of(
        "Direction", {key: controls.DIRECTION_WORDS[key] for key in ("add", "remove")}, "remove",
        when=lambda asked: asked.view == "loss",
    )  # fmt: skip
    candidates: int = state.whole("Learning rates to try, s", 1, 100, 10, when=lambda asked: asked.view == "tuning")
    coverage: float = state.linear(
        "Chance that the best one is tried", 0.05, 0.99, 0.8, step=0.01, when=lambda asked: asked.view == "tuning"
    )
    rows: tuple[pipeline.Row, ...] = state.control((), pipeline.builder)
    runs: int = state.whole("Number of runs k", 1, MOST_RUNS, 1, when=lambda asked: asked.view == "loss")
    methods: tuple[str, ...] = state.several_of(
        "Accountants", METHODS, ["pld", "renyi", "advanced", "basic"],
        help=_sentence("accountants"),
    )  # fmt: skip
    epsilon: float = state.log(md("Look at ε ="), 0.01, 100.0, 1.0)
    delta: float = state.delta(md("Look at δ ="))
    false_alarms: float = people.false_alarms(when=lambda asked: asked.view in ONE_CURVE)
    prior: float = people.prior(when=lambda asked: asked.view in ONE_CURVE)

    @property
    def parts(self) -> tuple:
        """The pipeline."""
        return pipeline.parts(self.rows)

    @property
    def answered(self) -> list[tuple]:
        """The pipelines that the cards are about: one run and, in the view "loss", all k runs."""
        return [self.parts, composition.repeated(self.parts, self.runs)] if self.view == "loss" else [self.parts]

    def bracket(self, method: str = "pld") -> dp.Bracket:
        """The bracket of an accountant, computed only as finely as a picture needs."""
        return cache.kept(composition.composed_for_drawing, self.parts, method)

    def drawn_answers(self) -> list[Answer]:
        """Answers for the pipelines of `answered` from the brackets made for drawing, which take little time."""
        brackets = [cache.kept(composition.composed_for_drawing, parts) for parts in self.answered]
        return [cache.shared(answer_of, bracket, self.epsilon, self.delta) for bracket in brackets]

    def in_people(self) -> str:
        """What the certified upper side of all runs means in people; empty in views of something else."""
        if self.view not in ONE_CURVE:
            return ""
        return people.told(cache.kept(composition.composed_for_drawing, self.answered[-1]), self, "All steps together")

    def growth(self) -> Curve:
        """ε at the target δ against the number of runs."""
        return cache.shared(composition.growth_of_repeats, "PLD", self.parts, self.delta)

    def epsilon_at(self, method: str = "pld", *, side: str = "upper") -> float:
        """ε at the target δ. The view "accountants" draws ε(δ) anyway, so there it is read from that curve."""
        bracket = self.bracket(method)
        if self.view != "accountants":
            return cache.answer(getattr(bracket, side), "epsilon", self.delta)
        curve = self.epsilon_curve(method, side=side)
        answers = zip(curve.x.tolist(), curve.y.tolist(), strict=True)
        value = min(answers, key=lambda answer: abs(math.log(answer[0] / self.delta)))[1]
        return math.inf if math.isnan(value) else value

    def epsilon_curve(self, method: str, *, side: str = "upper") -> Curve:
        """ε(δ) from one side of an accountant's bracket, over every power of ten that the slider of δ has."""
        name = METHODS[method] + (", lower side" if side == "lower" else "")
        return cache.shared(composition.composed_epsilon_curve, name, getattr(self.bracket(method), side))

    def supported(self) -> tuple[dict[str, dp.Bracket], list[str]]:
        """Brackets of the chosen methods, and a sentence for each that does not apply."""
        found, refused = {}, []
        for method in METHODS:
            if method not in self.methods:
                continue
            try:
                found[method] = self.bracket(method)
            except dp.DPError as error:
                refused.append(f"{METHODS[method]}: {error}.")
        return found, refused


RUNS = tuple(state.positions(State, "runs"))


class Shown:
    """The choices, with the charts, the data and the sentences that are made for them."""

    def __init__(self, asked: State):
        self.asked = asked
        self.charts: list[Chart] = []
        self.data = pd.DataFrame()
        self.said: list[str] = []


def headline(asked: State) -> str:
    """What the whole pipeline costs or, in the view "loss", how the cost grows with the number of runs."""
    costs = [answer.epsilon[1] for answer in asked.drawn_answers()]
    one, at = costs[0], f"at δ = {number(asked.delta)}"
    if asked.view != "loss" or not 0 < one < math.inf or not costs[1] < math.inf:
        return f"All steps together cost ε = {number(costs[-1], 4)} {at}"
    if asked.runs > 1:
        return f"{asked.runs} runs cost {number(costs[1] / one, 2)} times one run, not {asked.runs} times"
    last = float(asked.growth().y[-1])
    more = f", {MOST_RUNS} runs {number(last / one, 2)} times that" if math.isfinite(last) else ""
    return f"One run costs ε = {number(one)}{more}"


def metrics(asked: State) -> list[cards.Metric]:
    """Cards about the view shown, from the answers that take little time."""
    return _cards(asked, asked.drawn_answers())


def certify(asked: State, place: Any) -> None:
    """Replace the cards by those with the narrower brackets of a long transform, as soon as these are computed."""
    if all(answer.width == 0 for answer in asked.drawn_answers()):
        return
    said, progress = "The cards are certified to the digits shown; a longer transform narrows them", st.empty()
    answers = [
        answer.wait(answer.ask(certified_answer, parts, asked.epsilon, asked.delta), said, progress)
        for parts in asked.answered
    ]
    with place.container():
        cards.metric_row(_cards(asked, answers))
        wide = max(answer.width for answer in answers)
        if wide > _WIDE:
            say.caption(_sentence("sides_apart", number(100 * wide, 2)))


def _cards(asked: State, answers: list[Answer]) -> list[cards.Metric]:
    at = f"δ = {number(asked.delta)}"
    return _runs_cards(asked, answers, at) if asked.view == "loss" else _pipeline_cards(asked, answers[0], at)


def _bracket_card(label: str, answer: Answer) -> cards.Metric:
    return cards.Metric(
        label, number(answer.epsilon[1], 4), interval(*answer.epsilon),
        help="In the badge: the certified bracket. Its upper side is the guarantee; nobody can prove less than its lower side.",
    )  # fmt: skip


def _runs_cards(asked: State, answers: list[Answer], at: str) -> list[cards.Metric]:
    """Cards for one run, for all runs, for basic composition (ε added up), and for the area of the tail."""
    (one, many), k = (answer.epsilon[1] for answer in answers), asked.runs
    growth = many / one if 0 < one < math.inf and many < math.inf else None
    runs = f"{k} runs" if k > 1 else "1 run"
    all_runs = replace(
        _bracket_card(f"{runs}: ε at {at}", answers[1]),
        **({"comparison": f"{times(growth)} one run, not {k} ×"} if growth and k > 1 else {}),
    )
    return [
        _bracket_card(f"One run: ε at {at}", answers[0]),
        all_runs,
        cards.Metric(f"Added up: {k} × one run", number(k * one, 4), f"at δ = {number(min(k * asked.delta, 1.0))}"),
        cards.Metric(f"{runs}: δ at ε = {number(asked.epsilon)}", probability_from_log(answers[1].log_delta[1]), "the orange area"),
    ]  # fmt: skip


def _pipeline_cards(asked: State, answer: Answer, at: str) -> list[cards.Metric]:
    """Cards for the bracket of ε at the target δ, for δ at ε, and for ε by the simpler accountants."""
    high, (log_low, log_high) = answer.epsilon[1], answer.log_delta
    row = [
        _bracket_card(f"ε at {at}", answer),
        cards.Metric(
            f"δ at ε = {number(asked.epsilon)}", probability_from_log(log_high),
            f"relative width {number(-math.expm1(min(log_low - log_high, 0.0)), 2)}" if log_high > -math.inf else None,
        ),
    ]  # fmt: skip
    for method in COMPARED:
        if method in asked.methods:
            value = asked.epsilon_at(method)
            row.append(cards.Metric(f"{METHODS[method]}: ε at {at}", number(value, 4), **_compared(value, high)))
    if len(row) < 3:
        steps = sum(count for _, count in asked.parts)
        row.append(cards.Metric("Steps composed", count(steps)))
    return row


def _compared(value: float, reference: float) -> dict[str, Any]:
    said = f"{times(value / reference)} PLD" if reference > 0 and math.isfinite(value) else None
    return {"comparison": said, "worse": value > _LOOSER * reference or None}
