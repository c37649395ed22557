"""What a lesson shows: its picture, its numbers, which way to move, where to go on."""

from collections.abc import Iterator
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st

from dpcore.data import load_sample
from dpcore.exhibits.lessons import figure as figures
from dpcore.exhibits.lessons import study as lessons
from dpcore.figures.deck import Deck, differences
from dpcore.profiles import curves
from pages.components import cache, cards, export, live, routes, say, screen
from pages.components.say import md
from pages.components.words import count, number
from pages.understand.learn import progress
from pages.understand.learn.words import LESSONS, Lesson

ROOT = Path(__file__).parents[2]
_NAMED = 100  # pixels more, where each point has its number beside it


def read(key: str, position: float) -> lessons.Reading:
    """What the slider's position gives."""
    if key in lessons.WITH_DATA:
        return cache.in_session(lessons.LESSONS[key], float(position), load_sample("diabetes"))
    return cache.shared(lessons.LESSONS[key], float(position))


def given(key: str) -> None:
    """What a guess can start from, where the story does not say it."""
    if key == "audit":
        caught, alarms = cache.shared(lessons.audit_counts)
        say.markdown(
            md(
                "Counted: {} detections with Ada, {} false alarms without, in {} runs each.",
                count(caught),
                count(alarms),
                count(lessons.RUNS),
            )
        )


def _height() -> int:
    """Of a lesson's picture, in pixels before a projector makes it taller: nothing stands beside its column there."""
    return 400 if screen.size() == "large" else 280


def guess_picture(key: str, guess: float) -> None:
    """The empty axes with the guess; the patients, of whom one is clicked."""
    if key == "exposed":
        found = cache.in_session(lessons.exposures, load_sample("diabetes"))
        drawn = figures.exposure_figure(found, int(guess) - 1, cards.theme_mode(), height=_height())
        _clickable(drawn, progress.guess_key(key))
    else:
        drawn = figures.question_figure(key, guess, cards.theme_mode(), height=_height())
        export.chart(drawn, key=f"learn_guess_chart_{key}", alt=LESSONS[key].question)


def answer_picture(key: str, reading: lessons.Reading, guess: float) -> dict[str, go.Figure]:
    """The lesson's chart, with the guess beside the truth."""
    mode = cards.theme_mode()
    if key == "exposed":
        found = cache.in_session(lessons.exposures, load_sample("diabetes"))
        drawn = figures.exposure_figure(found, int(reading.at), mode, guess=int(guess) - 1, height=_height() + _NAMED)
        _clickable(drawn, progress.slider_key(key))
    else:
        drawn = figures.lesson_figure(
            key, reading, mode, guess=read(key, guess), truth=read(key, reading.truth), height=_height()
        )
        export.chart(drawn, key=f"learn_chart_{key}", alt=LESSONS[key].question)
    return {LESSONS[key].title: drawn}


def offers(key: str, guess: float) -> dict[str, live.Offer]:
    """The chart of an answer moves with its slider; the patients are clicked."""
    return {} if key == "exposed" else {progress.slider_key(key): (decks, key, guess, cards.theme_mode())}


def decks(key: str, guess: float, mode: str) -> Iterator[live.Dealt | None]:
    """The chart of an answer at every place of its slider."""
    places, drawn = progress.positions(LESSONS[key]), []
    guessed = read(key, guess)
    truth = read(key, guessed.truth)
    for place in places:
        drawn.append(figures.lesson_figure(key, read(key, place), mode, guess=guessed, truth=truth))
        yield None
    yield f"learn_chart_{key}", Deck(tuple(map(number, places)), differences(drawn))


def _clickable(drawn: go.Figure, slider: str) -> None:
    """A chart whose clicked patient becomes the slider's."""
    name = f"{slider}_chart"

    def choose() -> None:
        if points := st.session_state[name].selection.points:
            st.session_state[slider] = points[0]["point_index"] + 1

    export.chart(drawn, key=name, alt=LESSONS["exposed"].question, on_select=choose, selection_mode="points")


def metrics(key: str, lesson: Lesson, reading: lessons.Reading, guess: lessons.Reading) -> None:
    """What the slider gives and what is wanted; what the guess gave; a second number."""

    def value(one: lessons.Reading) -> str:
        return f"{100 * one.value:.1f} %" if key == "epsilon" else number(one.value)

    shown = [cards.Metric(lesson.shows, value(reading), f"wanted: {lesson.wanted}")]
    if key != "audit":  # where every claim meets the same attack
        shown.append(cards.Metric("At your guess", value(guess)))
    if reading.beside is not None:
        shown.append(cards.Metric(lesson.beside, number(reading.beside)))
    cards.metric_row(shown)


def feedback(lesson: Lesson, reading: lessons.Reading) -> None:
    """Right, or which way to move."""
    if reading.solved:
        say.success(md("Right. {}", lesson.right), icon=":material/check:")
    else:
        say.info(md("Not yet. {}", lesson.high if reading.too_far > 0 else lesson.low), icon=":material/arrow_forward:")


def onwards(key: str, lesson: Lesson, solved: bool) -> None:
    """The next lesson, and the page that goes further."""
    keys = list(LESSONS)
    after = keys[keys.index(key) + 1 :]
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        if after:
            say.button(
                "Next lesson", key="learn_next", on_click=progress.go, args=(after[0],),
                type="primary" if solved else "secondary",
            )  # fmt: skip
        elif progress.all_done():
            say.markdown(md("**All lessons are done.** Each page of this app goes further from here."))
        if (ROOT / lesson.page).exists():
            routes.page_link(lesson.page, lesson.label, lesson.query or None)


def taken(key: str, follows: dict[str, live.Offer]) -> live.Taken | None:
    """The chart of an answer, taken away, moves with its slider."""
    lesson = LESSONS[key]
    label = f"{lesson.slider[0].split(' (')[0]} ="
    return live.taken(follows, progress.slider_key(key), label, {lesson.title: f"learn_chart_{key}"})


def further(key: str, reading: lessons.Reading, pictures: dict[str, go.Figure], follows: dict[str, live.Offer]) -> None:
    """What to notice, the formula, the code, the data."""
    lesson = LESSONS[key]
    seen = lesson.right if reading.solved else "Answer the question first: what there is to notice appears here."
    table = curves.table(list(reading.curves), "x", "y")
    cards.tabs(
        {
            "What to notice": lambda: cards.notice([seen, *lesson.story[1:]]),
            "Formula": lambda: cards.formula_cards([lesson.card]),
            "Code": lambda: cards.code(lesson.code.format(value=st.session_state[progress.slider_key(key)])),
            "Data": lambda: say.table(table, hide_index=True, height=320),
            "Download and link": lambda: export.take(pictures, table, f"lesson_{key}", moves=taken(key, follows)),
        },
        key="learn_tab",
    )
