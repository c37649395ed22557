"""The simulations of the noise-augmentation page: run in pieces, shown as they come, stopped at any time."""

import time

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.audit.napp_claims import Claim, simulation_claims
from dpcore.figures import napp as figures
from dpcore.learners.napp.settings import SETTINGS
from dpcore.learners.napp.study import METHODS, SCORES, Study, Summary, summarise
from pages.components import cards, export
from pages.components.napp_state import FULL_EPSILONS, QUICK_EPSILONS, State
from pages.components.words import number

_PIECE = 0.7  # seconds of work between two looks at the stop button
_QUICK_ROWS = 3000  # of a loaded file, unless full size is asked for
_PRIVATE = ("NAPP", "DP-ERM", "VS", "VS, sum", "VS+", "VS+, sum")
_SHOWN = {
    "distance": ("MOOR, b = 0", "sum, b = 0"),
    "selection": ("lasso", *_PRIVATE),
    "prediction": ("lasso", *_PRIVATE),
    "budget": ("lasso", *_PRIVATE),
    "retrieval": _PRIVATE,
    "recycling": ("NAPP", "NAPP, recycled", "VS", "VS, recycled", "VS+", "VS+, recycled"),
}


def study(state: State) -> Study | None:
    """The study the sidebar asks for; None while there are no data."""
    if not state.simulated:
        case = state.case()
        if case is None:
            return None
        epsilons = (0.1, 0.4, 0.7, 1.0) if state.full else (0.1, 1.0)
        repeats = 20 if state.full else 3
        return Study(
            case, max(2, int(0.67 * len(case.y))), epsilons, (0.1, 0.4, 1.0), repeats, state.delta, state.printed
        )
    low, high = SETTINGS[state.data].strengths
    count = 12 if state.full else 8
    strengths = tuple(float(f"{low * (high / low) ** (k / (count - 1)):.4g}") for k in range(count))
    epsilons = FULL_EPSILONS if state.full else QUICK_EPSILONS
    return Study(state.data, state.n, epsilons, strengths, 500 if state.full else 12, state.delta, state.printed)


def show(state: State) -> tuple[Summary | None, dict[str, go.Figure], pd.DataFrame, list[Claim]]:
    """Controls, progress, the chosen figure and the statements checked so far."""
    wanted = study(state)
    if wanted is None:
        return None, {}, pd.DataFrame(), []
    kept = st.session_state.setdefault("data_napp_points", {})
    points = kept.setdefault(wanted.key, {})
    place = st.container()
    summary = summarise(wanted, points)
    drawn, claims = {}, []
    if summary is None:
        st.info("No point is finished yet. Run the simulation: it can be stopped at any time and keeps what it has.")
    else:
        drawn, claims = _figures(state, summary), simulation_claims(summary)
        columns = st.columns(len(drawn), gap="small")
        for column, (title, fig) in zip(columns, drawn.items(), strict=True):
            with column:
                export.chart(fig, key=f"na_{title}", alt=title)
    with place:
        _buttons(wanted, points)
    return summary, drawn, _table(summary), claims


def _buttons(wanted: Study, points: dict[tuple[float, int], object]) -> None:
    total = len(wanted.tasks())
    done = total - len(wanted.missing(points))
    running = st.session_state.get("napp_running") == wanted.key
    with st.container(horizontal=True, vertical_alignment="center"):
        if done < total:
            label = "Stop" if running else "Continue" if done else "Run"
            icon = ":material/stop:" if running else ":material/play_arrow:"
            st.button(label, key="na_run", icon=icon, on_click=_set, args=(None if running else wanted.key,))
        st.progress(done / total, text=f"{done} of {total} data sets")


def advance(state: State) -> None:
    """One piece of a running study, then draw again; called last, so that the page stands while it works."""
    if state.view != "study" or st.session_state.get("napp_running") is None:
        return
    wanted = study(state)
    if wanted is None or st.session_state["napp_running"] != wanted.key:
        return
    points = st.session_state["data_napp_points"][wanted.key]
    started = time.monotonic()
    for point in wanted.run(points):
        points[point.key] = point
        if time.monotonic() - started > _PIECE:
            break
    if not wanted.missing(points):
        _set(None)
    st.rerun()


def _set(key: object) -> None:
    st.session_state["napp_running"] = key


def _figures(state: State, summary: Summary) -> dict[str, go.Figure]:
    mode, figure = cards.theme_mode(), state.figure
    epsilon = state.epsilon if state.epsilon in summary.epsilons else max(summary.epsilons)
    methods = _SHOWN[figure]
    error = (
        "mean squared error"
        if state.data in ("linear", "poisson") or state.loss in ("squared", "poisson")
        else "misclassified"
    )
    error = "misclassified" if state.data == "logistic" else error
    known = state.simulated
    if figure == "distance" and known:
        chart = figures.score_figure(summary, "distance to lasso", epsilon, methods, "‖θ − lasso‖", mode)
        return {f"Distance to the lasso, ε = {number(epsilon)}": chart}
    if figure == "selection" and known:
        return {f"Selection, ε = {number(epsilon)}": figures.roc_figure(summary, epsilon, methods, mode)}
    if figure == "retrieval":
        chart = figures.score_figure(summary, "retrieved", epsilon, methods, "share of (1 − r)ε retrieved", mode)
        return {f"Retrieved budget, ε = {number(epsilon)}": chart}
    if figure == "budget":
        at = len(summary.strengths) // 2
        title = f"Error against ε, Λ = {number(summary.strengths[at])}"
        return {title: figures.budget_figure(summary, at, methods, error, mode)}
    found = {}
    if figure == "recycling" and known:
        found[f"Selection, ε = {number(epsilon)}"] = figures.roc_figure(summary, epsilon, methods, mode)
    chart = figures.score_figure(summary, "prediction error", epsilon, methods, error, mode)
    return found | {f"Prediction error, ε = {number(epsilon)}": chart}


def _table(summary: Summary | None) -> pd.DataFrame:
    if summary is None:
        return pd.DataFrame()
    parts = []
    for epsilon in summary.epsilons:
        for method in METHODS:
            scores = {score: summary.of(method, score, epsilon) for score in SCORES}
            parts.append(pd.DataFrame({"epsilon": epsilon, "method": method, "strength": summary.strengths, **scores}))
    return pd.concat(parts, ignore_index=True)


def metrics(summary: Summary | None, state: State) -> list[cards.Metric]:
    """What the finished part says at the largest ε."""
    if summary is None:
        return [
            cards.Metric("Finished repeats", "0"),
            cards.Metric("Methods", str(len(METHODS)), "all at each Λ and ε"),
            cards.Metric("Noise", "Gaussian, Eq. (4)" if state.delta else "spherical Laplace"),
        ]
    top = max(summary.epsilons)
    best = {name: float(min(summary.of(name, "prediction error", top))) for name in ("lasso", "NAPP", "VS+")}
    return [
        cards.Metric(
            "Finished repeats", str(summary.repeats), f"{summary.failed} fits failed" if summary.failed else None
        ),
        cards.Metric(f"Least error, NAPP, ε = {number(top)}", number(best["NAPP"]), f"lasso {number(best['lasso'])}"),
        cards.Metric("Least error, VS+", number(best["VS+"]), f"lasso {number(best['lasso'])}"),
        cards.Metric("Guarantee of all of them", "claimed, refuted", help="See the view 'Is this private?'"),
    ]
