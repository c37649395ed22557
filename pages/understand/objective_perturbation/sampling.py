"""The view of objective perturbation on a sample of the records."""

import math

import pandas as pd
import plotly.graph_objects as go

from dpcore.exhibits.objective_perturbation import figure as figures
from dpcore.exhibits.objective_perturbation import sampled_records as study
from dpcore.profiles import curves
from pages.components import cache, cards, controls, export
from pages.components.cards import Metric
from pages.components.say import md
from pages.components.words import number, times
from pages.understand.objective_perturbation import views


def choose() -> float:
    """A slider for the share of the records."""
    return controls.log_slider(
        "Sampling rate q",
        0.01,
        1.0,
        0.1,
        key="op_rate",
        help="Each record is used with this probability, independently",
    )


def draw(state: views.ObjectiveView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """δ(ε) on all records, on a sample, and on a sample with noise and penalty scaled to it."""
    whole = state.mechanism("tight")
    shown = (
        ("Tight", whole, "all records"),
        ("Sampled, same σ and λ", study.of_sample(whole, state.rate), ""),
        ("Sampled, qσ and qλ", study.same_balance(whole, state.rate), ""),
    )
    sampled = [
        cache.shared(curves.guarantee_curve, name, one, state.epsilon_max, points=61, note=note)
        for name, one, note in shown
    ]
    drawn = {"Sampled records": figures.bounds_figure(sampled, cards.theme_mode(), floor=state.floor)}
    export.chart(drawn["Sampled records"], key="op_sampled", alt="Delta against epsilon with and without sampling")
    return drawn, curves.table(sampled, "epsilon", "delta")


def answers(state: views.ObjectiveView) -> list[Metric]:
    """ε on all records, on a sample both ways, and the most that an absent record can show."""
    whole, delta = state.mechanism("tight"), state.delta
    before, after, scaled = (
        float(one.epsilon(delta))
        for one in (whole, study.of_sample(whole, state.rate), study.same_balance(whole, state.rate))
    )
    return [
        Metric(f"ε at δ = {number(delta)}, all records", number(before), "tight"),
        Metric(
            f"A sample, q = {number(state.rate)}",
            number(after),
            f"{times(after / before)} the ε" if before > 0 else None,
        ),
        Metric(
            "A sample, qσ and qλ",
            number(scaled),
            f"{times(scaled / before)} the ε" if before > 0 else None,
            worse=scaled > before or None,
        ),
        Metric(
            "ε where the added record's curve ends",
            number(-math.log1p(-state.rate)) if state.rate < 1 else "none",
            "−log(1 − q)",
        ),
    ]


def observations(state: views.ObjectiveView) -> list[str]:
    """Why the bound holds, what it is worth, and what cannot be compared."""
    return [
        md(
            "**The bound is valid, and tight.** Whatever others are in the sample, the tight profile bounds what the record adds, and "
            "mixing over samples can only hide more. With no others the sample is the record or nothing, and the bound is reached."
        ),
        md(
            "**Where it holds**: Poisson sampling, σ and λ fixed beforehand, neither the sample nor its size released. A sample of "
            "fixed size needs another analysis; a λ set by the size of the sample is not covered."
        ),
        md(
            "**The saving is not free**: {} of the records under the same σ and λ is a fit with more noise for its data. With qσ and qλ "
            "the balance is as before, and the privacy loss is mostly larger than without sampling.",
            number(state.rate),
        ),
        md(
            "**No number is given for DP-FTRL.** Appendix I.2 of the source compares in words: noise that is the same in every step here, "
            "correlated by a tree there, independent in DP-SGD. It names no tree, no number of passes and no learning rate, without which "
            "neither its privacy nor its error is determined."
        ),
    ]


def program(state: views.ObjectiveView) -> str:
    """The lines of dpcore that make these numbers."""
    return "\n".join(
        [
            "import dpcore as dp",
            f"tight = dp.{state.mechanism('tight')!r}",
            f"sample = dp.exhibits.objective_perturbation.sampled_records.of_sample(tight, {state.rate!r})",
            f"scaled = dp.exhibits.objective_perturbation.sampled_records.same_balance(tight, {state.rate!r})",
            f"tight.epsilon({state.delta!r}), sample.epsilon({state.delta!r}), scaled.epsilon({state.delta!r})",
        ]
    )
