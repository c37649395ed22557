"""The simulations of the noise-augmentation page: run in pieces, shown as they come, stopped at any time."""

import time
from math import isfinite

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.errors import DPError
from dpcore.exhibits.noise_augmentation import adult
from dpcore.exhibits.noise_augmentation import figure as figures
from dpcore.exhibits.noise_augmentation.claims import Statement, simulation_claims
from dpcore.exhibits.noise_augmentation.settings import SETTINGS
from dpcore.exhibits.noise_augmentation.simulation import (
    COMPARED,
    STUDY_SCORES,
    SimulatedPoint,
    Simulation,
    Summary,
    summarise_simulation,
)
from dpcore.glm.losses import BINARY, LOSSES
from pages.components import cards, export, say
from pages.components.say import md
from pages.components.words import number
from pages.your_data.noise_augmentation.state import AugmentationView

_RUNNING, _PROBLEM = "napp_running", "napp_problem"
_PENDING = "data_napp_pending"
_PIECE = 0.5  # seconds of work between two looks at the stop button
_QUICK_ROWS = 3000  # of a loaded file, unless full size is asked for
_ADULT_STRENGTHS = (0.1, 0.4, 1.0)
_PRIVATE = ("NAPP", "DP-ERM", "VS", "VS, sum", "VS+", "VS+, sum")
_SHOWN = {
    "distance": ("MOOR, b = 0", "sum, b = 0"),
    "selection": ("lasso", *_PRIVATE),
    "prediction": ("lasso", *_PRIVATE),
    "budget": ("lasso", *_PRIVATE),
    "retrieval": _PRIVATE,
    "recycling": ("NAPP", "NAPP, recycled", "VS", "VS, recycled", "VS+", "VS+, recycled"),
}


def study(state: AugmentationView) -> Simulation | None:
    """The study the sidebar asks for; None while there are no data."""
    if not state.simulated:
        case = state.case()
        if case is None:
            return None
        repeats = 20 if state.full else 3
        train = max(2, int(0.67 * len(case.y)))
        if state.as_printed:
            adult.source_split(case)
            return Simulation(
                case, adult.TRAIN_RECORDS, state.epsilons, _ADULT_STRENGTHS, repeats, state.delta, state.printed,
                protocol=adult.AS_IN_SOURCE,
            )  # fmt: skip
        rows = train if state.full else min(train, _QUICK_ROWS)
        return Simulation(case, rows, state.epsilons, _ADULT_STRENGTHS, repeats, state.delta, state.printed)
    low, high = SETTINGS[state.data].strengths
    count = 12 if state.full else 8
    strengths = tuple(float(f"{low * (high / low) ** (k / (count - 1)):.4g}") for k in range(count))
    return Simulation(
        state.data, state.n, state.epsilons, strengths, 500 if state.full else 12, state.delta, state.printed
    )


def show(state: AugmentationView) -> tuple[Summary | None, dict[str, go.Figure], pd.DataFrame, list[Statement]]:
    """Controls, progress, the chosen figure and the statements checked so far."""
    wanted = study(state)
    if wanted is None:
        return None, {}, pd.DataFrame(), []
    kept = st.session_state.setdefault("data_napp_points", {})
    points = kept.setdefault(wanted.key, {})
    total = len(wanted.tasks())
    running = st.session_state.get(_RUNNING) == wanted.key and bool(wanted.missing(points))
    _button(wanted.key, running, bool(points), not wanted.missing(points))
    if problem := st.session_state.pop(_PROBLEM, None):
        say.error(problem)

    @st.fragment(run_every=0.1 if running else None)
    def filling() -> None:
        if st.session_state.get(_RUNNING) == wanted.key:
            try:
                _work(wanted, points)
            except DPError as error:
                st.session_state[_PROBLEM] = str(error)
                _set(None)
                st.rerun()
        done = total - len(wanted.missing(points))
        summary = summarise_simulation(wanted, points)
        cards.metric_row(metrics(summary, state))
        say.progress(done / total, text=f"{done} of {total} data sets")
        _charts(state, summary, running)
        if running and done == total:
            _set(None)
            st.rerun()

    filling()
    summary = summarise_simulation(wanted, points)
    if summary is None:
        return None, {}, pd.DataFrame(), []
    return summary, _figures(state, summary), _table(summary), simulation_claims(summary)


