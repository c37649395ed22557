"""How the objective-perturbation page opens: the story in three steps, then at most four answers about the view shown."""

import math

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.profiles import curves
from pages.components import cards, say
from pages.components.cards import Metric
from pages.components.say import md
from pages.components.words import count, number, probability_from_log, times, times_from_log
from pages.understand.objective_perturbation import beyond, sampling, stopping, variables, views
from pages.understand.objective_perturbation.views import ObjectiveView

_LOOSER = math.log(1.005)  # times the exact δ, from which on a bound is called looser


def tell(state: ObjectiveView) -> None:
    """A model trained on a noisy objective; what the published bound charges for it; what it truly costs."""
    for column, step in zip(st.columns(3, gap="medium"), _steps(state), strict=True):
        say.markdown(step, on=column)


def _steps(state: ObjectiveView) -> tuple[str, str, str]:
    tight, charged, least = (
        float(state.mechanism(bound).epsilon(state.delta)) for bound in ("tight", "hockey_stick", "lower")
    )
    trained = md(
        "**1 · A noisy objective.** Training adds a random slope of σ\u00a0=\u00a0**{}** and a penalty of λ\u00a0=\u00a0**{}** to the "
        "losses, and releases the minimiser.",
        number(state.sigma),
        number(state.lam),
    )
    share = md("")
    if math.isfinite(charged):
        published = md(
            "**2 · What was charged.** Theorem 3.1 proves ε\u00a0=\u00a0**{}** at δ\u00a0=\u00a0{}.",
            number(charged),
            number(state.delta),
        )
        share = md(", {} % of the charge{}", number(100 * tight / charged, 2), _less(state))
    else:
        published = md(
            "**2 · What was charged.** Theorem 3.1 proves **nothing**{}.",
            f": it needs λ > β = {number(state.beta)}" if state.too_little else " at this δ",
        )
    cost = md(
        "**3 · What it truly costs.** ε\u00a0=\u00a0**{}** at δ\u00a0=\u00a0{}{}. It is exact for these losses; no loss with this σ "
        "costs less than {}, as the Gaussian mechanism does.",
        number(tight),
        number(state.delta),
        share,
        number(least),
    )
    return trained, published, cost


def _less(state: ObjectiveView) -> str:
    """How much less δ there is at ε than was charged, where that can be said."""
    tight, published = state.mechanism("tight"), state.mechanism("hockey_stick")
    if not published.says_something(state.epsilon):
        return md("")
    gap = float(published.log_delta(state.epsilon)) - float(tight.log_delta(state.epsilon))
    if gap < _LOOSER:
        return md("")
    return md("; at ε\u00a0=\u00a0{} its δ is **{}** less", number(state.epsilon), times_from_log(gap))


def answers(view: str, state: ObjectiveView) -> None:
    """The cards of a view."""
    shown = {
        "profile": _profile,
        "renyi": _renyi,
        "stopping": _stopping,
        "calibration": _calibration,
        "walk": _walk,
        "beyond": beyond.answers,
        "variables": variables.answers,
        "sampled": sampling.answers,
    }
    cards.metric_row(shown[view](state))


