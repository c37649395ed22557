"""Metrics and charts of the exponential-mechanism page."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.exhibits.exponential_mechanism import figure as figures
from dpcore.exhibits.exponential_mechanism import study as exponential
from dpcore.mechanisms import ExponentialMechanism, InexactDraw, RegularizedExponential
from dpcore.mechanisms.selection import SELECTION_MECHANISMS, excess_error_bound
from dpcore.profiles import curves
from pages.components import cache, cards, export, say, state
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import count, number, programs, times

_sentence, _program = say.sentences(__file__), programs(__file__)

EPSILONS = (0.1, 8.0)
VIEWS = {"line": "1-D", "plane": "2-D", "finite": "Finite list"}
GRID = (0.1, 0.14, 0.2, 0.28, 0.4, 0.56, 0.8, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)
_RAINS = 999

# Most draws, and most classifiers, whose chart follows the ε slider without a rerun.
# Doubled, the frames sent to the browser would be up to twice as large.
MOST_DRAWN, MOST_LISTED = 400, 250
DIMENSIONS = (1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 200, 300, 500, 700, 1000)


def _rain_number(asked: Any, key: str) -> int:
    """The number of the random draws shown ("rain"), which seeds them; the button goes on to the next number."""

    def again() -> None:
        st.session_state[key] = st.session_state[key] % _RAINS + 1

    with st.container(horizontal=True, vertical_alignment="bottom"):
        number_of = say.number_input("Rain", 1, _RAINS, 1, step=1, key=key, width=110)
        say.button("Another rain", key="em_again", icon=":material/refresh:", on_click=again)
    return int(number_of)


@dataclass(frozen=True)
class ExponentialView:
    """The choices made in the sidebar."""

    view: str = state.one_of(
        "View", VIEWS, "line",
        help=md("1-D: private median on [−1, 1]. 2-D: private logistic classifier in the unit disc. Finite list: thresholds."),
    )  # fmt: skip
    epsilon: float = state.log("Privacy budget ε", *EPSILONS, 1.0)
    delta: float = state.delta(when=lambda asked: asked.view != "finite")
    n: int = state.whole("Records n", 10, 1000, 100)
    centre: float = state.linear(
        "Centre of the records", -1.0, 1.0, 0.3, step=0.05, when=lambda asked: asked.view == "line"
    )
    noise: float = state.linear(
        "Share of wrong labels", 0.0, 0.5, 0.1, step=0.05, when=lambda asked: asked.view != "line"
    )
    hypotheses: int = state.whole(
        md("Classifiers in the list |H|"), 10, 1000, 100, when=lambda asked: asked.view == "finite"
    )
    draws: int = state.whole("Draws shown", 10, 1000, 200, when=lambda asked: asked.view != "finite")
    seed: int = state.control(1, _rain_number, when=lambda asked: asked.view != "finite")

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
        return cache.shared(exponential.finite_landscape, self.n, self.hypotheses, self.noise, self.epsilon)

    def densities(self) -> list[curves.Curve]:
        """Output densities of the 1-D view, before and after one record is replaced."""
        found, mechanism = self.landscape(), self.mechanism()
        return [
            found.density_curve("output density", mechanism.k, mechanism.mu),
            found.density_curve("one record replaced", mechanism.k, mechanism.mu, neighbour=True),
        ]

    @property
    def cards(self) -> list:
        return [ExponentialMechanism.card] if self.view == "finite" else [RegularizedExponential.card, InexactDraw.card]


def headline(shown: ExponentialView) -> str:
    """What one draw loses, and what the bound allows."""
    if shown.view == "finite":
        return f"A private choice costs {number(shown.finite().excess('exponential'))} more errors than the best"
    return "Worse than the best by {} on average; bound {}".format(*map(number, _measured(shown)))


def _measured(shown: ExponentialView) -> tuple[float, float]:
    """What a draw of the regularised mechanism loses on average, and at most by the theorem."""
    mechanism = shown.mechanism()
    return shown.landscape().excess(mechanism.k, mechanism.mu), mechanism.excess_risk(shown.dimension, 1.0)


def metrics(shown: ExponentialView) -> list[cards.Metric]:
    """Cards for the expected excess of each mechanism with its bound, and for the privacy loss of the pair shown."""
    if shown.view == "finite":
        found = shown.finite()
        base = found.excess("exponential")
        return (
            [cards.Metric("Errors of the best", count(float(min(found.errors))), f"of {shown.n} records")]
            + [
                cards.Metric(words, f"{number(found.excess(method))} extra",
                             None if method == "exponential" or not base else f"{times(found.excess(method) / base)} exponential")
                for method, words in SELECTION_MECHANISMS.items()
            ]
        )  # fmt: skip
    found, mechanism = shown.landscape(), shown.mechanism()
    measured, bound = _measured(shown)
    k = exponential.pure_temperature(shown.epsilon, shown.n)
    pure = found.excess(k, 0.0)
    return [
            cards.Metric("Excess risk, regularised", number(measured), f"bound {number(bound)}",
                         help="Expected mean loss of one draw above the minimum, by quadrature."),
            cards.Metric("Excess risk, pure ε-DP", number(pure), f"bound {number(shown.dimension / k)}",
                         help=md("The unregularised mechanism at k = εn/(4GB), which needs no δ.")),
            cards.Metric("ε of the pair shown", number(found.pair_epsilon(mechanism.k, mechanism.mu, shown.delta)),
                         f"promised {number(shown.epsilon)}", help="Smallest ε at the same δ for these data against the "
                         "same data with one record replaced, by quadrature of both densities."),
            cards.Metric("Shift Δ of the theorem", number(mechanism.shift), f"k = {number(mechanism.k)}, μ = {number(mechanism.mu)}"),
    ]  # fmt: skip


def charts(shown: ExponentialView) -> list[Chart]:
    """Charts of the risk, of the landscape with draws from it, and of all risks; for a finite list, of its output law."""
    mode = cards.theme_mode()
    if shown.view == "finite":
        top = max(float(law.max()) for law in replace(shown, epsilon=EPSILONS[1]).finite().laws.values())
        return [
            Chart("Selection", lambda: figures.finite_figure(shown.finite(), mode, top=top),
                  "Errors of each classifier and the probability of releasing it",
                  "em_finite", moves=shown.hypotheses <= MOST_LISTED)
        ]  # fmt: skip
    here = [
        (risk, f"{name} {number(risk)}")
        for name, risk in zip(("on average:", "theorem: on average at most"), _measured(shown), strict=True)
    ]
    risks, draw = _risks(shown), partial(figures.landscape_risk_figure, at=shown.epsilon, mode=mode)
    pair = [curve for curve in risks if curve.name.startswith("Regularised")]
    first = (
        Chart("Draws", lambda: _bowl(shown, here, mode), "Answers drawn, and how much worse than the best each of them is",
              "em_bowl", moves=shown.draws <= MOST_DRAWN, caption=_sentence("draw_in_place_of_best"))
        if shown.view == "line" else
        Chart("Excess risk", lambda: draw(pair, here=here), "Excess risk against epsilon, measured and its bound", "em_risk",
              caption=_sentence("draw_in_place_of_best"))
    )  # fmt: skip
    return [
        first,
        Chart("Landscape", lambda: _landscape(shown, mode), "Density of the output with draws from it", "em_landscape",
              moves=shown.view == "line" and shown.draws <= MOST_DRAWN),
        Chart("All risks", lambda: draw(risks), "Excess risk against epsilon of both mechanisms, bounds and rates", "em_risks"),
    ]  # fmt: skip


def _bowl(shown: ExponentialView, here: list[tuple[float, str]], mode: str) -> go.Figure:
    found, mechanism = shown.landscape(), shown.mechanism()
    draws = found.draws(mechanism.k, mechanism.mu, shown.draws, shown.seed)[:, 0]
    worse = found.worse()
    return figures.bowl_figure(worse, found.worse(draws), float(worse.x[worse.y.argmin()]), here, mode)


def _landscape(shown: ExponentialView, mode: str) -> go.Figure:
    found, mechanism = shown.landscape(), shown.mechanism()
    rain = found.draws(mechanism.k, mechanism.mu, shown.draws, shown.seed)
    if shown.view == "plane":
        return figures.plane_figure(*found.picture(mechanism.k, mechanism.mu), rain, mode)
    top = max(curves.peak(curve)[1] for curve in replace(shown, epsilon=EPSILONS[1]).densities())
    heights = cache.shared(exponential.rain_heights, shown.draws)
    return figures.line_figure(shown.densities(), rain, heights, found.records, mode, top=top)


def data(shown: ExponentialView) -> pd.DataFrame:
    """The data behind the charts."""
    if shown.view == "finite":
        found = shown.finite()
        return pd.DataFrame({"threshold": found.thresholds, "errors": found.errors} | found.laws)
    return curves.table(_risks(shown), "epsilon", "excess risk")


def _risks(shown: ExponentialView) -> list[curves.Curve]:
    return cache.shared(risks_of, replace(shown, epsilon=1.0, draws=1, seed=0))


def risks_of(shown: ExponentialView) -> list[curves.Curve]:
    """Risk curves of a landscape."""
    return exponential.landscape_risks(shown.landscape(), shown.delta, GRID)


def dimension_chart(shown: ExponentialView) -> None:
    """Show both bounds against the dimension d: one grows like √d, the other like d."""
    found = exponential.dimension_curves(shown.epsilon, shown.delta, shown.n, DIMENSIONS)
    export.chart(
        figures.dimension_figure(found, cards.theme_mode()), key="em_dimension", alt="Both bounds against the dimension"
    )


def notes(shown: ExponentialView) -> list[str]:
    """Sentences computed from what is on the screen."""
    if shown.view == "finite":
        found = shown.finite()
        best = min(SELECTION_MECHANISMS, key=found.excess)
        bound = excess_error_bound(len(found.errors), shown.epsilon, 0.05)
        return [
            _sentence("loses_least_here", SELECTION_MECHANISMS[best], found.excess(best)),
            _sentence("union_bound_generous", bound, len(found.errors)),
            _sentence("all_weight_goes_on"),
        ]
    found, mechanism = shown.landscape(), shown.mechanism()
    real = found.pair_epsilon(mechanism.k, mechanism.mu, shown.delta)
    pure = shown.dimension / exponential.pure_temperature(shown.epsilon, shown.n)
    bound = mechanism.excess_risk(shown.dimension, 1.0)
    return [
        _sentence("temperature", mechanism.k),
        _sentence("pair_loses_less_than", real, shown.epsilon),
        _sentence("smaller_bound", "Pure ε-DP" if pure < bound else "The regularised mechanism", pure, bound),
        md("**Rates are not bounds**: the dash-dotted lines drop their constants and may lie below what is measured."),
    ]


def program(shown: ExponentialView) -> str:
    """The lines of dpcore that make these numbers."""
    return _program(shown.view, state=shown, mechanism=shown.mechanism())
