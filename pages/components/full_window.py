"""The window for a lecture: one figure fills it, with its slider and large type. The link says whether it is on."""

from typing import Any

import streamlit as st

from pages.components import say, unseen

ON, NUMBERS, FIGURE = "lecture", "numbers", "figure"

# Sliders that move a page's figures although they are not its first slider → figures that the first slider moves.
SLIDERS = {"co_0_count": ("co_chart_growth",), "ll_records": (), "out_epsilon": ()}
_mount = unseen.script(__file__)


def is_on() -> bool:
    """Whether a figure fills the window."""
    return st.query_params.get(ON) == "true"


def numbers_shown() -> bool:
    """Whether the page's cards are shown; they leave no space for anything else beside the figure."""
    return is_on() and st.query_params.get(NUMBERS) == "true"


def carried() -> dict[str, str]:
    """What a link to another step contains: the window stays as it is, and the numbers are hidden again."""
    return {ON: "true"} if is_on() else {}


def flat(height: int) -> int:
    """The height of a drawing: less in a full window, which magnifies it and is wider than a page's column."""
    return round(0.75 * height) if is_on() else height


def above() -> Any:
    """The container of what a full window shows above its figure."""
    return st.container(key="lecture_top")


def beside() -> Any:
    """The container of the button beside the slider in a full window."""
    return st.container(key="lecture_act")


def leave() -> None:
    """Leave the full window."""
    for name in (ON, NUMBERS, FIGURE):
        if name in st.query_params:
            del st.query_params[name]


def bar(slider: str = "") -> None:
    """The button that fills the window, and the buttons of a full window; a step of a lecture may name a `slider`."""
    on = is_on()
    with st.container(horizontal=True, horizontal_alignment="right", gap="small", key="lecture_bar"):
        say.button(
            "Leave" if on else "Lecture", key="lecture_mode", shortcut="F", on_click=leave if on else _set,
            args=() if on else (ON, True),
            help=None if on else "The figure fills the window, with its slider; the numbers wait until asked for.",
        )  # fmt: skip
        if on:
            shown = numbers_shown()
            say.button(
                "Hide numbers" if shown else "Numbers", key="lecture_numbers", shortcut="S", on_click=_set, args=(NUMBERS, not shown)
            )  # fmt: skip
            say.button("Next figure", key="lecture_figure", shortcut="N", on_click=_next)
            say.button("Leave", key="lecture_leave", shortcut="Esc", on_click=leave)
    sliders = {slider: ()} if slider else SLIDERS
    _mount(key="lecture_window", data={"on": on, "numbers": numbers_shown(), "figure": _figure(), "sliders": sliders})


def _figure() -> int:
    asked = st.query_params.get(FIGURE, "")
    return int(asked) if asked.isdecimal() and 0 < len(asked) < 4 else 1


def _set(name: str, value: bool) -> None:
    if value:
        st.query_params[name] = "true"
    else:
        del st.query_params[name]


def _next() -> None:
    st.query_params[FIGURE] = str(_figure() + 1)
