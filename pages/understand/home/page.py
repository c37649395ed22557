"""Home: a game, the picture behind it, and three ways on."""

from collections.abc import Sequence

import streamlit as st

from dpcore.exhibits.home import study as home
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.profiles.curves import table
from pages.components import cards, data_input, live, routes, say
from pages.components.page import Chart, Page
from pages.components.say import md
from pages.components.words import number
from pages.understand.home import game, picture
from pages.understand.home.picture import State
from pages.understand.home.words import NOTES, WAYS_IN


def _above(shown: State) -> None:
    """The game, the picture, and what it comes to."""
    with st.sidebar:
        say.caption("Everything runs on this computer: no account, no internet, no telemetry.")
    game.show(shown.sigma, shown.delta)
    picture.show(shown)
    cards.told_row(_metrics(shown), most=3)


def _metrics(shown: State) -> list[cards.Metric]:
    mechanism, attack = shown.mechanism, shown.attack
    caught = 1 - float(mechanism.tradeoff(0.05))
    return [
        cards.Metric("False alarms", f"{100 * attack.false_alarms:.1f} %", help="She was not counted, and the threshold says so."),
        cards.Metric("Misses", f"{100 * attack.misses:.1f} %", help="She was counted, and the threshold says she was not."),
        cards.Metric(
            md("ε at δ = {}", number(shown.delta)), number(float(mechanism.epsilon(shown.delta))),
            f"ceiling {100 * home.ceiling(mechanism).accuracy:.1f} % right",
            help="Privacy loss, in nats. The ceiling: no rule guesses a fair coin better; the threshold 100.5 does as well.",
        ),
        cards.Metric(
            "Detected", f"{100 * caught:.1f} %", "at 5 % false alarms",
            help="Best possible detection rate, whatever the attacker knows or computes; guessing at random detects 5 %.",
        ),
    ]  # fmt: skip


def _ways_in(shown: State) -> Sequence[Chart]:
    for column, (title, words, page, label) in zip(st.columns(3, gap="medium"), WAYS_IN, strict=True):
        with column, st.container(border=True, height="stretch"):
            say.subheader(title, anchor=False)
            say.markdown(words)
            if title == "Your data":
                data_input.drop_in(page)
            routes.page_link(page, label)
    return picture.charts(shown)


PAGE = Page(
    title="See differential privacy",
    sentence="A privacy guarantee is a curve, not a slogan: it says how much an attacker who sees the output can still learn about one "
    "person.",
    prefix="home",
    state=State,
    above=_above,
    told=_metrics,
    figures=picture.charts,
    body=_ways_in,
    notes=lambda shown: NOTES,
    formulas=lambda shown: [Gaussian.card],
    program=lambda shown: (
        f"import dpcore as dp\nmechanism = dp.{shown.mechanism!r}\nmechanism.epsilon({shown.delta!r}), "
        "1 - mechanism.tradeoff(0.05)\ndp.exhibits.home.study.ceiling(mechanism).accuracy, "
        f"dp.exhibits.home.study.threshold({shown.sigma!r}, {shown.attack.at!r})"
    ),
    data=lambda shown: table(list(shown.bells), "x", "density"),
    more=lambda shown: {"Data": None},
    follows=lambda shown: ("sigma", "threshold"),
    taken=lambda follows: live.taken(follows, "home_sigma", "σ =", {"Best attacks": "home_chart"}),
    file="home",
)
