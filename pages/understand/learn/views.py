"""Progress, controls and feedback of the lessons."""

from pathlib import Path

import plotly.graph_objects as go
import streamlit as st

from dpcore.data import load_sample
from dpcore.figures import lessons as figures
from dpcore.profiles import curves
from dpcore.studies import lessons
from pages.components import cache, cards, controls, export, say
from pages.components.say import md
from pages.components.words import number
from pages.understand.learn.words import LESSONS, Lesson

ROOT = Path(__file__).parents[2]
_DONE = "learn_done"


def done() -> set[str]:
    """Lessons solved in this session."""
    return st.session_state.setdefault(_DONE, set())


def choose() -> str:
    """The list of lessons, with what is done."""
    keys = list(LESSONS)
    solved = done()
    return say.radio(
        "Lessons", keys, format_func=lambda key: f"{keys.index(key) + 1} · {LESSONS[key].title}", key="learn_lesson",
        captions=["done" if key in solved else "" for key in keys], bind="query-params", persist_state="session",
    )  # fmt: skip


def slider(key: str, lesson: Lesson) -> float:
    """The one slider of a lesson."""
    label, *ends, default, kind = lesson.slider
    name = f"learn_{key}"
    if kind == "log":
        return controls.log_slider(label, *ends, default, key=name)
    if kind == "list":
        return say.select_slider(
            label, getattr(lessons, ends[0]), value=default, key=name, bind="query-params", persist_state="session"
        )
    return controls.linear_slider(label, *ends, default, step=kind, key=name)


def read(key: str, position: float) -> lessons.Reading:
    """What the slider's position gives; solving is remembered for this session."""
    arguments = (load_sample("diabetes"),) if key in lessons.WITH_DATA else ()
    reading = cache.in_session(lessons.LESSONS[key], float(position), *arguments)
    if reading.solved:
        done().add(key)
    return reading


def metrics(key: str, lesson: Lesson, reading: lessons.Reading) -> None:
    """Where the slider stands and what is wanted; how far one is."""
    value = f"{100 * reading.value:.1f} %" if key == "epsilon" else number(reading.value)
    cards.metric_row(
        [
            cards.Metric(lesson.shows, value, f"wanted: {lesson.wanted}"),
            cards.Metric("Lessons done", f"{len(done())} of {len(LESSONS)}"),
        ]
    )


def picture(key: str, reading: lessons.Reading) -> dict[str, go.Figure]:
    """The lesson's chart."""
    mode = cards.theme_mode()
    if key == "exposed":
        found = cache.in_session(lessons.exposures, load_sample("diabetes"))
        drawn = figures.exposure_figure(found, int(reading.at), mode)
    else:
        drawn = figures.lesson_figure(key, reading, mode)
    export.chart(drawn, key=f"learn_chart_{key}", alt=LESSONS[key].question)
    return {LESSONS[key].title: drawn}


def feedback(lesson: Lesson, reading: lessons.Reading) -> None:
    """Right, or which way to move."""
    if reading.solved:
        say.success(md("Right. {}", lesson.right), icon=":material/check:")
    else:
        say.info(md("Not yet. {}", lesson.high if reading.too_far > 0 else lesson.low), icon=":material/arrow_forward:")


def onwards(key: str, lesson: Lesson, reading: lessons.Reading) -> None:
    """The next lesson, and the page that goes further."""
    keys = list(LESSONS)
    after = keys[keys.index(key) + 1 :]
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        if after:
            say.button(
                "Next lesson",
                key="learn_next",
                on_click=_go,
                args=(after[0],),
                type="primary" if reading.solved else "secondary",
            )
        elif len(done()) == len(keys):
            say.markdown(md("**All lessons are done.** Each page of this app goes further from here."))
        if (ROOT / lesson.page).exists():
            cards.page_link(lesson.page, lesson.label, lesson.query or None)


def _go(key: str) -> None:
    st.session_state["learn_lesson"] = key


def forget() -> None:
    """Start again."""
    st.session_state[_DONE] = set()


def table(reading: lessons.Reading):
    """The data behind the picture."""
    return curves.table(list(reading.curves), "x", "y")
