"""What stands on the first page: the picture with the game beside it, numbers, and three ways on."""

from collections.abc import Sequence

import streamlit as st

from pages.components import cards, data_input, routes, running_order, say, screen
from pages.components.charts import Chart, row
from pages.components.say import md
from pages.components.words import number
from pages.understand.home import game, picture
from pages.understand.home.picture import State
from pages.understand.home.words import WAYS_IN


def body(shown: State) -> Sequence[Chart]:
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


def metrics(shown: State) -> Sequence[cards.Metric]:
    """The threshold's two errors, and what the mechanism promises."""
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


def below(shown: State) -> None:
    """The game on a phone, what an attack is worth, and three ways on."""
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
