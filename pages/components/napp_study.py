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

_RUNNING = "napp_running"
_PIECE = 0.5  # seconds of work between two looks at the stop button
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
        train = max(2, int(0.67 * len(case.y)))
        rows = train if state.full else min(train, _QUICK_ROWS)
        return Study(case, rows, epsilons, (0.1, 0.4, 1.0), repeats, state.delta, state.printed)
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
    total = len(wanted.tasks())
    running = st.session_state.get(_RUNNING) == wanted.key and bool(wanted.missing(points))
    left, right, bar = st.columns([1, 1, 4], gap="small", vertical_alignment="center")
    left.button(
        "Continue" if points else "Run", key="na_run", on_click=_set, args=(wanted.key,), width="stretch", type="primary",
        disabled=running or not wanted.missing(points),
    )  # fmt: skip
    right.button("Stop", key="na_stop", on_click=_set, args=(None,), width="stretch", disabled=not running)

    @st.fragment(run_every=0.1 if running else None)
    def filling() -> None:
        if st.session_state.get(_RUNNING) == wanted.key:
            _work(wanted, points)
        done = total - len(wanted.missing(points))
        st.progress(done / total, text=f"{done} of {total} data sets")
        _charts(state, summarise(wanted, points))
        if running and done == total:
            _set(None)
            st.rerun()

    filling()
    bar.caption("What is finished stays when a control moves.")
    summary = summarise(wanted, points)
    if summary is None:
        return None, {}, pd.DataFrame(), []
    return summary, _figures(state, summary), _table(summary), simulation_claims(summary)


def _work(wanted: Study, points: dict[tuple[float, int], object]) -> None:
    started = time.monotonic()
    for point in wanted.run(points):
        points[point.key] = point
        if time.monotonic() - started > _PIECE:
            break


def _charts(state: State, summary: Summary | None) -> None:
    if summary is None:
        st.info("No point is finished yet. Press Run: it can be stopped at any time and keeps what it has.")
        return
    drawn = _figures(state, summary)
    for column, (title, fig) in zip(st.columns(len(drawn), gap="small"), drawn.items(), strict=True):
        with column:
            export.chart(fig, key=f"na_{title}", alt=title)


def _set(key: object) -> None:
    st.session_state[_RUNNING] = key


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
