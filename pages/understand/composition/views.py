"""Charts of the composition page and the data behind them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import dpcore as dp
from dpcore.exhibits import composition
from dpcore.exhibits.composition import figure as figures
from dpcore.profiles import Bound, curves
from pages.components import cache, cards, controls, export, say
from pages.components.say import md
from pages.components.words import number, probability_from_log, times
from pages.understand.composition import growth, pipeline
from pages.understand.composition.state import CERTIFIED, METHODS, CompositionView, log_delta_of

_POINTS = 121
_WIDEST = 3.0  # an accountant that says more times ε than this is left outside the picture
_DRAWN = "PLD is drawn to a relative 10⁻³ in δ, or as near as a short transform comes; the cards are certified with a long one."


def draw(state: CompositionView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """The chosen view and the data behind it."""
    return {
        "accountants": _accountants, "loss": _loss, "growth": _growth, "renyi": _renyi, "tuning": _tuning,
    }[state.view](state)  # fmt: skip


def _choose_one() -> None:
    say.info("Choose at least one accountant in the sidebar to draw a curve.")
    st.stop()


def _refusals(refused: list[str]) -> None:
    if refused:
        say.caption("Does not apply here. " + " ".join(refused))


def _accountants(state: CompositionView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    mode = cards.theme_mode()
    found, refused = state.supported()
    if not found:
        _choose_one()
    reference = state.bracket()
    at = state.epsilon_at()
    least = 1.5 * (max(at, state.epsilon) if not 0 < at < state.epsilon / 3 else at)
    axis = _round_up(max([least, *(1.1 * value for value in _answers(state, found) if value <= _WIDEST * at)]))
    exact, lower = state.epsilon_curve("pld"), state.epsilon_curve("pld", side="lower")
    sampled, inverse = [], [curves.ratio(lower, exact)]
    for method, bracket in found.items():
        name, side = METHODS[method], "estimate" if method == "saddle" else "upper"
        try:
            curve = cache.shared(composition.composed_delta_curve, name, getattr(bracket, side), axis, points=_POINTS)
            ratio = curves.ratio(state.epsilon_curve(method, side=side), exact)
        except dp.UnsupportedError as error:
            refused.append(f"{name}: {error}.")
            continue
        certified = method == "pld" and curve.bound is not Bound.EXACT
        sampled.append(replace(curve, note=CERTIFIED) if certified else curve)
        inverse.append(ratio)
    log_at = float(cache.shared(log_delta_of, reference, state.epsilon)[1])
    drawn = {
        "Accountants": figures.accountants_figure(
            sampled, mode, target=state.delta, look_at=(state.epsilon, math.exp(log_at))
        ),
        "How much larger": figures.looseness_figure(inverse, mode, target=state.delta),
    }
    left, right = st.columns([3, 2], gap="small")
    with left:
        export.chart(drawn["Accountants"], key="co_chart_delta", alt="Delta against epsilon by every accountant")
    with right:
        small = drawn["How much larger"].update_layout(showlegend=False, margin={"t": 48})
        export.chart(
            small, key="co_chart_ratio", alt="Epsilon of every accountant divided by that of PLD, against delta"
        )
    _said_of_curves(_DRAWN)
    _refusals(refused)
    return drawn, curves.table(sampled, "epsilon", "delta")


def _answers(state: CompositionView, methods: Iterable[str]) -> Iterator[float]:
    """What each accountant that has an answer says at the target δ."""
    for method in methods:
        with suppress(dp.UnsupportedError):
            value = state.epsilon_at(method, side="estimate" if method == "saddle" else "upper")
            if math.isfinite(value):
                yield value


def _round_up(value: float) -> float:
    return controls.nearest(controls.round_values(1e-4, 1e6), min(max(value, 1e-4), 1e6))


def _loss(state: CompositionView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    laws = cache.shared(composition.drift, state.parts, state.epsilon, state.direction)
    repeats = cache.shared(composition.growth_of_repeats, "PLD", state.parts, state.delta)
    mode = cards.theme_mode()
    drawn = {
        "Privacy loss": figures.drift_figure(laws, mode, epsilon=state.epsilon),
        "Growth": figures.roots_figure(repeats, mode),
    }
    left, right = st.columns([3, 2], gap="small")
    with left:
        export.chart(
            drawn["Privacy loss"],
            key="co_chart_loss",
            alt="Distribution of the privacy loss as the pipeline runs again",
        )
    with right:
        export.chart(drawn["Growth"], key="co_chart_roots", alt="Epsilon of k runs between the square root of k and k")
    last = laws[-1]
    infinite = f" An infinite loss has probability {number(last.infinite)}." if last.infinite > 0 else ""
    say.markdown(
        md(
            "**Press Play.** The orange area *is* δ: the mass beyond ε = {}, each loss ω counted with weight "
            "$1 - e^{{\\varepsilon-\\omega}}$. After {} runs it is **{}**.",
            number(state.epsilon),
            last.times,
            probability_from_log(math.log(last.delta)) if last.delta > 0 else "0",
        )
        + infinite
    )
    _said_of_curves(
        "Frames and ε of k runs are computed on a grid, as a rule to 10⁻³ or better; the cards are certified."
    )
    frame = pd.concat(
        [
            pd.DataFrame({"runs": law.times, "loss": law.losses, "density": law.density, "weighted": law.tail})
            for law in laws
        ],
        ignore_index=True,
    )
    return drawn, frame


def _said_of_curves(text: str) -> None:
    say.caption(md(":material/straighten: {}", text))


def _growth(state: CompositionView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    found, refused = state.supported()
    if not found:
        _choose_one()
    sampled, drawn = growth.draw(state, found, refused)
    _said_of_curves(_DRAWN)
    _refusals(refused)
    return {"Growth": drawn}, curves.table(sampled, "repetitions", "epsilon")


def _renyi(state: CompositionView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    sampled = []
    for row in state.rows:
        profile = cache.kept(dp.compose, pipeline.parts((row,)), "renyi").upper
        curve = cache.shared(curves.renyi_curve, row.label, profile, 1e4, points=65)
        sampled.append(replace(curve, bound=row.mechanism().bound))
    if len(state.rows) > 1:
        total = state.bracket("renyi").upper
        curve = cache.shared(curves.renyi_curve, "Whole pipeline", total, 1e4, points=65)
        sampled.append(replace(curve, bound=state.bracket("renyi").curve))
    drawn = {"Rényi divergence": figures.renyi_parts_figure(sampled, cards.theme_mode())}
    export.chart(drawn["Rényi divergence"], key="co_chart_renyi", alt="Rényi divergence of each step against the order")
    return drawn, curves.table(sampled, "alpha", "divergence")


def _tuning(state: CompositionView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    base = state.bracket().upper
    mean = composition.mean_runs(state.candidates, state.coverage)
    with say.spinner("Accounting for the tuning"):
        sampled = [
            cache.shared(composition.tuning_curve, law.capitalize(), base, law, state.delta, points=17)
            for law in composition.LAWS
        ]
        sampled.append(cache.shared(composition.released_runs_curve, "All runs published", state.parts, state.delta))
        honest = float(cache.shared(_tuned_epsilon, base, mean, state.delta))
    once = float(base.epsilon(state.delta))
    drawn = {
        "Cost of tuning": figures.tuning_figure(sampled, cards.theme_mode(), one_run=once, chosen=min(mean, 100.0))
    }
    export.chart(
        drawn["Cost of tuning"], key="co_chart_tuning", alt="Epsilon of tuned training against the mean number of runs"
    )
    say.markdown(
        md(
            "Trying **s = {}** learning rates so that the best is tried with probability {:.0%} takes "
            "K ~ Poisson(μ = {}) runs, each with a rate drawn at random. Released honestly this costs "
            "**ε = {}** instead of {} for one run: {}.",
            state.candidates,
            state.coverage,
            number(mean),
            number(honest),
            number(once),
            times(honest / once) if once > 0 else "∞ ×",
        )
    )
    return drawn, curves.table(sampled, "mean runs", "epsilon")


def _tuned_epsilon(base: dp.PrivacyProfile, mean: float, delta: float) -> float:
    return float(dp.Tuned(base, "poisson", mean).epsilon(delta))