def _button(key: object, running: bool, begun: bool, finished: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        start = "Finished" if finished else "Continue" if begun else "Run"
        say.button(  # one key throughout: a rerun before the end of the script would leave a button of another key standing
            "Stop" if running else start,
            key="na_run",
            type="secondary" if running else "primary",
            icon=":material/stop:" if running else ":material/check:" if finished else ":material/play_arrow:",
            on_click=_set,
            args=(None if running else key,),
            disabled=finished,
            width=140,
        )
        say.caption("What is finished stays when a control moves.")


def _work(wanted: Simulation, points: dict[tuple[float, int], SimulatedPoint]) -> None:
    """Fits for half a second; a data set that is not finished waits in the session for the next piece."""
    started, key = time.monotonic(), (wanted.key, wanted.epsilons, wanted.repeats)
    waiting = st.session_state.setdefault(
        _PENDING, {}
    )  # a plain dictionary: an abandoned run may still put its work back
    fits = waiting.pop(key, None) or wanted.fits(dict(points))
    waiting.clear()
    for point in fits:
        if point is not None:
            points[point.key] = point
        if time.monotonic() - started > _PIECE:
            waiting[key] = fits
            return


def _charts(state: AugmentationView, summary: Summary | None, running: bool) -> None:
    if summary is None:
        hint = (
            "The first repeat is under way"
            if running
            else "Press Run, which can be stopped at any time and keeps what it has"
        )
        say.info(f"No repeat is finished yet. {hint}: {_asked(state)}.")
        return
    if state.figure == "selection" and not state.simulated:
        say.caption(
            "Which coefficients of a loaded file are truly 0 is unknown, so that selection has no score; the error is shown."
        )
    drawn = _figures(state, summary)
    for column, (title, fig) in zip(st.columns(len(drawn), gap="small"), drawn.items(), strict=True):
        with column:
            export.chart(fig, key=f"na_{title}", alt=title)


def _asked(state: AugmentationView) -> str:
    """What will be computed, in words."""
    drawn = "" if state.figure == "budget" else f", drawn at ε = {number(state.epsilon)}"
    noise = f"Gaussian noise at δ = {number(state.delta)}" if state.delta else "spherical Laplace noise"
    clip = "" if state.simulated else f", gradients of at most {number(state.clip)}"
    return f"ε = {', '.join(map(number, state.epsilons))}{drawn}, {noise}{clip}"


def _set(key: object) -> None:
    st.session_state[_RUNNING] = key


def _figures(state: AugmentationView, summary: Summary) -> dict[str, go.Figure]:
    mode, figure = cards.theme_mode(), state.figure
    epsilon = state.epsilon if state.epsilon in summary.epsilons else max(summary.epsilons)
    methods = _SHOWN[figure]
    loss = LOSSES[state.loss if state.data == "upload" else SETTINGS[state.data].loss]
    error = "misclassified" if loss.target is BINARY else "mean squared error"
    known = state.simulated
    if figure == "distance":
        chart = figures.simulation_figure(summary, "distance to lasso", epsilon, methods, "‖θ − lasso‖", mode)
        return {f"Distance to the lasso, ε = {number(epsilon)}": chart}
    if figure == "selection" and known:
        return {f"Selection, ε = {number(epsilon)}": figures.selection_figure(summary, epsilon, methods, mode)}
    if figure == "retrieval":
        chart = figures.simulation_figure(summary, "retrieved", epsilon, methods, "share of (1 − r)ε retrieved", mode)
        return {f"Retrieved budget, ε = {number(epsilon)}": chart}
    if figure == "budget":
        last = len(summary.strengths) - 1
        known = {} if state.simulated or not adult.is_adult(state.case()) else adult.PRINTED_RATES
        panels = sorted({0, last // 2, last})
        return {"Error against ε": figures.budget_figure(summary, panels, methods, error, mode, printed=known)}
    found = {}
    if figure == "recycling" and known:
        found[f"Selection, ε = {number(epsilon)}"] = figures.selection_figure(summary, epsilon, methods, mode)
    chart = figures.simulation_figure(summary, "prediction error", epsilon, methods, error, mode)
    return found | {f"Prediction error, ε = {number(epsilon)}": chart}


def _table(summary: Summary | None) -> pd.DataFrame:
    if summary is None:
        return pd.DataFrame()
    parts = []
    for epsilon in summary.epsilons:
        for method in COMPARED:
            scores = {score: summary.of(method, score, epsilon) for score in STUDY_SCORES}
            parts.append(pd.DataFrame({"epsilon": epsilon, "method": method, "strength": summary.strengths, **scores}))
    return pd.concat(parts, ignore_index=True)


def metrics(summary: Summary | None, state: AugmentationView) -> list[cards.Metric]:
    """What the finished part says at the largest ε."""
    if summary is None:
        return [
            cards.Metric("Finished repeats", "0"),
            cards.Metric("Methods", str(len(COMPARED)), "all at each Λ and ε"),
            cards.Metric("Noise", "Gaussian, Eq. (4)" if state.delta else "spherical Laplace"),
        ]
    top = max(summary.epsilons)
    finished = cards.Metric(
        "Finished repeats", str(summary.repeats), f"{summary.failed} fits failed" if summary.failed else None
    )
    if state.figure == "distance":
        apart = {name: float(max(summary.of(name, "distance to lasso", top))) for name in _SHOWN["distance"]}
        return [
            finished,
            *(
                cards.Metric(f"Largest distance, {name.split(',')[0]}", number(value), f"at ε = {number(top)}")
                for name, value in apart.items()
            ),
            cards.Metric("Guarantee", "none", "no noise: the regulariser alone"),
        ]
    if state.figure == "retrieval":
        shares = {
            name: [one for one in summary.of(name, "retrieved", top) if isfinite(one)] for name in ("NAPP", "VS", "VS+")
        }
        return [
            finished,
            *(
                cards.Metric(
                    md("Most retrieved, {}", name), number(max(found, default=0.0)), f"of (1 − r)ε, ε = {number(top)}"
                )
                for name, found in shares.items()
            ),
        ]
    best = {name: float(min(summary.of(name, "prediction error", top))) for name in ("lasso", "NAPP", "VS+")}
    return [
        finished,
        cards.Metric(f"Least error, NAPP, ε = {number(top)}", number(best["NAPP"]), f"lasso {number(best['lasso'])}"),
        cards.Metric(md("Least error, VS+"), number(best["VS+"]), f"lasso {number(best['lasso'])}"),
        cards.Metric("Guarantee of all of them", "claimed, refuted", help="See the view 'Is this private?'"),
    ]
