"""Metrics, charts and words of the output-perturbation page."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.data import SAMPLES, Dataset, load_sample
from dpcore.data.program import loading
from dpcore.exhibits.output_perturbation import figure as figures
from dpcore.exhibits.output_perturbation import study as output_perturbation
from dpcore.profiles import curves
from pages.components import cache, cards, export
from pages.components.say import md
from pages.components.words import number, times
from pages.understand.output_perturbation.sweeps import LAMBDAS

EPSILONS = (0.05, 20.0)
CHARTS = {"Sensitivity and noise": "out_Sensitivity and noise", "Bias and variance": "out_Bias and variance"}
CONFIDENTIAL = (
    "Measured losses and changes are computed from these data without noise: they are confidential themselves, and a λ "
    "chosen by them is not private."
)


def metrics(
    found: output_perturbation.LambdaSweep,
    here: output_perturbation.LambdaSweep,
    epsilon: float,
    delta: float,
    lam: float,
) -> None:
    """Noise both ways, what the classical noise is worth, the excess and its best λ.

    Parameters
    ----------
    found : at the λs drawn
    here : with the λ looked at
    epsilon, delta, lam : what is looked at
    """
    at = here.nearest(lam)
    total, bound = here.bias[at] + here.spread[at], here.mean_bound[at]
    best = found.best
    cards.metric_row(
        [
            cards.Metric("Noise per coefficient", number(float(here.noise[at])),
                         f"classical {times(float(here.classical[at] / here.noise[at]))}",
                         help="Analytic Gaussian mechanism at sensitivity L/λ; below it what the classical formula asks for."),
            cards.Metric("δ of classical noise", number(found.classical_delta),
                         "meets the target" if found.classical_meets else f"misses δ = {number(delta)}",
                         worse=None if found.classical_meets else True,
                         help=f"At ε = {number(epsilon)}. The classical formula is proven for ε ≤ 1 only."),
            cards.Metric(f"Excess loss at λ = {number(lam)}", number(float(total)), f"bound {number(float(bound))}"),
            cards.Metric("Best λ, measured", number(float(found.lam[best])),
                         f"by the bound {number(float(found.lam[found.best_by_bound]))}"),
        ]
    )  # fmt: skip


def draw(
    found: output_perturbation.LambdaSweep, lam: float, other: output_perturbation.ObjectiveSweep | None = None
) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """Both charts, and the data behind them; `other` is drawn into the second."""
    mode = cards.theme_mode()
    changes, risks = found.change_curves(), found.risk_curves()
    if other is not None:
        risks.append(other.curve())
    drawn = {
        "Sensitivity and noise": figures.lambda_figure(changes, lam, "distance in θ", mode),
        "Bias and variance": figures.lambda_figure(risks, lam, "excess of the mean loss", mode),
    }
    for column, (title, alt) in zip(
        st.columns([1, 1], gap="small"),
        (
            ("Sensitivity and noise", "Sensitivity, measured change and noise against lambda"),
            ("Bias and variance", "Bias, spread and bounds against lambda"),
        ),
        strict=True,
    ):
        with column:
            export.chart(drawn[title], key=CHARTS[title], alt=alt)
    frame = pd.concat(
        [
            curves.table(changes, "lambda", "value").assign(curve="distance in theta"),
            curves.table(risks, "lambda", "value").assign(curve="excess of the mean loss"),
        ],
        ignore_index=True,
    )
    return drawn, frame


def comparison(found: output_perturbation.LambdaSweep, other: output_perturbation.ObjectiveSweep) -> str:
    """Noise in the output against noise in the objective, each at its best λ."""
    if other.best is None:
        return (
            "**Objective perturbation meets this budget at no λ shown**: one record's curvature alone gives more away."
        )
    total = found.bias + found.spread
    return md(
        "**Noise in the objective instead**: at its best λ = {} it costs {}, noise in the output {} at λ = {}. It reaches θ "
        "through H⁻¹, little of it where the data say much, and needs λ large enough to hide one record's curvature.",
        number(float(other.lam[other.best])),
        number(float(other.excess[other.best])),
        number(float(total[found.best])),
        number(float(found.lam[found.best])),
    )


def observations(
    found: output_perturbation.LambdaSweep, here: output_perturbation.LambdaSweep, epsilon: float, lam: float
) -> list[str]:
    """Statements computed from what is on screen, at the λs drawn and at the one looked at."""
    at = here.nearest(lam)
    first, last = float(found.measured_change[0]), float(found.measured_change[-1])
    share = float((found.measured_change / found.sensitivity).max())
    total = found.bias + found.spread
    said = [
        md(
            "**Without regularisation nothing bounds the change**: L/λ grows from {} to {} as λ falls to 0.01, and no "
            "less will do: of {} records made for it, one moves θ by {} there, {:.0f} % of L/λ.",
            number(float(found.sensitivity[-1])),
            number(float(found.sensitivity[0])),
            found.adversary.n,
            number(float(found.adversary.change[0])),
            100 * float(found.adversary.change[0] / found.sensitivity[0]),
        ),
        md(
            "**The data on screen are gentler**: one row really moves θ by {} to {}, at most {:.0f} % of the bound, but the noise must "
            "cover every data set.",
            number(last),
            number(first),
            100 * share,
        ),
        md(
            "**Two errors pull against each other**: at λ = {} regularisation costs "
            "{} and noise {}. "
            "The least total among the λs drawn is {}.",
            number(lam),
            number(float(here.bias[at])),
            number(float(here.spread[at])),
            number(float(total.min())),
        ),
        md("**The classical noise is {} the smallest possible** ", times(float(here.classical[at] / here.noise[at])))
        + (
            f"and its true δ is {number(found.classical_delta)}: it overpays."
            if found.classical_meets
            else "and yet, used beyond ε = 1 where its proof ends, it does not keep the promise: it is drawn dashed with crosses."
            if epsilon > 1
            else "and does not keep the promise."
        ),
        md(
            "**The lecture prints ‖θ − θ′‖² ≤ L/λ**; strong convexity gives ‖θ − θ′‖ ≤ L/λ, which is what is drawn and used."
        ),
        md(
            "**Bounds keep their order**: measured {} at probability 1 − ρ, χ² bound "
            "{}, the lecture's {}, which replaces χ² by 2d·log(d/ρ).",
            number(float(here.quantile[at])),
            number(float(here.sharper[at])),
            number(float(here.bound[at])),
        ),
        md(
            "**Smoothness pays only where the noise is small**: from ‖∇ℓ‖ ≤ L alone the bound is {} at this λ, with it {}.",
            number(float(here.lipschitz_bound[at])),
            number(float(here.sharper[at])),
        ),
    ]
    return said


def program(dataset: Dataset, loss: str, epsilon: float, delta: float, rho: float, lam: float) -> str:
    """The lines of dpcore that make these numbers.

    Parameters
    ----------
    dataset, loss, epsilon, delta, rho : of the study
    lam : looked at
    """
    return "\n".join(
        [
            "import dpcore as dp",
            f"dataset = {_loading(dataset)}",
            f"lambdas = {tuple(sorted({*LAMBDAS, lam}))!r}",
            f"found = dp.exhibits.output_perturbation.study.sweep_lambda(dataset, {loss!r}, {epsilon!r}, {delta!r}, {rho!r}, lambdas)",
            f"at = found.nearest({lam!r})",
            "found.noise[at], found.classical_delta, found.bias[at] + found.spread[at], found.mean_bound[at]",
        ]
    )


def _loading(dataset: Dataset) -> str:
    source = st.session_state.get("source")
    if source in SAMPLES and repr(cache.in_session(load_sample, source)) == repr(dataset):
        return f"dp.load_sample({source!r})"
    return loading(dataset)
