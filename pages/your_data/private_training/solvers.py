"""Private training: what solvers cost, and what stopping early saves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pandas as pd
import streamlit as st

from dpcore.exhibits import training
from dpcore.exhibits.training import SAG_CARD
from dpcore.exhibits.training import figure as figures
from dpcore.learners import AMP
from dpcore.references import FormulaCard
from pages.components import cards, say
from pages.components.page import Chart, place
from pages.components.say import md
from pages.components.words import number, times
from pages.your_data.private_training.view import View
from pages.your_data.private_training.words import DECISIONS

_TAUS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)


@dataclass(frozen=True)
class Solvers(View):
    """Two studies behind buttons: gradient evaluations counted, and the rule that stops early measured."""

    confidential: ClassVar[str] = ""

    @property
    def _keys(self) -> tuple[str, str]:
        asked = self.asked
        return (
            f"training_solver_counts_{_sizes(asked.largest)[-1]}",
            f"training_stopping_{asked.stop_epsilon}_{asked.delta}",
        )

    @property
    def counts(self) -> list[training.SolverPoint]:
        """Evaluations counted."""
        return st.session_state.get(self._keys[0], [])

    @property
    def stops(self) -> list[training.StoppingPoint]:
        """Tolerances measured."""
        return st.session_state.get(self._keys[1], [])

    def charts(self) -> list[Chart]:
        """Of what there is."""
        mode, counts, stops = cards.theme_mode(), self.counts, self.stops
        bound = training.sag_bound(_sizes(self.asked.largest)) if counts else None
        found = [
            (counts, Chart("Solver cost", lambda: figures.solver_figure(counts, mode, bound=bound, height=380),
                           "Gradient evaluations against records", "tr_chart_solvers")),
            (stops, Chart("Stopping rule", lambda: figures.stopping_figure(stops, mode, height=380),
                          "Evaluations and added noise against tau", "tr_chart_stop")),
        ]  # fmt: skip
        return [chart for points, chart in found if points]

    def body(self) -> list[Chart]:
        """Each study with its button and its chart."""
        left, right = st.columns(2, gap="small")
        with left:
            say.markdown(md("**Gradient evaluations until ‖∇J‖ ≤ τ**, λ fixed"))
            if say.button("Count evaluations", key="tr_run_counts"):
                self._count()
            self._place("Solver cost")
        with right:
            say.markdown(md("**Stopping at τ** costs noise σₒᵤₜ on the result, at the same (ε, δ)"))
            if say.button("Measure the stopping rule", key="tr_run_stop"):
                with say.spinner("Solving to six tolerances"):
                    st.session_state[self._keys[1]] = training.stopping_tradeoff(
                        _TAUS, epsilon=self.asked.stop_epsilon, delta=self.asked.delta
                    )
            self._place("Stopping rule")
        return self.charts()

    def _place(self, title: str) -> None:
        for chart in self.charts():
            if chart.title == title:
                place(chart)

    def _count(self) -> None:
        sizes, found = _sizes(self.asked.largest), []
        bar = say.progress(0.0, "Solving")
        for point in training.solver_counts(sizes):
            found.append(point)
            said = f"{training.SOLVER_TITLES[point.solver]}, n = {point.n}"
            say.progress(len(found) / (4 * len(sizes)), said, on=bar)
        bar.empty()
        st.session_state[self._keys[0]] = found

    def notes(self) -> list[str]:
        """What was counted and measured; before that, how the page decides."""
        counts, stops, said = self.counts, self.stops, []
        if counts:
            said += [
                md(
                    "**{}**: evaluations grow like $n^{{{}}}$ here; the theory's worst case (dotted) has the exponent {:g}.",
                    training.SOLVER_TITLES[key],
                    number(training.slope(counts, key)),
                    training.THEORY_SLOPES[key],
                )
                for key in training.SOLVER_TITLES
            ] + sorted({point.problem for point in counts if point.problem})
            said.append(_proven(counts))  # fmt: skip
        if stops:
            said.append(
                md(
                    "**A small τ is cheap**: τ = {} instead of {} takes {} the work and brings σₒᵤₜ from {} down to {}, because SAG "
                    "converges linearly while only τ/(λσₒᵤₜ) enters the guarantee.",
                    number(_TAUS[0]), number(_TAUS[-1]), times(stops[0].evaluations / stops[-1].evaluations),
                    number(stops[-1].sigma_out), number(stops[0].sigma_out),
                )
            )  # fmt: skip
        return said or DECISIONS

    def frame(self) -> pd.DataFrame:
        """All points."""
        return pd.DataFrame([vars(point) for point in (*self.counts, *self.stops)])

    def formulas(self) -> list[FormulaCard]:
        """What is solved, and what the solver costs at most."""
        return [AMP.card, SAG_CARD]

    def program(self) -> str:
        """The lines of dpcore behind both studies."""
        return "\n".join(
            [
                "import dpcore as dp",
                "training = dp.exhibits.training",
                "counts = list(training.solver_counts((100, 200, 500, 1000)))",
                '[(c.solver, c.n, c.evaluations) for c in counts], training.slope(counts, "sag")',
                "training.sag_bound((100, 200, 500, 1000))",
                "training.stopping_tradeoff((1e-6, 1e-3, 1e-1), epsilon=1.0)",
            ]
        )


def _proven(counts: list[training.SolverPoint]) -> str:
    """What Theorem G.1 allows against what was counted."""
    last = [point for point in counts if point.solver == "sag"][-1]
    allowed = float(training.sag_bound([last.n]).y[0])
    return md(
        "**Theorem G.1, with the constants of its proof**, allows SAG {} evaluations at n = {} except with probability 0.01, for any "
        "records of norm ≤ 1; here it took {}. It grows like n log n while λ stays. It is proven for steps of 1/16 from a full memory of "
        "gradients; the runs here start with an empty one, which has no proof of its own.",
        number(allowed),
        number(last.n),
        number(last.evaluations),
    )


def _sizes(largest: int) -> list[int]:
    return [n for n in (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000) if n <= max(largest, 200)]
