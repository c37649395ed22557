"""The size of the reader's window, as the browser measures it."""

import streamlit as st

from pages.components import unseen

_SIZES = ("phone", "usual", "large")
_mount = unseen.script(__file__)


def measure() -> None:
    """Let the browser report when the window has another size than the one that charts are made for."""
    _mount(key="screen", data={"size": size()}, on_size_change=lambda: None)


def size() -> str:
    """ "phone", "usual" or "large"; before the browser has measured, a guess from its User-Agent header."""
    found = (st.session_state.get("screen") or {}).get("size")
    if found in _SIZES:
        return found
    return "phone" if "Mobi" in st.context.headers.get("User-Agent", "") else "usual"
