"""Charts of the composition page and the data behind them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

import dpcore as dp
from dpcore.exhibits import composition
from dpcore.exhibits.composition import figure as figures
from dpcore.profiles import Bound, curves
from pages.components import cache, cards, controls, say
from pages.components.charts import Chart, place, row
from pages.components.say import md
from pages.components.words import number, probability_from_log, times
from pages.understand.composition import growth, pipeline
from pages.understand.composition.state import CERTIFIED, METHODS, RUNS, Shown, State

_sentence = say.sentences(__file__)

_POINTS = 121

# The axis of ε need not reach the ε of an accountant that is more than this many times that of PLD.
# Doubled, the axis may be twice as long.
_WIDEST = 3.0
# the charts, the data behind them, and the sentences below the cards
_Answer = tuple[list[Chart], pd.DataFrame, list[str]]
_DRAWN = _sentence("how_drawn")
_PLAYED = _sentence("grid_and_cards")


def draw(shown: Shown) -> list[Chart]:
    """Draw the chosen view, and keep its charts, data and sentences in `shown`."""
    view = {"accountants": _accountants, "loss": _loss, "growth": _growth, "renyi": _renyi, "tuning": _tuning}
    shown.charts, shown.data, shown.said = view[shown.asked.view](shown.asked)
    return shown.charts


def _choose_one() -> None:
    say.info("Choose at least one accountant in the sidebar to draw a curve.")
    st.stop()


def _refusals(refused: list[str]) -> list[str]:
    return ["Does not apply here. " + " ".join(refused)] if refused else []


def _accountants(asked: State) -> _Answer:
    mode = cards.theme_mode()
    found, refused = asked.supported()
    if not found:
        _choose_one()
    at = asked.epsilon_at()
    least = 1.5 * (max(at, asked.epsilon) if not 0 < at < asked.epsilon / 3 else at)
    axis = _round_up(max([least, *(1.1 * value for value in _answers(asked, found) if value <= _WIDEST * at)]))
    exact, lower = asked.epsilon_curve("pld"), asked.epsilon_curve("pld", side="lower")
    sampled, inverse = [], [curves.ratio(lower, exact)]
    for method, bracket in found.items():
        name, side = METHODS[method], "estimate" if method == "saddle" else "upper"
        try:
            curve = cache.shared(composition.composed_delta_curve, name, getattr(bracket, side), axis, points=_POINTS)
            ratio = curves.ratio(asked.epsilon_curve(method, side=side), exact)
        except dp.UnsupportedError as error:
            refused.append(f"{name}: {error}.")
            continue
        certified = method == "pld" and curve.bound is not Bound.EXACT
        sampled.append(replace(curve, note=CERTIFIED) if certified else curve)
        inverse.append(ratio)
    look_at = (asked.epsilon, cache.answer(asked.bracket().upper, "delta", asked.epsilon))
    charts = [
        Chart("Accountants", lambda: figures.accountants_figure(sampled, mode, target=asked.delta, look_at=look_at),
              "Delta against epsilon by every accountant", "co_chart_delta"),
        Chart("How much larger", lambda: figures.looseness_figure(inverse, mode, target=asked.delta).update_layout(
                  showlegend=False, margin={"t": 48}),
              "Epsilon of every accountant divided by that of PLD, against delta", "co_chart_ratio"),
    ]  # fmt: skip
    row(charts)
    return charts, curves.table(sampled, "epsilon", "delta"), [_DRAWN, *_refusals(refused)]


def _answers(asked: State, methods: Iterable[str]) -> Iterator[float]:
    """ε at the target δ by each accountant that has a finite answer."""
    for method in methods:
        with suppress(dp.UnsupportedError):
            value = asked.epsilon_at(method, side="estimate" if method == "saddle" else "upper")
            if math.isfinite(value):
                yield value


def _round_up(value: float) -> float:
    return controls.nearest(controls.round_values(1e-4, 1e6), min(max(value, 1e-4), 1e6))


def loss_charts(asked: State) -> list[Chart]:
    """Charts of ε against k, and of the privacy loss after k runs."""
    laws, mode = _laws(asked), cards.theme_mode()
    at = asked.runs, asked.drawn_answers()[1].epsilon[1]
    return [
        Chart("Growth", lambda: figures.roots_figure(asked.growth(), at, mode, number(asked.delta)),
              "Epsilon of k runs between the square root of k and k", "co_chart_roots",
              caption=_sentence("same_answer_k_times")),
        Chart("Privacy loss", lambda: figures.drift_figure(laws, asked.runs, mode, epsilon=asked.epsilon),
              "Distribution of the privacy loss of so many runs of the pipeline", "co_chart_loss"),
    ]  # fmt: skip


def _laws(asked: State) -> list[composition.DrawnLoss]:
    return cache.shared(composition.drift, asked.parts, asked.epsilon, asked.direction, RUNS)


def said(shown: Shown) -> list[str]:
    """Sentences under the cards."""
    return _said_of_loss(shown.asked) if shown.asked.view == "loss" else shown.said


def _said_of_loss(asked: State) -> list[str]:
    """Sentences on what the orange area is, and on how exactly it is drawn."""
    law = next(law for law in _laws(asked) if law.times == asked.runs)
    runs, tail = f"{law.times} runs" if law.times > 1 else "one run", asked.drawn_answers()[1].log_delta[1]
    said = _sentence("orange_area", asked.epsilon, runs, probability_from_log(tail))
    if law.infinite > 0:
        said += md(" An infinite loss has probability {!n}.", law.infinite)
    return [said, _PLAYED]


def _loss(asked: State) -> _Answer:
    charts = loss_charts(asked)
    row(charts)
    frame = pd.concat(
        [
            pd.DataFrame({"runs": law.times, "loss": law.losses, "density": law.density, "weighted": law.tail})
            for law in _laws(asked)
        ],
        ignore_index=True,
    )
    return charts, frame, []


def _growth(asked: State) -> _Answer:
    found, refused = asked.supported()
    if not found:
        _choose_one()
    sampled, drawn = growth.draw(asked, found, refused)
    return [drawn], curves.table(sampled, "repetitions", "epsilon"), [_DRAWN, *_refusals(refused)]


def _renyi(asked: State) -> _Answer:
    sampled = []
    for step in asked.rows:
        profile = cache.kept(dp.compose, pipeline.parts((step,)), "renyi").upper
        curve = cache.shared(curves.renyi_curve, step.label, profile, 1e4, points=65)
        sampled.append(replace(curve, bound=step.mechanism().bound))
    if len(asked.rows) > 1:
        total = asked.bracket("renyi").upper
        curve = cache.shared(curves.renyi_curve, "Whole pipeline", total, 1e4, points=65)
        sampled.append(replace(curve, bound=asked.bracket("renyi").curve))
    chart = Chart("Rényi divergence", lambda: figures.renyi_parts_figure(sampled, cards.theme_mode()),
                  "Rényi divergence of each step against the order", "co_chart_renyi")  # fmt: skip
    place(chart)
    return [chart], curves.table(sampled, "alpha", "divergence"), []


def _tuning(asked: State) -> _Answer:
    base = asked.bracket().upper
    mean = composition.mean_runs(asked.candidates, asked.coverage)
    with say.spinner("Accounting for the tuning"):
        sampled = [
            cache.shared(composition.tuning_curve, law.capitalize(), base, law, asked.delta) for law in composition.LAWS
        ]
        sampled.append(cache.shared(composition.released_runs_curve, "All runs published", asked.parts, asked.delta))
        honest = cache.answer(dp.Tuned(base, "poisson", mean), "epsilon", asked.delta)
    once = float(base.epsilon(asked.delta))
    figure = partial(figures.tuning_figure, sampled, cards.theme_mode(), one_run=once, chosen=min(mean, 100.0))
    chart = Chart(
        "Cost of tuning", figure, "Epsilon of tuned training against the mean number of runs", "co_chart_tuning"
    )
    place(chart)
    more = times(honest / once) if once > 0 else "∞ ×"
    said = _sentence("tuning_costs", asked.candidates, asked.coverage, mean, honest, once, more)
    return [chart], curves.table(sampled, "mean runs", "epsilon"), [said]
