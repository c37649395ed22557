"""Metrics, charts and words of the log-concave pairs page."""

import math

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore import curves
from dpcore.figures import log_concave as figures
from dpcore.log_concave import COMMON, PIECES, LogConcavePair
from dpcore.profiles import Bound
from pages.components import cache, cards, controls, export
from pages.components.words import number, probability_from_log

DIRECTIONS = {"add": "δ(P‖Q)", "remove": "δ(Q‖P)"}


def pair_controls() -> LogConcavePair:
    """The sidebar's controls for both potentials."""
    mu = controls.log_slider("Strong convexity μ", 0.1, 10.0, 1.0, key="lc_mu")
    scale = controls.log_slider(
        "Lipschitz bound G", 0.1, 10.0, 1.0, key="lc_scale", help="Each potential gets (G/2)·g with |g′| ≤ 1"
    )
    options = {"bind": "query-params", "persist_state": "session", "format_func": PIECES.get}
    first = st.selectbox("F adds g₁ =", list(PIECES), index=0, key="lc_first", **options)
    second = st.selectbox("F̃ adds g₂ =", list(PIECES), index=3, key="lc_second", **options)
    knot = 0.0
    if {first, second} & {"kink", "hinge", "bowl", "drawn"}:
        knot = controls.linear_slider("Place c", -2.0, 2.0, 0.0, step=0.1, key="lc_knot")
    slopes = (-1.0, 0.0, 1.0)
    if "drawn" in (first, second):
        ends = st.slider("First and last slope", -1.0, 1.0, (-1.0, 1.0), step=0.1, key="lc_ends")
        middle = controls.linear_slider("Middle slope", -1.0, 1.0, 0.0, step=0.1, key="lc_middle")
        slopes = (ends[0], min(max(middle, ends[0]), ends[1]), ends[1])
    common = st.selectbox(
        "Both add", list(COMMON), format_func=COMMON.get, key="lc_common", bind="query-params", persist_state="session"
    )
    bounded = st.toggle("Bounded set [−B, B]", key="lc_bounded", bind="query-params", persist_state="session")
    half_width = controls.log_slider("Half-width B", 0.1, 10.0, 2.0, key="lc_width") if bounded else math.inf
    return LogConcavePair(mu, scale, first, second, knot, slopes, common, half_width)


def metrics(pair: LogConcavePair, epsilon: float, direction: str) -> None:
    """δ of the pair, δ of the theorem, the share reached, the slope."""
    log_exact, log_theorem = float(pair.log_delta(epsilon, direction=direction)), float(pair.theorem.log_delta(epsilon))
    share = math.exp(min(log_exact - log_theorem, 0.0))
    at = f"ε = {number(epsilon)}"
    cards.metric_row(
        [
            cards.Metric(f"δ at {at}, this pair", probability_from_log(log_exact), DIRECTIONS[direction]),
            cards.Metric(
                "Theorem's bound", probability_from_log(log_theorem), f"shift G/√μ = {number(pair.theorem.shift)}"
            ),
            cards.Metric("Share of the bound reached", f"{100 * share:.1f} %", "attained" if share > 0.9999 else None),
            cards.Metric("Largest slope of F̃ − F", number(pair.lipschitz), f"at most G = {number(pair.scale)}"),
        ]
    )


def draw(pair: LogConcavePair, epsilon_max: float, direction: str) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """Densities, profiles and trade-off curves, with the data behind them."""
    mode = cards.theme_mode()
    profiles = [
        cache.shared(curves.delta_curve, "this pair", pair, epsilon_max, direction=direction, points=121),
        cache.shared(curves.delta_curve, "Gaussian of the theorem", pair.theorem, epsilon_max),
    ]
    tradeoffs = [
        cache.shared(pair_tradeoff, pair, direction),
        cache.shared(curves.tradeoff_curve, "Gaussian of the theorem", pair.theorem),
    ]
    for group, bound in ((profiles, Bound.UPPER), (tradeoffs, Bound.LOWER)):
        group[1] = curves.Curve(group[1].name, group[1].x, group[1].y, bound)
    drawn = {
        "Densities": figures.densities_figure(pair.densities(), mode),
        "Profile": figures.profile_figure(profiles, mode, floor=1e-10),
        "Trade-off": figures.tradeoff_figure(tradeoffs, mode),
    }
    left, right = st.columns([1, 1], gap="small")
    with left:
        export.chart(drawn["Densities"], key="lc_densities", alt="The two densities")
    with right:
        export.chart(drawn["Profile"], key="lc_profile", alt="Delta against epsilon of the pair and of the theorem")
    frame = pd.concat(
        [
            curves.table(profiles, "x", "y").assign(curve="delta(epsilon)"),
            curves.table(tradeoffs, "x", "y").assign(curve="type II(type I)"),
        ],
        ignore_index=True,
    )
    return drawn, frame


def pair_tradeoff(pair: LogConcavePair, direction: str) -> curves.Curve:
    """The pair's own trade-off curve."""
    return pair.tradeoff_points(direction)


def observations(pair: LogConcavePair, epsilon: float, direction: str) -> list[str]:
    """Statements computed from what is on screen."""
    other = "remove" if direction == "add" else "add"
    here, there = (float(pair.delta(epsilon, direction=one)) for one in (direction, other))
    tilts = (
        {pair.first, pair.second} <= {"left", "right", "flat"} and pair.common == "none" and math.isinf(pair.half_width)
    )
    said = [
        "**Two tilts of one Gaussian attain the theorem**: the densities are Gaussians a distance G/μ apart, and the curves coincide."
        if tilts
        else "**Away from pure tilts the pair stays strictly inside.** Choose −x and x, nothing in common and no walls to see it attained.",
        "**Only the slope of the difference counts**, not its size: F̃ − F may grow without end, yet one density hides the other as "
        "long as both are curved by μ.",
        f"**The theorem is the same in both directions; the pair is not**: {DIRECTIONS[direction]} = {number(here)}, "
        f"{DIRECTIONS[other]} = {number(there)} here.",
    ]
    if not math.isinf(pair.half_width):
        said.append(
            "**Walls only help**: on a bounded set the log ratio is bounded, so δ reaches 0 at a finite ε and the theorem cannot see it."
        )
    if pair.common != "none":
        said.append(
            "**Curvature beyond μ only helps**: the common term makes both densities narrower than the theorem assumes."
        )
    return said


def program(pair: LogConcavePair, epsilon: float, direction: str) -> str:
    """The lines of dpcore that make these numbers."""
    text = repr(pair).replace("half_width=inf", 'half_width=float("inf")')
    return "\n".join(
        [
            "from dpcore.log_concave import LogConcavePair",
            f"pair = {text}",
            f"pair.delta({epsilon!r}, direction={direction!r}), pair.theorem.delta({epsilon!r})",
            "pair.tradeoff(0.05), pair.theorem.tradeoff(0.05)",
        ]
    )