def draw(view: str, state: ObjectiveView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """The charts of a view and the data behind them."""
    further = {"stopping": stopping.draw, "beyond": beyond.draw, "variables": variables.draw, "sampled": sampling.draw}
    return further[view](state) if view in further else views.draw(view, state)


def _profile(state: ObjectiveView) -> list[Metric]:
    """δ by the tight profile, the published bound and the lower bound; ε at the target δ."""
    tight, published, lower = (state.mechanism(bound) for bound in ("tight", "hockey_stick", "lower"))
    log_tight, log_lower = float(tight.log_delta(state.epsilon)), float(lower.log_delta(state.epsilon))
    says = bool(published.says_something(state.epsilon))
    log_published = float(published.log_delta(state.epsilon))
    looser = log_published - log_tight
    silent = "needs λ > β" if state.too_little else "nothing below 1 here"
    return [
        Metric(f"δ at ε = {number(state.epsilon)}, tight", probability_from_log(log_tight)),
        Metric(
            md("Published bound (Thm 3.1)"),
            probability_from_log(log_published) if says else "no guarantee",
            f"{times_from_log(looser)} looser" if says else silent,
            worse=True if says and looser > _LOOSER else None,
        ),
        Metric("Lower bound (Gaussian)", probability_from_log(log_lower)),
        Metric(f"ε at δ = {number(state.delta)}, tight", number(float(tight.epsilon(state.delta)))),
    ]


def _renyi(state: ObjectiveView) -> list[Metric]:
    """How far the curves are apart at worst, and the ε that the published one gives."""
    tight, lower, published = (views.renyi_curve(state, bound) for bound in ("tight", "lower", "renyi"))
    gap, loss = curves.peak(curves.ratio(tight, lower)), curves.peak(curves.ratio(published, tight))
    charged = float(state.mechanism("renyi").epsilon(state.delta))
    exact = float(state.mechanism("tight").epsilon(state.delta))
    none = "no guarantee"
    return [
        Metric("Tight over Gaussian, at most", times(gap[1]), f"at α = {number(gap[0])}"),
        Metric(
            md("Thm 3.2 over tight, at most"),
            none if math.isnan(loss[1]) else times(loss[1]),
            None if math.isnan(loss[1]) else f"at α = {number(loss[0])}",
        ),
        Metric(
            md("ε at δ = {}, Thm 3.2", number(state.delta)),
            number(charged) if math.isfinite(charged) else none,
            f"{times(charged / exact)} tight" if math.isfinite(charged) and exact > 0 else None,
        ),
        Metric(f"ε at δ = {number(state.delta)}, tight", number(exact)),
    ]


def _stopping(state: ObjectiveView) -> list[Metric]:
    """ε with the exact minimiser and with the solver that stops, tight and by Theorem 4.1, and what the second release costs."""
    whole = stopping.stopped_solver(state, "tight")
    exact, tight = float(state.mechanism("tight").epsilon(state.delta)), float(whole.epsilon(state.delta))
    published = float(stopping.stopped_solver(state, "renyi").epsilon(state.delta))
    return [
        Metric(f"ε at δ = {number(state.delta)}, exact minimiser", number(exact), "tight"),
        Metric("Stopped solver, tight", number(tight), f"{number(tight - exact)} more"),
        Metric(
            md("Stopped solver, Thm 4.1"),
            number(published) if math.isfinite(published) else "no guarantee",
            f"{times(published / tight)} tight" if math.isfinite(published) and tight > 0 else None,
        ),
        Metric("Shift 2τ/(λσₒᵤₜ)", number(whole.second_shift), "of a Gaussian"),
    ]


def _calibration(state: ObjectiveView) -> list[Metric]:
    """λ by the rule of the source with both bounds, and the choice of least predicted risk."""
    published, tight = (views.paper_rule(state, bound) for bound in ("hockey_stick", "tight"))
    best = views.best_calibration(state)
    both = published and tight
    return [
        Metric(
            md("λ of the paper's rule, Thm 3.1"),
            number(published.lam) if published else "none",
            f"σ = {number(published.sigma)}" if published else None,
        ),
        Metric(
            "The same rule, tight",
            number(tight.lam) if tight else "none",
            f"{times(published.lam / tight.lam)} less λ" if both else None,
        ),
        Metric("Least predicted risk: λ", number(best.lam), f"σ = {number(best.sigma)}"),
        Metric(
            "Its risk per record",
            number(best.predicted_risk / state.plan.n),
            f"n = {count(state.plan.n)}, d = {state.plan.dimension}",
        ),
    ]


def _walk(state: ObjectiveView) -> list[Metric]:
    """δ in two ways, and the two numbers the worst loss is made of."""
    exact = float(state.mechanism("tight").log_delta(state.epsilon, direction="remove"))
    return [
        Metric(
            f"δ at ε = {number(state.epsilon)}, direct search", number(views.extremal(state).delta), "record removed"
        ),
        Metric("The same in closed form", probability_from_log(exact)),
        Metric("Largest shift Δ = L/σ", number(state.lipschitz / state.sigma)),
        Metric("Steepest fall κ = β/λ", number(state.beta / state.lam)),
    ]
