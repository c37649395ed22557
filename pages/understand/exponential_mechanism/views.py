"""Metrics and charts of the exponential-mechanism page."""

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.data import load_sample
from dpcore.exhibits.exponential_mechanism import figure as figures
from dpcore.exhibits.exponential_mechanism import study as exponential
from dpcore.mechanisms import ExponentialMechanism, InexactDraw, RegularizedExponential
from dpcore.mechanisms.selection import SELECTION_MECHANISMS
from dpcore.profiles import curves
from pages.components import cache, cards, export, say
from pages.components.say import md
from pages.components.words import count, number, times

EPSILONS = (0.1, 8.0)
VIEWS = {"line": "1-D", "plane": "2-D", "finite": "Finite list"}
GRID = (0.1, 0.14, 0.2, 0.28, 0.4, 0.56, 0.8, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)
_RAINS = 999
DIMENSIONS = (1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 200, 300, 500, 700, 1000)


@dataclass(frozen=True)
class ExponentialView:
    """What the sidebar asks to see."""

    view: str
    epsilon: float
    delta: float
    n: int
    centre: float
    noise: float
    hypotheses: int
    draws: int
    seed: int
    stumps: bool = False

    @property
    def dimension(self) -> int:
        return 2 if self.view == "plane" else 1

    def landscape(self) -> exponential.Landscape:
        if self.view == "plane":
            return cache.shared(exponential.plane_landscape, self.n, self.noise)
        return cache.shared(exponential.line_landscape, self.n, self.centre, 0.3)

    def mechanism(self) -> RegularizedExponential:
        return RegularizedExponential.calibrated(
            self.epsilon, self.delta, n=self.n, dimension=self.dimension, lipschitz=1.0, radius=1.0
        )

    def finite(self) -> exponential.FiniteLandscape:
        if self.stumps:
            return cache.in_session(
                exponential.stump_landscape, load_sample("breast_cancer"), self.hypotheses // 60, self.epsilon
            )
        return cache.shared(exponential.finite_landscape, self.n, self.hypotheses, self.noise, self.epsilon)

    def at(self, epsilon: float) -> "ExponentialView":
        """The same at another ε."""
        return replace(self, epsilon=epsilon)

    def densities(self) -> list[curves.Curve]:
        """On the line: before and after one record is replaced."""
        found, mechanism = self.landscape(), self.mechanism()
        return [
            found.density_curve("output density", mechanism.k, mechanism.mu),
            found.density_curve("one record replaced", mechanism.k, mechanism.mu, neighbour=True),
        ]

    def rain(self) -> Any:
        """Draws of the mechanism, (draws, dimension)."""
        mechanism = self.mechanism()
        return self.landscape().draws(mechanism.k, mechanism.mu, self.draws, self.seed)

    @property
    def cards(self) -> list:
        return [ExponentialMechanism.card] if self.view == "finite" else [RegularizedExponential.card, InexactDraw.card]


def rain_number() -> int:
    """Which rain of draws is shown; the button goes on to the next."""

    def again() -> None:
        st.session_state["em_seed"] = st.session_state["em_seed"] % _RAINS + 1

    with st.container(horizontal=True, vertical_alignment="bottom"):
        number_of = say.number_input("Rain", 1, _RAINS, 1, step=1, key="em_seed", width=110)
        say.button("Another rain", key="em_again", icon=":material/refresh:", on_click=again)
    return int(number_of)


def metrics(state: ExponentialView) -> None:
    """Expected excess of each mechanism beside its bound, and what the pair on screen really loses."""
    if state.view == "finite":
        found = state.finite()
        base = found.excess("exponential")
        cards.metric_row(
            [cards.Metric("Errors of the best", count(float(min(found.errors))), f"of {569 if state.stumps else state.n} records")]
            + [
                cards.Metric(words, f"{number(found.excess(method))} extra",
                             None if method == "exponential" or not base else f"{times(found.excess(method) / base)} exponential")
                for method, words in SELECTION_MECHANISMS.items()
            ]
        )  # fmt: skip
        return
    found, mechanism = state.landscape(), state.mechanism()
    measured, bound = found.excess(mechanism.k, mechanism.mu), mechanism.excess_risk(state.dimension, 1.0)
    k = exponential.pure_temperature(state.epsilon, state.n)
    pure = found.excess(k, 0.0)
    cards.metric_row(
        [
            cards.Metric("Excess risk, regularised", number(measured), f"bound {number(bound)}",
                         help="Expected mean loss of one draw above the minimum, by quadrature."),
            cards.Metric("Excess risk, pure ε-DP", number(pure), f"bound {number(state.dimension / k)}",
                         help=md("The unregularised mechanism at k = εn/(4GB), which needs no δ.")),
            cards.Metric("ε of the pair shown", number(found.pair_epsilon(mechanism.k, mechanism.mu, state.delta)),
                         f"promised {number(state.epsilon)}", help="Smallest ε at the same δ for these data against the "
                         "same data with one record replaced, by quadrature of both densities."),
            cards.Metric("Shift Δ of the theorem", number(mechanism.shift), f"k = {number(mechanism.k)}, μ = {number(mechanism.mu)}"),
        ]
    )  # fmt: skip


