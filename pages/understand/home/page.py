"""Home: a game, the picture behind it, and three ways on."""

import streamlit as st

from dpcore.exhibits.home import study as home
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.profiles.curves import table
from pages.components import cards, controls, data_input, export, live, routes, say
from pages.components.page import Page
from pages.components.say import md
from pages.components.words import number
from pages.understand.home import game, picture
from pages.understand.home.words import NOTES, WAYS_IN


def _draw() -> None:
    cards.heading(
        "See differential privacy",
        "A privacy guarantee is a curve, not a slogan: it says how much an attacker who sees the output can still learn about one person.",
    )

    with st.sidebar:
        sigma = picture.noise()
        attack = home.threshold(sigma, picture.threshold())
        delta = controls.delta_slider(md("Look at δ ="), key="home_delta")
        say.caption("Everything runs on this computer: no account, no internet, no telemetry.")

    game.show(sigma, delta)
    bells, figure = picture.show(sigma, attack)
    follows = picture.offers(sigma, attack.at)
    mechanism = Gaussian(sigma)
    caught = 1 - float(mechanism.tradeoff(0.05))
    cards.metric_row(
        [
            cards.Metric("False alarms", f"{100 * attack.false_alarms:.1f} %", help="She was not counted, and the threshold says so."),
            cards.Metric("Misses", f"{100 * attack.misses:.1f} %", help="She was counted, and the threshold says she was not."),
            cards.Metric(
                md("ε at δ = {}", number(delta)), number(float(mechanism.epsilon(delta))),
                f"ceiling {100 * home.ceiling(mechanism).accuracy:.1f} % right",
                help="Privacy loss, in nats. The ceiling: no rule guesses a fair coin better; the threshold 100.5 does as well.",
            ),
            cards.Metric(
                "Detected", f"{100 * caught:.1f} %", "at 5 % false alarms",
                help="Best possible detection rate, whatever the attacker knows or computes; guessing at random detects 5 %.",
            ),
        ],
        most=3,
    )  # fmt: skip

    for column, (title, words, page, label) in zip(st.columns(3, gap="medium"), WAYS_IN, strict=True):
        with column, st.container(border=True, height="stretch"):
            say.subheader(title, anchor=False)
            say.markdown(words)
            if title == "Your data":
                data_input.drop_in(page)
            routes.page_link(page, label)

    notes, formula, program, take = say.tabs(["What to notice", "Formula", "Code", "Download and link"])
    with notes:
        cards.notice(NOTES)
    with formula:
        cards.formula_cards([Gaussian.card])
    with program:
        cards.code(
            f"import dpcore as dp\nmechanism = dp.{mechanism!r}\nmechanism.epsilon({delta!r}), 1 - mechanism.tradeoff(0.05)\n"
            f"dp.exhibits.home.study.ceiling(mechanism).accuracy, dp.exhibits.home.study.threshold({sigma!r}, {attack.at!r})"
        )
    with take:
        export.take({"Best attacks": figure}, table(list(bells), "x", "density"), "home", moves=picture.taken(follows))
    live.follow(follows, key="home_live")


PAGE = Page(draw=_draw)
