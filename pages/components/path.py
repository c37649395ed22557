"""Sampling instead of noise: the path of lecture 12, from what a draw costs to how it is drawn, over two pages."""

import streamlit as st

from pages.components import links, routes, say

LIMITS, MECHANISM = "understand/learning_limits", "understand/exponential_mechanism"
STEPS = (
    ("A draw costs: Theorem 2, Lemma 2", LIMITS, {"ll_view": "sampling"}),
    ("In private: Theorem 3", MECHANISM, {"em_tab": "Formula"}),
    ("Drawn by the sampler", MECHANISM, {"em_tab": "Sampler"}),
)


def show(page: str) -> None:
    """All steps in a line; those of this page set it, the others lead away."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="sampling_path"):
        say.caption("Sampling instead of noise", width="content")
        for number, (label, where, state) in enumerate(STEPS, 1):
            if where == page:
                say.button(
                    f"{number} · {label}",
                    key=f"sampling_path_{number}",
                    type="tertiary",
                    on_click=links.give,
                    args=(state,),
                )
            else:
                routes.page_link(where, f"{number} · {label}", state)
