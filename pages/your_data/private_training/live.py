"""Private training, live: a hundred noise draws of one release, redrawn as its parameters move."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import dpcore as dp
from dpcore.data import Dataset
from dpcore.exhibits import training
from dpcore.exhibits.training import figure as figures
from dpcore.exhibits.training.pictures import coefficient_spread, summary
from dpcore.exhibits.training.published import algorithm_1
from dpcore.figures.theme import GREEN, VERMILLION
from dpcore.learners import ObjectivePerturbationLearner, PublicFacts
from dpcore.learners.rules import comparator_norm
from pages.components import cache, cards, controls, export, say
from pages.components.say import md
from pages.components.words import number

CHOICES = {"rule": "from (ε, δ)", "hand": "C, σ, λ by hand"}
RULES = {
    "best": "least predicted risk, tight",
    "published": "published settings, Thm 3.2",
    "paper": "1.3 σ_G, smallest λ by Thm 3.1",
}
CONFIDENTIAL = "These numbers are computed from the training and test rows without noise: they are for exploring, not for publishing."


@dataclass(frozen=True)
class LiveView:
    """What the sidebar asks to see."""

    dataset: Dataset
    loss: str
    learner: ObjectivePerturbationLearner
    delta: float
    rows: int
    split: int
    by_hand: bool


def choose(dataset: Dataset, loss: str, delta: float) -> LiveView:
    """Sidebar controls of the live view."""
    how = say.segmented_control(
        "Choose the noise", list(CHOICES), format_func=CHOICES.get, default="rule", required=True, key="tr_how",
    )  # fmt: skip
    if how == "rule":
        epsilon = controls.log_slider("Budget ε", 0.01, 20.0, 1.0, key="tr_epsilon")
        rule = say.selectbox(
            "Rule for C, σ, λ", list(RULES), format_func=RULES.get, key="tr_rule",
            help=md("All look at public facts only: n, d, the bounds on a record, the loss. Published: σ = 1.3 σ_G, the smallest λ "
            "by Rényi divergences, C = √2, τ = 0.01, σₒᵤₜ = 0.15; as published on rows with a constant column of 1."),
        )  # fmt: skip
        learner: ObjectivePerturbationLearner = algorithm_1(loss, epsilon, delta)
        if rule == "paper":
            learner = ObjectivePerturbationLearner(loss, epsilon, delta, rule="paper", bound="hockey_stick")
        if rule == "best":
            learner = ObjectivePerturbationLearner(loss, epsilon, delta)
            norm = controls.log_slider(
                "Comparator norm B, over √d/R", 0.1, 20.0, 1.5, key="tr_norm", help=md("Assumed ‖θ*‖; never measured.")
            )
            learner = replace(learner, theta_norm=comparator_norm(learner.loss, PublicFacts.of(dataset), norm))
    else:
        clip = controls.log_slider("Clip gradients at C", 0.01, 10.0, 0.4, key="tr_clip")
        sigma = controls.log_slider("Noise σ", 0.01, 1000.0, 1.2, key="tr_sigma")
        lam = controls.log_slider("Regularisation λ (sum form)", 0.001, 10_000.0, 0.8, key="tr_lambda")
        learner = ObjectivePerturbationLearner(loss, sigma=sigma, lam=lam, clip=clip, delta=delta)
    share = controls.log_slider("Share of the training rows used", 0.01, 1.0, 1.0, key="tr_share")
    repeat = int(controls.linear_slider("Random split", 0, 49, 0, step=1, key="tr_split"))
    rows = max(1, round(share * (dataset.n_samples - round(0.2 * dataset.n_samples))))
    return LiveView(dataset, loss, learner, delta, rows, repeat, how == "hand")


def compute(view: LiveView) -> training.LiveResult | None:
    """The draws; None, with a sentence on screen, where there is no release."""
    try:
        return cache.in_session(_live, view.dataset, view.learner, view.split, view.rows)
    except dp.DPError as error:
        say.error(f"No release: {error}.".replace("..", "."))
        return None


def _live(dataset: Dataset, learner: ObjectivePerturbationLearner, repeat: int, rows: int) -> training.LiveResult:
    return training.live(dataset, learner, repeat=repeat, rows=rows)


def score(result: training.LiveResult) -> str:
    """Name of the first score of this loss."""
    return next(iter(result.scores))


def shown(name: str, value: float) -> str:
    """A score as people read it."""
    return f"{100 * value:.2f} %" if training.SCORES[name].share else number(value)


def metrics(view: LiveView, result: training.LiveResult) -> None:
    """Score over the draws, the score without privacy, the guarantee, and excess risk beside its prediction."""
    name = score(result)
    found = summary(result.scores[name])
    profile = result.plan.profile
    epsilon = float(cache.shared(_epsilon, profile, view.delta))
    measured = float(result.excess.mean())
    cards.metric_row(
        [
            cards.Metric(
                f"{training.SCORES[name].title.capitalize()}, median draw", shown(name, found.median),
                f"{shown(name, found.low)} to {shown(name, found.high)}", help="In the badge: 90 % of the draws.",
            ),
            cards.Metric("Without privacy", shown(name, result.non_private[name]),
                         f"{shown(name, result.without_noise[name])} at this λ, C"),
            cards.Metric(f"Guarantee at δ = {number(view.delta)}", f"ε = {number(epsilon)}",
                         f"σ {number(result.plan.parameters['sigma'])}, λ {number(result.plan.parameters['lam'])}"),
            cards.Metric("Excess risk per record", number(measured),
                         f"predicted at most {number(result.predicted_excess)}"),
        ]
    )  # fmt: skip


def _epsilon(profile: dp.PrivacyProfile, delta: float) -> float:
    return float(profile.epsilon(delta))


def draw(result: training.LiveResult) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """Scores and coefficients over the draws."""
    mode, name = cards.theme_mode(), score(result)
    drawn = {
        "Scores": figures.draws_figure(
            list(result.scores[name]),
            {
                "without privacy": (result.non_private[name], GREEN),
                "no noise, same λ and C": (result.without_noise[name], VERMILLION),
            },
            f"test {training.SCORES[name].title}",
            mode,
            share=training.SCORES[name].share,
        ),
        "Coefficients": figures.coefficients_figure(coefficient_spread(result), mode),
        "Excess risk": figures.draws_figure(
            list(result.noise_excess),
            {
                "mean over the draws": (float(result.noise_excess.mean()), GREEN),
                "predicted mean": (result.predicted_noise_excess, VERMILLION),
            },
            "regularised objective above its minimum, per record",
            mode,
            height=280,
        ),
    }
    left, right = st.columns(2, gap="small")
    with left:
        export.chart(drawn["Scores"], key="tr_chart_scores", alt="Test scores over the noise draws")
    with right:
        export.chart(
            drawn["Coefficients"], key="tr_chart_theta", alt="Coefficients and their spread over the noise draws"
        )
    frame = pd.DataFrame({**result.scores, "excess": result.excess, "noise excess": result.noise_excess})
    return drawn, frame


def risk(drawn: dict[str, go.Figure]) -> None:
    """The chart of the excess risk, where the view has one."""
    fig = drawn.get("Excess risk")
    if fig is None:
        say.markdown("The live view and finished studies show measured excess risk beside its bound here.")
        return
    export.chart(fig, key="tr_chart_risk", alt="Excess risk, measured and predicted")


def program(view: LiveView) -> str:
    """The lines of dpcore behind the live view."""
    learner = view.learner
    if view.by_hand:
        arguments = f"sigma={learner.sigma!r}, lam={learner.lam!r}, clip={learner.clip!r}"
    else:
        arguments = (
            f"epsilon={learner.epsilon!r}, delta={learner.delta!r}, rule={learner.rule!r}, bound={learner.bound!r}"
        )
        if learner.tau is not None:
            arguments += f", clip={learner.clip!r}, tau={learner.tau!r}, sigma_out={learner.sigma_out!r}"
        if learner.theta_norm is not None:
            arguments += f", theta_norm={learner.theta_norm!r}"
    return "\n".join(
        [
            "import dpcore as dp",
            "data = dp.data.synthetic_l()  # or any data set with a public domain",
            f"learner = dp.{type(learner).__name__}({view.loss!r}, {arguments})",
            f"dp.exhibits.training.live(data, learner, repeat={view.split}, rows={view.rows}).scores  # 100 noise draws",
            "learner.fit(data, rng=0).theta  # one release",
        ]
    )
