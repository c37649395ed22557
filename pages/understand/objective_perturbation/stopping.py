"""The view of a solver that stops: its controls, its mechanism, its charts."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.errors import ParameterError
from dpcore.exhibits.objective_perturbation import figure as figures
from dpcore.exhibits.objective_perturbation import stopped_solver as study
from dpcore.mechanisms import ApproximateMinimaPerturbation
from dpcore.profiles import curves
from pages.components import cache, cards, controls, export
from pages.understand.objective_perturbation import views


def choose() -> tuple[float, float]:
    """Sliders for where the solver stops and for the noise on its result."""
    tau = controls.log_slider(
        "Solver stops at gradient norm τ", *views.RANGES["tau"], 0.01, key="op_tau", help="0.01 in the source"
    )
    sigma_out = controls.log_slider(
        "Noise on the result σₒᵤₜ", *views.RANGES["sigma_out"], 0.15, key="op_sigma_out", help="0.15 in the source"
    )
    return tau, sigma_out


def stopped_solver(state: views.ObjectiveView, bound: str) -> ApproximateMinimaPerturbation:
    """The mechanism of a bound with the solver that stops."""
    return study.stopped(state.mechanism(bound), state.tau, state.sigma_out)


def too_early(state: views.ObjectiveView) -> str:
    """Why no curve can be drawn of a solver that stops here, as a sentence; empty where it can."""
    try:
        stopped_solver(state, "tight")
    except ParameterError as error:
        return f"{error}."
    return ""


def draw(state: views.ObjectiveView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """δ(ε) with and without a solver that stops, and ε against σₒᵤₜ."""
    mode, sampled, budgets = cards.theme_mode(), [], []
    for bound, name, points in (("tight", "Stopped", 17), ("renyi", "Thm 4.1", 41)):
        sampled.append(views.profile_curve(state, bound, cache.shared))
        whole = stopped_solver(state, bound)
        sampled.append(cache.shared(curves.guarantee_curve, name, whole, state.epsilon_max, points=61))
        budgets.append(
            cache.shared(study.budget_by_output_noise, name, state.mechanism(bound), state.tau, state.delta, points)
        )
    drawn = {
        "Stopped solver": figures.bounds_figure(sampled, mode, floor=state.floor),
        "Noise on the result": figures.output_noise_figure(budgets, state.sigma_out, mode),
    }
    left, right = st.columns([3, 2], gap="small")
    with left:
        export.chart(
            drawn["Stopped solver"], key="op_stopped", alt="Delta against epsilon with and without a stopping solver"
        )
    with right:
        export.chart(drawn["Noise on the result"], key="op_output_noise", alt="Epsilon against the noise on the result")
    return drawn, curves.table(sampled, "epsilon", "delta")
