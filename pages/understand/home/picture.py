"""Both noisy counts with a threshold to drag, and what it is worth."""

from collections.abc import Iterator

import plotly.graph_objects as go
import streamlit as st

from dpcore.exhibits.home import figure as figures
from dpcore.exhibits.home import study as home
from dpcore.figures.deck import Deck
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.profiles.curves import Curve, tradeoff_curve
from pages.components import cache, cards, controls, drawing, export, live, say
from pages.components.words import number

SIGMA, THRESHOLD, _CHART = "home_sigma", "home_threshold", "home_chart"
LOW, HIGH = (home.OTHERS + end for end in home.AROUND)
NOISE = (0.4, 10.0)
HINT = "Above the threshold: “she was in”. Right of it, blue: false alarms. Left of it, orange: misses."


def noise() -> float:
    """The slider of the noise."""
    return controls.log_slider(
        "Noise σ (in patients)", *NOISE, 1.0, key=SIGMA,
        help="Standard deviation of the Gaussian noise, divided by how much one person can change the answer.",
    )  # fmt: skip


def threshold() -> float:
    """The slider of the threshold, which the handle in the picture moves too."""
    return controls.linear_slider(
        "Threshold", LOW, HIGH, home.OTHERS + 0.5, step=0.1, key=THRESHOLD,
        help="The attacker says “she was in” above it. Drag the handle in the picture.",
    )  # fmt: skip


def show(sigma: float, at: home.Threshold) -> tuple[tuple[Curve, ...], go.Figure]:
    """The picture in two halves; the curves and the second half, to take away."""
    bells = home.bells(sigma)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        say.markdown("What is published, with Ada and without")
        drawing.show(_drawing(bells, at), key="home_bells")
    curve = cache.shared(tradeoff_curve, "Gaussian", Gaussian(sigma))
    figure = figures.attack_figure(curve, at, cards.theme_mode())
    with right:
        say.markdown("What that is worth to an attacker")
        export.chart(
            figure, key=_CHART, alt="Misses against false alarms of the best attacks, with the threshold's point"
        )
    return bells, figure


def _drawing(bells: tuple[Curve, ...], at: home.Threshold) -> drawing.Drawing:
    colors = (figures.WITHOUT, figures.WITH)
    without, including = (curve.name for curve in bells)
    return drawing.Drawing(
        label="Densities of the published count, with a threshold to drag", x=(LOW, HIGH), y=(0.0, home.LARGEST_DENSITY),
        x_title="published count", y_title="density",
        lines=[
            drawing.Line(curve, color, dash, 3.0, curve.name)
            for curve, color, dash in zip(bells, colors, ("solid", "dash"), strict=True)
        ],
        handles=[
            drawing.Handles(
                THRESHOLD, "Threshold", figures.THRESHOLD, (), (at.at,), LOW, HIGH, 0.1, rides=including
            )
        ],
        shades=[drawing.Shade(without, "right", figures.WITHOUT), drawing.Shade(including, "left", figures.WITH)],
        frames=drawing.Frames(SIGMA, cache.shared(_frames)),
        height=330,
        hint=HINT,
    )  # fmt: skip


def _frames() -> list[list[list[float]]]:
    positions = controls.round_values(*NOISE)
    return [[[round(y, 4) for y in curve.y.tolist()] for curve in home.bells(sigma)] for sigma in positions]


def offers(sigma: float, at: float) -> dict[str, live.Offer]:
    """The attacker's curve and point, which move while a slider is dragged."""
    return {SIGMA: (noise_decks, at), THRESHOLD: (threshold_decks, sigma)}


def taken(follows: dict[str, live.Offer]) -> live.Taken | None:
    """The figure taken away moves with σ."""
    return live.taken(follows, SIGMA, "σ =", {"Best attacks": _CHART})


def noise_decks(at: float) -> Iterator[live.Dealt | None]:
    """The curve and the point at each noise."""
    values, tradeoffs = controls.round_values(*NOISE), []
    for sigma in values:
        tradeoffs.append(tradeoff_curve("Gaussian", Gaussian(sigma)))
        yield None
    yield _deck(values, tradeoffs, [home.threshold(sigma, at) for sigma in values])


def threshold_decks(sigma: float) -> Iterator[live.Dealt | None]:
    """The point at each threshold."""
    values = [round(LOW + i / 10, 1) for i in range(round(10 * (HIGH - LOW)) + 1)]
    curve = tradeoff_curve("Gaussian", Gaussian(sigma))
    yield _deck(values, [curve] * len(values), [home.threshold(sigma, at) for at in values])


def _deck(values: list[float], tradeoffs: list[Curve], points: list[home.Threshold]) -> live.Dealt:
    return _CHART, Deck(tuple(map(number, values)), figures.attack_tracks(tradeoffs, points))
