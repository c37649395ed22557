"""Both noisy counts with a threshold to drag, and what it is worth."""

from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from dpcore.exhibits.home import figure as figures
from dpcore.exhibits.home import study as home
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.profiles.curves import Curve, tradeoff_curve
from pages.components import cache, cards, controls, drawing, say, state
from pages.components.page import Chart, place
from pages.components.say import md

LOW, HIGH = (home.OTHERS + end for end in home.AROUND)
NOISE = (0.4, 10.0)
HINT = "Above the threshold: “she was in”. Right of it, blue: false alarms. Left of it, orange: misses."


@dataclass(frozen=True)
class State:
    """What the sidebar asks."""

    sigma: float = state.log(
        "Noise σ (in patients)", *NOISE, 1.0,
        help="Standard deviation of the Gaussian noise, divided by how much one person can change the answer.",
    )  # fmt: skip
    threshold: float = state.linear(
        "Threshold", LOW, HIGH, home.OTHERS + 0.5, step=0.1,
        help="The attacker says “she was in” above it. Drag the handle in the picture.",
    )  # fmt: skip
    delta: float = state.delta(md("Look at δ ="))

    @property
    def mechanism(self) -> Gaussian:
        return Gaussian(self.sigma)

    @cached_property
    def attack(self) -> home.Threshold:
        return home.threshold(self.sigma, self.threshold)

    @cached_property
    def bells(self) -> tuple[Curve, ...]:
        return home.bells(self.sigma)


def charts(shown: State) -> list[Chart]:
    """The second half of the picture, which can be taken away."""
    curve = cache.shared(tradeoff_curve, "Gaussian", shown.mechanism)
    return [
        Chart("Best attacks", lambda: figures.attack_figure(curve, shown.attack, cards.theme_mode()),
              "Misses against false alarms of the best attacks, with the threshold's point", "home_chart")
    ]  # fmt: skip


def show(shown: State) -> None:
    """The picture in two halves."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        say.markdown("What is published, with Ada and without")
        drawing.show(_drawing(shown.bells, shown.attack), key="home_bells")
    with right:
        say.markdown("What that is worth to an attacker")
        place(*charts(shown))


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
                "home_threshold", "Threshold", figures.THRESHOLD, (), (at.at,), LOW, HIGH, 0.1, rides=including
            )
        ],
        shades=[drawing.Shade(without, "right", figures.WITHOUT), drawing.Shade(including, "left", figures.WITH)],
        frames=drawing.Frames("home_sigma", cache.shared(_frames)),
        height=290,
        hint=HINT,
    )  # fmt: skip


def _frames() -> list[list[list[float]]]:
    positions = controls.round_values(*NOISE)
    return [[[round(y, 4) for y in curve.y.tolist()] for curve in home.bells(sigma)] for sigma in positions]
