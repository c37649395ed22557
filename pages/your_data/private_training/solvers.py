"""Private training: how much solvers cost, and how much an early stop saves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd
import streamlit as st

from dpcore.exhibits import training
from dpcore.exhibits.training import SAG_CARD
from dpcore.exhibits.training import figure as figures
from dpcore.exhibits.training.solver_study import Runner, race
from dpcore.learners import AMP
from dpcore.references import FormulaCard
from pages.components import cache, cards, say
from pages.components.charts import Chart, place, row
from pages.components.say import md
from pages.components.words import number, programs
from pages.your_data.private_training.view import View

_sentence, _program = say.sentences(__file__), programs(__file__)

_TAUS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)

# Number of records in the study of the stopping rule. Doubled, the study takes twice as long, for the same slope.
_RECORDS = 1000
_STOPS = "training_stopping"

# The ‖∇J‖ at which the passes of every solver are counted. Doubled, each solver needs fewer passes.
_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Solvers(View):
    """A race of solvers on one problem; a tab has their cost against the number of records and the stopping rule."""

    confidential: ClassVar[str] = ""

    @property
    def runners(self) -> list[Runner]:
        """Gradient norm against passes, for every solver."""
        return cache.shared(race)

    @property
    def counts(self) -> list[training.SolverPoint]:
        """The counted gradient evaluations of each solver, for several numbers of records."""
        return cache.shared(_counted, tuple(_sizes(self.asked.largest)))

    @property
    def stops(self) -> list[training.StoppingPoint]:
        """The measured points of the stopping rule; empty until they are computed in their tab."""
        return st.session_state.get(_STOPS, [])

    def headline(self) -> str:
        """The passes that SAG and gradient descent need."""
        needed = {one.solver: one.needed(_TOLERANCE) for one in self.runners}
        return f"SAG is there after {needed['sag']:.0f} passes, gradient descent after {needed['gradient_descent']:.0f}"

    def metrics(self) -> list[cards.Metric]:
        """Cards for the passes that each solver needs, and for its gradient norm after the passes shown."""
        said = []
        for one in self.runners:
            now = one.norm[one.passes <= self.asked.passes]
            at = f"‖∇J‖ {number(float(now[-1]))} after {self.asked.passes}" if now.size else ""
            said.append(
                cards.Metric(f"Passes, {training.SOLVER_TITLES[one.solver]}", f"{one.needed(_TOLERANCE):.0f}", at)
            )
        return said

    def moving(self) -> list[Chart]:
        """The chart of the race, up to the passes shown."""
        return [
            Chart("Race of solvers", lambda: figures.race_figure(self.runners, self.asked.passes, cards.theme_mode()),
                  "Gradient norm of each solver against passes over the records", "tr_chart_race")
        ]  # fmt: skip

    @property
    def cost(self) -> Chart:
        """The chart of evaluations against the number of records."""
        bound = training.sag_bound(_sizes(self.asked.largest))
        return Chart("Solver cost", lambda: figures.solver_figure(self.counts, cards.theme_mode(), bound=bound),
                     "Gradient evaluations against records", "tr_chart_solvers")  # fmt: skip

    @property
    def stop(self) -> Chart:
        """The chart of the stopping rule."""
        return Chart("Stopping rule", lambda: figures.stopping_figure(self.stops, cards.theme_mode()),
                     "Evaluations and added noise against tau", "tr_chart_stop")  # fmt: skip

    def charts(self) -> list[Chart]:
        """Charts of the race and of both studies, as far as they are computed."""
        return [*self.moving(), self.cost, *([self.stop] if self.stops else [])]

    def body(self) -> list[Chart]:
        """Draw the race; return all charts, so that each can be downloaded."""
        row(self.moving())
        return self.charts()

    def more(self) -> dict[str, Callable[[], None]]:
        """A tab with both studies."""
        return {"Cost and stopping": self._studies}

    def _studies(self) -> None:
        left, right = st.columns(2, gap="small")
        with left:
            say.markdown(md("**Gradient evaluations until ‖∇J‖ ≤ τ**, λ fixed"))
            place(self.cost)
        with right:
            say.markdown(md("**Stopping at τ** costs noise σₒᵤₜ on the result, at the same ε = 1 and δ = 10⁻⁵"))
            with say.spinner("Solving to six tolerances"):
                st.session_state[_STOPS] = cache.shared(training.stopping_tradeoff, _TAUS, n=_RECORDS)
            place(self.stop)

    def notes(self) -> list[str]:
        """Sentences on what was counted and measured."""
        counts, stops = self.counts, self.stops
        said = [
            _sentence("evaluations_grow", title, training.slope(counts, key), training.THEORY_SLOPES[key])
            for key, title in training.SOLVER_TITLES.items()
        ] + sorted({point.problem for point in counts if point.problem})
        said.append(_proven(counts))
        if stops:
            first, last = stops[0], stops[-1]
            work = first.evaluations / last.evaluations
            said.append(_sentence("small_tau_cheap", _TAUS[0], _TAUS[-1], work, last.sigma_out, first.sigma_out))
        said.append(_sentence("what_a_pass_is"))
        return said

    def data(self) -> pd.DataFrame:
        """A table of all points of both studies."""
        return pd.DataFrame([vars(point) for point in (*self.counts, *self.stops)])

    def formulas(self) -> list[FormulaCard]:
        """Formula cards of the problem that is solved, and of the bound on the cost of SAG."""
        return [AMP.card, SAG_CARD]

    def program(self) -> str:
        """The lines of dpcore behind both studies."""
        return _program("solvers")


def _proven(counts: list[training.SolverPoint]) -> str:
    """A sentence that compares the bound of Theorem G.1 with the counted evaluations."""
    last = [point for point in counts if point.solver == "sag"][-1]
    allowed = float(training.sag_bound([last.n]).y[0])
    return _sentence("theorem_g1", allowed, last.n, last.evaluations)


def _counted(sizes: tuple[int, ...]) -> list[training.SolverPoint]:
    return list(training.solver_counts(sizes))


def _sizes(largest: int) -> list[int]:
    return [n for n in (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000) if n <= max(largest, 200)]
