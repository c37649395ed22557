"""Private training, as a study: learners against ε, point by point, stopped and resumed at will."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import dpcore as dp
from dpcore.data import Dataset
from dpcore.exhibits import training
from dpcore.exhibits.training import figure as figures
from dpcore.exhibits.training.pictures import baseline, of_score
from dpcore.exhibits.training.published import CLIP, TABLE_EPSILONS, TABLES, PublishedTable, algorithm_1, dp_sgd
from dpcore.learners import (
    AMP,
    DPSGD,
    AdaOPS,
    Learner,
    NonPrivate,
    OutputPerturbationLearner,
    PosteriorSamplingLearner,
    PublicFacts,
)
from pages.components import cache, cards, controls, export, say
from pages.components.say import md
from pages.components.words import number
from pages.your_data.private_training import printed

BUDGET = 0.8  # seconds of work between two looks at the page
EPSILONS = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
NAMES = {
    "tight": "Algorithm 1, tight",
    "published": "Algorithm 1, published settings",
    "paper": "Algorithm 1, 1.3 σ_G and Thm 3.1",
    "output": "Output perturbation",
    "posterior": "Posterior sample",
    "adaops": "AdaOPS",
    "sgd": "DP-SGD, one rate",
    "honest": "DP-SGD, honest",
    "dishonest": "DP-SGD, dishonest",
}
_POINTS, _RUNNING = "data_training_points", "data_training_running"


@dataclass(frozen=True)
class StudyView:
    """What the sidebar asks to compare."""

    study: training.LearnerComparison
    score: str
    table: PublishedTable | None = None

    @property
    def published(self) -> Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]:
        """(ε, accuracy) as printed for these data, by the printed name of the learner."""
        if self.table is None or self.score != "accuracy":
            return {}
        return {
            name: (TABLE_EPSILONS, tuple(value / 100 for value in values))
            for name, values in self.table.accuracy.items()
        }


def usable(loss: str, epochs: int, row_norm: float = 1.0) -> dict[str, Learner]:
    """The learners that minimise this loss, by key; published settings where rows have the published norm √2."""
    made = {
        "tight": AMP(loss, 1.0),
        **({"published": algorithm_1(loss)} if loss == "logistic" and math.isclose(row_norm, CLIP) else {}),
        "paper": AMP(loss, 1.0, rule="paper", bound="hockey_stick"),
        "output": OutputPerturbationLearner(loss, 1.0),
        "posterior": PosteriorSamplingLearner(1.0),
        "adaops": AdaOPS(1.0),
        "sgd": DPSGD(loss, 1.0, epochs=epochs),
        "honest": dp_sgd("honest", loss, epochs),
        "dishonest": dp_sgd("dishonest", loss, epochs),
    }
    return {key: learner for key, learner in made.items() if learner.loss == dp.LOSSES[loss]}


def learners(loss: str, chosen: tuple[str, ...], epochs: int, row_norm: float = 1.0) -> dict[str, Learner]:
    """The learners compared, by the name shown; each is aimed at every ε of the grid."""
    found = {NAMES[key]: learner for key, learner in usable(loss, epochs, row_norm).items() if key in chosen}
    return found | {"Without privacy": NonPrivate(loss)}


def choose(dataset: Dataset, loss: str, delta: float) -> StudyView | None:
    """Sidebar controls of the study."""
    norm = dataset.domain.row_norm
    chosen = say.pills(
        "Learners", list(usable(loss, 1, norm)), selection_mode="multi", default=["tight", "output"], format_func=NAMES.get,
        key="tr_learners",
    )  # fmt: skip
    grid = say.pills(
        "ε grid", EPSILONS, selection_mode="multi", default=[0.1, 0.5, 1.0, 8.0], format_func=lambda e: f"{e:g}",
        key="tr_grid",
    )  # fmt: skip
    repeats = controls.count_slider("Random splits", 50, 5, key="tr_repeats")
    epochs = 20
    if {"sgd", "honest", "dishonest"} & set(chosen):
        epochs = controls.count_slider("Epochs of DP-SGD", 60, 20, key="tr_epochs", help="60 in the source")
    if not chosen or not grid:
        say.info("Choose at least one learner and one ε.")
        return None
    study = training.LearnerComparison(
        dataset, learners(loss, tuple(chosen), epochs, norm), tuple(sorted(grid)), delta, repeats
    )
    names = [score.name for score in dp.LOSSES[loss].scores]
    score = names[0]
    if len(names) > 1:
        score = say.segmented_control(
            "Score", names, format_func=lambda name: training.SCORES[name].title, default=names[0], required=True, key="tr_score",
        )  # fmt: skip
    source = st.session_state.get("tr_data", "synthetic_l")
    return StudyView(study, score, next((table for table in TABLES.values() if table.data == source), None))


def points() -> dict[str, training.TrainedPoint]:
    """Every point this session has computed, by key."""
    return st.session_state.setdefault(_POINTS, {})


def section(view: StudyView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """Run and stop buttons, progress, and the charts as they fill."""
    total = len(view.study.tasks())
    left, right, _ = st.columns([1, 1, 3], gap="small")
    running = bool(st.session_state.get(_RUNNING))
    missing = len(view.study.missing(points()))
    say.button(
        "Run", on=left, on_click=_set, args=(True,), disabled=running or not missing, width="stretch", type="primary"
    )
    say.button("Stop", on=right, on_click=_set, args=(False,), disabled=not running, width="stretch")

    @st.fragment(run_every=0.1 if running and missing else None)
    def filling() -> None:
        found = view.study.select(points())
        done = len(found)
        say.progress(done / total, f"{done} of {total} releases" + ("" if done < total else ": finished"))
        if not done:
            say.info(f"Press Run: {_asked(view.study)}. Points appear as they finish, and stay when a control moves.")
        _draw(view, found)
        if st.session_state.get(_RUNNING):
            _work(view.study)
            if not view.study.missing(points()):
                _set(False)
                st.rerun()

    filling()
    honest_tuning(view)
    printed.best_of_ten(view.study, NAMES["published"], view.table)
    return figures_of(view), table(view)


def _asked(study: training.LearnerComparison) -> str:
    """What Run will compute, in words."""
    data, passes = study.dataset, {one.epochs for one in study.learners.values() if hasattr(one, "epochs")}
    epochs = f", {max(passes)} epochs of DP-SGD" if passes else ""
    return (
        f"{study.repeats} splits of {data.n_samples} × {data.n_features} data with targets from {number(data.y.min())} "
        f"to {number(data.y.max())}, at δ = {number(study.delta)}{epochs}"
    )


def _set(running: bool) -> None:
    st.session_state[_RUNNING] = running


def _work(study: training.LearnerComparison) -> None:
    finished, started = points(), time.monotonic()
    for point in study.run(tuple(finished)):
        finished[point.key] = point
        if time.monotonic() - started > BUDGET:
            return


def figures_of(view: StudyView) -> dict[str, go.Figure]:
    """The study's charts from the points there are."""
    series = training.mean_scores(view.study.select(points()))
    shown = of_score(series, view.score)
    if not shown and not view.published:
        return {}
    mode = cards.theme_mode()
    drawn = {
        "Score against ε": figures.study_figure(
            shown, baseline(series, view.score), f"test {training.SCORES[view.score].title}", mode,
            published=view.published,
        )
    }  # fmt: skip
    if shown:
        excess, bound = of_score(series, "excess"), of_score(series, "bound")
        drawn["Excess risk"] = figures.excess_figure(excess, bound, mode, height=360)
    return drawn


