"""Stories over several states of pages: a line of steps. Each step sets this page or leads to another one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.components import links, routes, say


@dataclass(frozen=True)
class Story:
    """A title, and for each step its name, its page and the state it sets there."""

    key: str
    title: str
    steps: tuple[tuple[str, str, Mapping[str, Any]], ...]


LIMITS, MECHANISM, AUGMENTATION = (
    "understand/learning_limits",
    "understand/exponential_mechanism",
    "sources/noise_augmentation",
)
SAMPLING = Story(
    "sampling_path",
    "Sampling instead of noise",
    (
        ("A draw costs: Theorem 2, Lemma 2", LIMITS, {"ll_view": "sampling"}),
        ("In private: Theorem 3", MECHANISM, {"em_tab": "Formula"}),
        ("Drawn by the sampler", MECHANISM, {"em_tab": "Sampler"}),
    ),
)
NOISE_AS_ROWS = Story(
    "rows_path",
    "From rows to privacy",
    (
        ("Appended rows", AUGMENTATION, {"na_view": "rows"}),
        ("act as a penalty", AUGMENTATION, {"na_view": "realised", "na_kind": "lasso"}),
        ("What privacy survives", AUGMENTATION, {"na_view": "private", "na_attacked": "moor"}),
    ),
)


def show(path: Story, page: str) -> None:
    """Show all steps in a line: those of this page set its state, the others are links."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=path.key):
        say.caption(path.title, width="content")
        for number, (label, where, state) in enumerate(path.steps, 1):
            said = f"{number} · {label}"
            if where == page:
                say.button(said, key=f"{path.key}_{number}", type="tertiary", on_click=links.give, args=(state,))
            else:
                routes.page_link(where, said, state)
