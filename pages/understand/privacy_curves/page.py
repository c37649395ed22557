"""Privacy curves: δ(ε), trade-off and Rényi views of the same mechanisms, side by side."""

import streamlit as st

from dpcore.mechanisms import MECHANISMS
from pages.components import cards, controls, export, live, say
from pages.components.page import Page
from pages.components.say import md
from pages.understand.privacy_curves import moving, presets, views

PREFIX = "pc"


def _draw() -> None:
    cards.heading(
        "Privacy curves",
        md(
            "See what one mechanism promises in three languages at once — δ(ε), the trade-off between an attacker's two errors, "
            "and Rényi divergence — and how mechanisms that agree in one number differ everywhere else."
        ),
    )

    with st.sidebar:
        controls.preset_buttons(presets.PRESETS, key=PREFIX)
        shown = say.pills(
            "Mechanisms",
            list(MECHANISMS),
            selection_mode="multi",
            default=["gaussian", "laplace"],
            format_func=lambda key: MECHANISMS[key].name,
            key=f"{PREFIX}_show",
        )
        mechanisms = {}
        for key in shown:
            if len(shown) > 1:
                say.markdown(md("**{}**", MECHANISMS[key].name))
            mechanisms[MECHANISMS[key].name] = controls.mechanism_controls(key, MECHANISMS[key], prefix=PREFIX)
        st.divider()
        epsilon = controls.linear_slider(md("Look at ε ="), 0.0, 8.0, 1.0, step=0.05, key=f"{PREFIX}_epsilon")
        delta = controls.delta_slider(md("Look at δ ="), key=f"{PREFIX}_delta")
        order = controls.log_slider(md("Look at Rényi order α ="), *views.ORDER_RANGE, 8.0, key=f"{PREFIX}_alpha")
        direction = controls.direction_choice(key=f"{PREFIX}_direction")
        epsilon_max = controls.log_slider("ε axis up to", 0.1, 100.0, 5.0, key=f"{PREFIX}_epsilon_max")
        log_scale = say.toggle("Logarithmic δ", value=True, key=f"{PREFIX}_log")

    if not mechanisms:
        say.info("Choose at least one mechanism in the sidebar to draw its curves.")
        st.stop()

    view = views.CurveView(mechanisms, epsilon, delta, order, direction, epsilon_max, log_scale)
    views.metrics(view)
    figures, data = views.charts(view)
    follows = moving.offers(view, shown, PREFIX)

    cards.tabs(
        {
            "What to notice": lambda: cards.notice(views.observations(view)),
            "Formula": lambda: cards.formula_cards([MECHANISMS[key].card for key in shown]),
            "Code": lambda: cards.code(views.program(view)),
            "Data": lambda: say.table(data, hide_index=True, height=320),
            "Download and link": lambda: export.take(
                figures, data, "privacy_curves", moves=moving.taken(follows, shown[0], PREFIX)
            ),
        },
        key=f"{PREFIX}_tab",
    )
    live.follow(follows, key="pc_live", pointed=moving.rings(view))


PAGE = Page(draw=_draw)