def _draw(view: StudyView, found: list[training.TrainedPoint]) -> None:
    drawn = figures_of(view)
    if drawn:
        export.chart(drawn["Score against ε"], key="tr_chart_study", alt="Test score of every learner against epsilon")
    refused = sorted({f"{p.name} at ε = {number(p.epsilon)}: {p.problem}" for p in found if p.problem})
    for sentence in refused[:6]:
        say.warning(sentence)


def honest_tuning(view: StudyView) -> None:
    """What an honest choice of the learning rate costs at one ε, computed when asked for."""
    learner = view.study.learners.get(NAMES["honest"])
    if learner is None:
        return
    with say.expander("What honest tuning costs"):
        epsilon = say.selectbox(md("At ε ="), view.study.epsilons, format_func=number, key="tr_honest_epsilon")
        if not say.button("Compute", key="tr_honest"):
            say.caption("Accounts for DP-SGD with a random, secret number of learning rates: some seconds for each ε.")
            return
        try:
            with say.spinner("Accounting"):
                facts = PublicFacts.of(view.study.dataset)
                aimed = replace(learner, epsilon=epsilon, delta=view.study.delta)
                cost = cache.shared(training.tuning_cost, aimed, facts)
        except dp.DPError as error:
            say.error(f"{error}.")
            return
        cards.metric_row(
            [
                cards.Metric("Mean number of rates tried", number(cost.mean_runs)),
                cards.Metric("Noise multiplier, honest", number(cost.noise_honest), f"{number(cost.noise_one_run)} for one run"),
                cards.Metric("One run with that noise", f"ε = {number(cost.epsilon_one_run)}", f"of {number(epsilon)} with tuning"),
                cards.Metric(f"Grid of {learner.candidates}, all counted", f"ε = {number(cost.epsilon_all_runs)}",
                             f"claimed {number(epsilon)}", worse=True),
            ]
        )  # fmt: skip


def table(view: StudyView) -> pd.DataFrame:
    """One line per finished release."""
    rows = [
        {"learner": p.name, "epsilon": p.epsilon, "split": p.repeat, **p.scores, "excess": p.excess, "bound": p.bound,
         "seconds": p.seconds, "problem": p.problem}
        for p in view.study.select(points())
    ]  # fmt: skip
    return pd.DataFrame(rows)
