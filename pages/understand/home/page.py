"""Home: the picture with a game beside it, what a guess is worth, and three ways on."""

from collections.abc import Sequence

import streamlit as st

from dpcore.exhibits.home import study as home
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.profiles.curves import table
from pages.components import cards, data_input, live, routes, running_order, say, screen
from pages.components.page import Chart, Page, row
from pages.components.say import md
from pages.components.words import number
from pages.understand.home import game, picture
from pages.understand.home.picture import State
from pages.understand.home.words import NOTES, WAYS_IN


def _body(shown: State) -> Sequence[Chart]:
    """The picture and, where there is room beside it, the game."""
    with st.sidebar:
        say.caption("Everything runs on this computer: no account, no internet, no telemetry.")
    if screen.size() == "phone":
        picture.show(shown)
    else:
        left, right = st.columns([3, 2], gap="small")
        with left:
            picture.show(shown)
        with right:
            game.show(shown.sigma, shown.delta)
    return picture.charts(shown)


def _cards(shown: State) -> Sequence[cards.Metric]:
    mechanism, attack = shown.mechanism, shown.attack
    return [
        cards.Metric("False alarms", f"{100 * attack.false_alarms:.1f} %", help="She was not counted, and the threshold says so."),
        cards.Metric("Misses", f"{100 * attack.misses:.1f} %", help="She was counted, and the threshold says she was not."),
        cards.Metric(
            "Detected", f"{100 * (1 - float(mechanism.tradeoff(0.05))):.1f} %", "at 5 % false alarms",
            help="Best possible detection rate, whatever the attacker knows or computes; guessing at random detects 5 %.",
        ),
        cards.Metric(
            md("ε at δ = {}", number(shown.delta)), number(float(mechanism.epsilon(shown.delta))), "nats",
            help=md("No set of counts is more than $e^ε$ times as likely with Ada as without, but for δ."),
        ),
    ]  # fmt: skip


def _below(shown: State) -> None:
    if screen.size() == "phone":
        game.show(shown.sigma, shown.delta)
    if running_order.covered():
        return
    row(picture.charts(shown))
    for column, (title, words, page, label) in zip(st.columns(3, gap="medium"), WAYS_IN, strict=True):
        with column, st.container(border=True, height="stretch"):
            say.subheader(title, anchor=False)
            say.markdown(words)
            if title == "Your data":
                data_input.drop_in(page)
            routes.page_link(page, label)


PAGE = Page(
    title="See differential privacy",
    sentence="A privacy guarantee is a curve, not a slogan: it says how much an attacker who sees the output can still learn about one "
    "person.",
    headline=lambda shown: (
        f"The best guess about Ada is right {100 * home.ceiling(shown.mechanism).accuracy:.1f} % of the time"
    ),
    prefix="home",
    state=State,
    main="sigma",
    figures=picture.charts,
    body=_body,
    cards=_cards,
    below=_below,
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
