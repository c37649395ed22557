"""Private training: what solvers cost, and what stopping early saves."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.exhibits import training
from dpcore.exhibits.training import figure as figures
from pages.components import cards, controls, export, say
from pages.components.say import md
from pages.components.words import number, times

_COUNTS = "training_solver_counts"
_TAUS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)


def choices() -> tuple[int, float]:
    """Sidebar controls: the largest n, and ε of the stopping rule."""
    largest = controls.count_slider("Largest n", 20_000, 5000, key="tr_largest")
    return largest, controls.log_slider("Budget ε of the stopping rule", 0.1, 10.0, 1.0, key="tr_stop_epsilon")


def section(largest: int, epsilon: float, delta: float) -> tuple[dict[str, go.Figure], pd.DataFrame, list[str]]:
    """Two studies behind buttons; their figures, data, and what they show."""
    drawn, frames, said = {}, [], []
    left, right = st.columns(2, gap="small")
    with left:
        say.markdown(md("**Gradient evaluations until ‖∇J‖ ≤ τ**, λ fixed"))
        counts = _counts(largest)
        if counts:
            drawn["Solver cost"] = figures.solver_figure(
                counts, cards.theme_mode(), bound=training.sag_bound(_sizes(largest)), height=380
            )
            export.chart(drawn["Solver cost"], key="tr_chart_solvers", alt="Gradient evaluations against records")
            frames.append(pd.DataFrame([vars(point) for point in counts]))
            said += [
                md(
                    "**{}**: evaluations grow like $n^{{{}}}$ here; the theory's worst case (dotted) has the exponent {:g}.",
                    training.SOLVER_TITLES[key],
                    number(training.slope(counts, key)),
                    training.THEORY_SLOPES[key],
                )
                for key in training.SOLVER_TITLES
            ] + sorted({point.problem for point in counts if point.problem})
            said.append(_proven(counts))
    with right:
        say.markdown(md("**Stopping at τ** costs noise σₒᵤₜ on the result, at the same (ε, δ)"))
        key = f"training_stopping_{epsilon}_{delta}"
        if say.button("Measure the stopping rule", key="tr_run_stop"):
            with say.spinner("Solving to six tolerances"):
                st.session_state[key] = training.stopping_tradeoff(_TAUS, epsilon=epsilon, delta=delta)
        stops = st.session_state.get(key)
        if stops:
            drawn["Stopping rule"] = figures.stopping_figure(stops, cards.theme_mode(), height=380)
            export.chart(drawn["Stopping rule"], key="tr_chart_stop", alt="Evaluations and added noise against tau")
            frames.append(pd.DataFrame([vars(point) for point in stops]))
            saved = stops[0].evaluations / stops[-1].evaluations
            said.append(
                md(
                    "**A small τ is cheap**: τ = {} instead of {} takes {} the work and "
                    "brings σₒᵤₜ from {} down to {}, because SAG converges "
                    "linearly while only τ/(λσₒᵤₜ) enters the guarantee.",
                    number(_TAUS[0]),
                    number(_TAUS[-1]),
                    times(saved),
                    number(stops[-1].sigma_out),
                    number(stops[0].sigma_out),
                )
            )
    return drawn, pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(), said


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


def _counts(largest: int) -> list[training.SolverPoint]:
    sizes = _sizes(largest)
    key = f"{_COUNTS}_{sizes[-1]}"
    if say.button("Count evaluations", key="tr_run_counts"):
        bar, found = say.progress(0.0, "Solving"), []
        for point in training.solver_counts(sizes):
            found.append(point)
            say.progress(
                len(found) / (4 * len(sizes)), f"{training.SOLVER_TITLES[point.solver]}, n = {point.n}", on=bar
            )
        bar.empty()
        st.session_state[key] = found
    return st.session_state.get(key, [])
