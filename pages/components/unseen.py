"""Scripts that run with a page in the browser and show nothing."""

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
    """A function that mounts the script (and the style sheet, if there is one) with the name of a module beside it.

    `before` names scripts in the same folder that are put in front of it; `html` is content that is visible.
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
