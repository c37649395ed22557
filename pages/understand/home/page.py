"""Home: what this is, and three ways in."""

import streamlit as st

from dpcore.figures.home import hero_figure
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.profiles.curves import gaussian_densities, table, tradeoff_curve
from pages.components import cache, cards, controls, export, say
from pages.components.words import number
from pages.understand.home.words import NOTES, WAYS_IN

cards.heading(
    "See differential privacy",
    "A privacy guarantee is a curve, not a slogan. Move the noise and watch how much an attacker who sees the output can "
    "still learn about one person.",
)

with st.sidebar:
    sigma = controls.log_slider(
        "Noise σ (in sensitivities)", 0.2, 20.0, 1.0, key="home_sigma",
        help="Standard deviation of the Gaussian noise, divided by how much one person can change the answer.",
    )  # fmt: skip
    delta = controls.delta_slider("Failure probability δ", key="home_delta")
    say.caption("Everything runs on this computer: no account, no internet, no telemetry.")

mechanism = Gaussian(sigma)
caught = 1 - float(mechanism.tradeoff(0.05))
cards.metric_row(
    [
        cards.Metric("Privacy loss ε", number(float(mechanism.epsilon(delta))), help=f"ε at δ = {number(delta)}, in nats"),
        cards.Metric(
            "Attacker detects the record", f"{100 * caught:.1f} %",
            help="Best possible detection rate at 5 % false alarms, whatever the attacker knows or computes.",
        ),
        cards.Metric("If there were no output at all", "5.0 %", help="Guessing at random, at the same 5 % false alarms."),
    ]
)  # fmt: skip
densities = gaussian_densities(sigma)
figure = hero_figure(
    densities,
    cache.shared(tradeoff_curve, "Gaussian", mechanism),
    cards.theme_mode(),
)
export.chart(
    figure, key="home_chart", alt="Output distributions with and without the record, and the attacker's trade-off curve"
)

for column, (title, words, page, label) in zip(st.columns(3, gap="medium"), WAYS_IN, strict=True):
    with column, st.container(border=True, height="stretch"):
        say.subheader(title, anchor=False)
        say.markdown(words)
        cards.page_link(page, label)

notes, formula, program, take = say.tabs(["What to notice", "Formula", "Code", "Download and link"])
with notes:
    cards.notice(NOTES)
with formula:
    cards.formula_cards([Gaussian.card])
with program:
    cards.code(
        f"import dpcore as dp\nmechanism = dp.{mechanism!r}\nmechanism.epsilon({delta!r}), 1 - mechanism.tradeoff(0.05)"
    )
with take:
    export.downloads({"Output and attack": figure}, table(list(densities), "x", "density"), "home")
    export.link()
