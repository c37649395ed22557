"""Metrics and charts of the noise-augmentation page, one function per view."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from dpcore.audit import napp as audit
from dpcore.exhibits.noise_augmentation import figure as figures
from dpcore.exhibits.noise_augmentation.claims import theory_claims
from dpcore.exhibits.noise_augmentation.pictures import realised_picture, row_picture
from dpcore.exhibits.noise_augmentation.theory import risk_against_epsilon, risk_against_n
from pages.components import cache, cards, export, say
from pages.components.say import md
from pages.components.words import count, number, times
from pages.your_data.noise_augmentation import paths_view, sizes_view, study
from pages.your_data.noise_augmentation.shown import Shown, cached, guarantee
from pages.your_data.noise_augmentation.state import AugmentationView

_STRENGTHS = tuple(float(f"{0.05 * 400 ** (k / 36):.4g}") for k in range(37))
EPSILONS, SIZES = (0.2, 0.5, 1.0, 2.0, 5.0), (200, 1000, 5000)


def draw(state: AugmentationView) -> Shown:
    """The chosen view."""
    views = {
        "rows": _rows,
        "realised": _realised,
        "paths": paths_view.show,
        "private": _private,
        "study": _study,
        "theory": _theory,
        "sizes": sizes_view.show,
    }
    return views[state.view](state)


def _rows(state: AugmentationView) -> Shown:
    case = state.case()
    plan = state.learner(case).plan(case.facts)
    weighting, noise = plan.parameters["weighting"], plan.parameters["noise"]
    picture = cached(state, row_picture, case, weighting, noise, state.rows, 2 if state.second else 1)
    cards.metric_row([
        guarantee(state, plan),
        cards.Metric("Largest entry of a row", number(picture.spread), f"{count(state.rows)} rows"),
        cards.Metric(md("Fit to limit, this nₑ"), number(picture.here), "one draw of the rows"),
        cards.Metric("Measured slope", number(picture.slope), "theory −½ in the end"),
    ])  # fmt: skip
    fig = figures.rows_figure(picture, state.rows, cards.theme_mode())
    export.chart(fig, key="na_rows_chart", alt="Data with the appended rows, and the distance of the fit to its limit")
    facts = {"carried": picture.carried, "spread": picture.spread, "slope": picture.slope, "here": picture.here}
    return Shown({"Augmented data": fig}, picture.table, facts)


def _realised(state: AugmentationView) -> Shown:
    floor = state.scenario.floor
    picture = cache.shared(realised_picture, state.regularizer, floor, state.printed)
    at = len(picture.theta) * 3 // 4
    deviation = abs(picture.moor[at] - picture.target[at]), abs(picture.summed[at] - picture.target[at])
    cards.metric_row([
        cards.Metric("Needed: 2Λ₀", number(2 * floor), md("= ζ₃/((1−r)ε), ζ₃ = 1")),
        cards.Metric("Curvature in the proof", number(float(picture.modulus.min())), "least, weights fixed"),
        cards.Metric("Curvature realised", number(float(picture.curvature.min())), "least",
                     worse=True if picture.curvature.min() < 2 * floor * (1 - 1e-9) else None),
        cards.Metric("Off target at θ = 1", number(float(deviation[0])), f"sum {number(float(deviation[1]))}"),
    ])  # fmt: skip
    fig = figures.realised_figure(picture, cards.theme_mode())
    export.chart(fig, key="na_realised_chart", alt="Realised regulariser and its curvature against the coefficient")
    data = pd.DataFrame({
        "theta": picture.theta, "target": picture.target, "moor": picture.moor, "sum": picture.summed,
        "modulus_of_weights": picture.modulus, "curvature_moor": picture.curvature, "curvature_sum": picture.curvature_sum,
    })  # fmt: skip
    facts = {"crossover": picture.crossover, "floor": floor, "least": float(picture.curvature.min())}
    return Shown({"Realised regulariser": fig}, data, facts, cache.shared(theory_claims))


def _private(state: AugmentationView) -> Shown:
    scenario, variant = state.scenario, state.attacked
    found = cache.shared(audit.attack, scenario, variant)
    anywhere = replace(scenario, strength=1.0)  # so that moving Λ computes no new sweep
    deltas = {key: cache.shared(audit.sweep, anywhere, key, _STRENGTHS) for key in audit.GAME_VARIANTS}
    proven = scenario.certified.pure_epsilon
    spent = cache.shared(audit.attack, scenario, "certified")
    delta = cache.shared(audit.after_iterations, scenario, state.after) if state.after else found.delta
    limit = f"claimed: 0; limit {number(found.delta)}" if state.after else "claimed: 0"
    tolerance = 1e-3 if state.after else 1e-9  # cells are right to about 1e-3
    infinite, at = found.largest_ratio == float("inf"), number(state.epsilon)
    cards.metric_row([
        cards.Metric(f"δ at the claimed ε = {at}", number(delta), limit, worse=True if delta > tolerance else None),
        cards.Metric("Largest log ratio, T → ∞", number(found.largest_ratio), "no ε at all" if infinite else f"claimed {at}"),
        cards.Metric("Worst δ over all Λ here", number(float(max(deltas[variant]))), audit.GAME_VARIANTS[variant]),
        cards.Metric("Certified sum form", f"ε = {number(proven)}", f"largest ratio found {number(spent.largest_ratio)}"),
    ])  # fmt: skip
    mode = cards.theme_mode()
    drawn = {
        "Output law": figures.laws_figure(cache.shared(audit.laws, scenario, variant), mode),
        "δ against Λ": figures.sweep_figure(_STRENGTHS, deltas, audit.GAME_VARIANTS, state.strength, mode),
    }
    left, right = st.columns(2, gap="small")
    with left:
        say.caption("Output law, with the record and without")
        export.chart(
            drawn["Output law"], key="na_law", alt="Density of the released coefficient with and without the record"
        )
    with right:
        say.caption(md("δ at the claimed ε, against Λ"))
        export.chart(
            drawn["δ against Λ"], key="na_sweep", alt="Delta at the claimed epsilon against the lasso strength"
        )
    data = pd.DataFrame(
        {"strength": _STRENGTHS, **{audit.GAME_VARIANTS[key]: values for key, values in deltas.items()}}
    )
    facts = {"delta": found.delta, "ratio": found.largest_ratio, "proven": proven, "floor": scenario.floor}
    return Shown(drawn, data, facts, cache.shared(theory_claims))


def _study(state: AugmentationView) -> Shown:
    _, drawn, data, claims = study.show(state)
    return Shown(drawn, data, {}, claims)


def _theory(state: AugmentationView) -> Shown:
    case = state.case()
    risk = cached(state, risk_against_epsilon, case, state.regularizer, state.delta, EPSILONS, 10)
    sample = cache.shared(risk_against_n, state.strength, state.epsilon, state.delta, SIZES)
    measured, proven = risk.curves["measured, mean"][2], risk.curves["proven, mean"][2]
    cards.metric_row([
        cards.Metric("Excess at ε = 1, measured", number(float(measured)), "mean of 10 draws"),
        cards.Metric("Proven bound on the mean", number(float(proven)), f"{times(float(proven / measured))} the measured"),
        cards.Metric("Lemma 7 exceeded, t = 1", f"{100 * risk.broken:.0f} %", "of all draws", worse=True if risk.broken else None),
        cards.Metric("Proven bound exceeded", f"{100 * risk.exceeded:.0f} %", "of all draws"),
    ])  # fmt: skip
    mode = cards.theme_mode()
    by_n = {
        "measured, mean": sample.mean,
        "measured, 95 % quantile": sample.quantile,
        "Theorem 10, C′ = 1": sample.promised,
    }
    drawn = {
        "Excess of the objective": figures.utility_figure(EPSILONS, risk.curves, "claimed ε (nats)", mode),
        "Expected loss, linear model": figures.utility_figure(SIZES, by_n, "records n", mode),
    }
    columns = st.columns([3, 2], gap="small")
    for column, (title, fig) in zip(columns, drawn.items(), strict=True):
        with column:
            say.caption(title)
            export.chart(fig, key=f"na_{title}", alt=title)
    facts = {"broken": risk.broken, "exceeded": risk.exceeded}
    data = pd.concat(
        [pd.DataFrame({"epsilon": EPSILONS, **risk.curves}), pd.DataFrame({"n (linear model)": SIZES, **by_n})],
        ignore_index=True,
    )
    return Shown(drawn, data, facts)
