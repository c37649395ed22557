"""For readers of a source: what they ask for first, live, at one click."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dpcore.exhibits.gallery import EXHIBITS
from dpcore.statements import STATEMENTS
from pages.components import links, routes, say
from pages.components.say import md
from pages.sources.gallery import words


def leave_for(page: str, state: Mapping[str, Any]) -> None:
    """Open a page in a state."""
    links.give(state, leaving=True)
    routes.open_page(page, {})


def entries() -> None:
    """One line a source: who wrote it, and its first figure or statement."""
    for column, (source, name) in zip(st.columns(len(words.READ), gap="small"), words.READ.items(), strict=True):
        label, page, state = first(source)
        with column, st.container(border=True, height="stretch", gap="small"):
            say.markdown(md("I read **{}**", name))
            if say.button(f"{label}, live", key=f"ga_first_{source}", type="primary", width="stretch"):
                leave_for(page, state)


def first(source: str) -> tuple[str, str, Mapping[str, Any]]:
    """What stands on a source's button, and where it leads."""
    wanted = words.FIRST[source]
    if wanted in EXHIBITS:
        one = EXHIBITS[wanted]
        return one.number.split(",")[0], one.page, one.state
    (one,) = (one for one in STATEMENTS if (one.source, one.label) == (source, wanted))
    return one.label, one.page, one.state
