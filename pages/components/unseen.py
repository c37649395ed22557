"""Scripts that run beside a page in the browser and show nothing there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

_NOTHING = '<i class="unseen" hidden></i>'
_ROOM = """
[data-testid="stElementContainer"]:has(i.unseen) {
  display: none;
}
"""


def script(module: str, *before: str, html: str = _NOTHING) -> Callable[..., Any]:
    """What mounts the script that lies beside a module and bears its name, with the style sheet where there is one.

    `before` names scripts there that it begins with, and `html` is what is seen after all.
    """
    here = Path(module)
    style = here.with_suffix(".css")
    return st.components.v2.component(
        here.stem,
        html=html,
        css=_ROOM + (style.read_text(encoding="utf-8") if style.exists() else ""),
        js="".join(here.with_name(f"{name}.js").read_text(encoding="utf-8") for name in (*before, here.stem)),
        isolate_styles=False,
    )