def draw(state: ExponentialView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """The landscape and the risks; the data behind them."""
    mode = cards.theme_mode()
    if state.view == "finite":
        found = state.finite()
        top = max(float(law.max()) for law in state.at(EPSILONS[1]).finite().laws.values())
        drawn = {"Selection": figures.finite_figure(found, mode, top=top, ranked=state.stumps)}
        export.chart(
            drawn["Selection"], key="em_finite", alt="Errors of each classifier and the probability of releasing it"
        )
        return drawn, pd.DataFrame({"threshold": found.thresholds, "errors": found.errors} | found.laws)
    found, mechanism, rain = state.landscape(), state.mechanism(), state.rain()
    if state.view == "line":
        top = max(curves.peak(curve)[1] for curve in state.at(EPSILONS[1]).densities())
        heights = cache.shared(exponential.rain_heights, state.draws)
        picture = figures.line_figure(state.densities(), rain, heights, found.records, mode, top=top)
    else:
        picture = figures.plane_figure(found.picture(mechanism.k, mechanism.mu), rain, mode)
    key = (state.view, state.n, state.centre, state.noise, state.delta)
    risks = cache.shared(risks_of, key)
    drawn = {"Landscape": picture, "Excess risk": figures.landscape_risk_figure(risks, state.epsilon, mode)}
    left, right = st.columns([1, 1], gap="small")
    with left:
        export.chart(drawn["Landscape"], key="em_landscape", alt="Density of the output with draws from it")
    with right:
        export.chart(drawn["Excess risk"], key="em_risk", alt="Excess risk against epsilon, measured and bounds")
    return drawn, curves.table(risks, "epsilon", "excess risk")


def risks_of(key: tuple) -> list[curves.Curve]:
    """Risk curves of the landscape a key describes."""
    view, n, centre, noise, delta = key
    found = ExponentialView(view, 1.0, delta, n, centre, noise, 1, 1, 0).landscape()
    return exponential.landscape_risks(found, delta, GRID)


def dimension_chart(state: ExponentialView) -> None:
    """Where the square root of the dimension begins to pay, drawn when asked for."""
    if not say.toggle("Draw both bounds against the dimension", key="em_by_dimension"):
        return
    found = exponential.dimension_curves(state.epsilon, state.delta, state.n, DIMENSIONS)
    export.chart(
        figures.dimension_figure(found, cards.theme_mode()), key="em_dimension", alt="Both bounds against the dimension"
    )


def sampler(state: ExponentialView) -> None:
    """Run both samplers on the landscape shown and compare them with the truth."""
    if state.view == "finite":
        say.info(
            "A finite list needs no Markov chain: its law is drawn exactly. Choose the 1-D or 2-D view to test the samplers."
        )
        return
    steps = say.select_slider(
        "Steps per chain", [50, 100, 200, 400, 800, 1600], value=200, key="em_steps",
    )  # fmt: skip
    if not say.button("Run both samplers", key="em_run"):
        say.caption(
            "16 chains of each, compared with the density above: R̂, effective draws, distance to the exact law."
        )
        return
    mechanism = state.mechanism()
    with say.spinner("Sampling"):
        found = exponential.check_samplers(state.landscape(), mechanism.k, mechanism.mu, steps=steps, seed=state.seed)
    say.table(
        pd.DataFrame(
            [
                {"sampler": one.name, "R̂": one.rhat, "effective draws": one.effective, "accepted": one.acceptance,
                 "KS distance to the exact law": one.distance, "sampling noise (95 %)": one.noise,
                 "proven TV of the last draw": one.total_variation}
                for one in found
            ]
        ),
        hide_index=True,
    )  # fmt: skip
    exact = exponential.marginal(state.landscape(), mechanism.k, mechanism.mu)
    histograms = figures.sampler_figure(exact, [one.histogram for one in found], cards.theme_mode())
    export.chart(histograms, key="em_samplers", alt="Histograms of both samplers over the exact density")
    for one in found:
        if one.warning:
            say.warning(f"{one.name}: {one.warning}")
    needed = exponential.steps_needed(state.landscape(), mechanism.k, mechanism.mu, state.epsilon, state.delta)
    say.markdown(
        md(
            "**What a release needs**: {} proximal steps put the draw so close to its target, whatever the data, that the "
            "surcharge $(1 + e^\\varepsilon)$ TV is a thousandth of δ = {}. R̂ is only a symptom; the certificate is a proof.",
            needed,
            number(state.delta),
        )
    )
