"""What a lesson shows: its chart, its numbers, in which direction to move, and where to go on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st

from dpcore.data import load_sample
from dpcore.exhibits.lessons import figure as figures
from dpcore.exhibits.lessons import study as lessons
from dpcore.figures.deck import Deck, differences
from pages.components import cache, cards, frames, full_window, live, routes, say, screen
from pages.components.charts import Chart, place
from pages.components.page import Page
from pages.components.say import md
from pages.components.spoken import WORDS, Slot, Words, inline
from pages.components.state import NothingToShowError
from pages.components.words import count, number
from pages.understand.learn import progress
from pages.understand.learn.words import LESSONS, Lesson

ROOT = Path(__file__).parents[2]

_NAMED = 100  # pixels by which the patients' chart grows with the answer, for the numbers; doubled, it is 100 taller
_TOLD = {
    1: (":material/local_fire_department:", "Warmer than your guess."),
    0: (":material/drag_handle:", "As far off as your guess."),
    -1: (":material/ac_unit:", "Colder than your guess."),
}


@dataclass(frozen=True, eq=False)
class Lecture:
    """A lesson at its guess and, once the guess is made, at its answer."""

    state: progress.State

    @property
    def lesson(self) -> Lesson:
        return self.state.lesson

    @cached_property
    def reading(self) -> lessons.Reading:
        return read(self.state.key, self.state.now)

    @property
    def solved(self) -> bool:
        return self.state.step != progress.GUESS and self.reading.solved

    @cached_property
    def chart(self) -> Chart:
        """First the empty axes with the guess, then the lesson's chart with the guess and the true answer.

        In the lesson on patients, the chart takes clicks instead.
        """
        key, guess, now, answered = self.state.key, self.state.guess, self.state.now, self.state.answered
        mode, height, alt = cards.theme_mode(), _height(), self.lesson.question
        if key == "exposed":
            found = cache.in_session(lessons.exposures, load_sample("diabetes"))
            drawn = figures.exposure_figure(
                found, int(now) - 1, mode, guess=int(guess) - 1 if answered else None, height=height + answered * _NAMED
            )
            return _clickable(drawn, progress.slider_key(key, self.state.step))
        if not answered:
            return Chart(
                self.lesson.title,
                lambda: figures.question_figure(
                    key, guess, mode, again=now if self.state.step == progress.AGAIN else None, height=height
                ),
                alt,
                f"learn_guess_chart_{key}",
            )
        guessed = read(key, guess)
        truth = read(key, guessed.truth)
        return Chart(
            self.lesson.title, lambda: figures.lesson_figure(key, self.reading, mode, guess=guessed, truth=truth, height=height), alt,
            f"learn_chart_{key}",
        )  # fmt: skip


def read(key: str, position: float) -> lessons.Reading:
    """The lesson's numbers at a position of the slider."""
    if key in lessons.WITH_DATA:
        return cache.in_session(lessons.LESSONS[key], float(position), load_sample("diabetes"))
    return cache.shared(lessons.LESSONS[key], float(position))


def lesson(page: Page, shown: Lecture) -> None:
    """Show the lesson's chart, whether the guess is right or in which direction to move, and the next lesson."""
    at = shown.state
    with at.words:
        _given(at.key)
    with at.figure:
        place(shown.chart)
    with at.reply:
        if at.step != progress.GUESS:
            with st.container(key="unforetold_reply"):
                _feedback(shown)
        if not at.answered:
            with full_window.beside():
                if at.step == progress.GUESS:
                    progress.commit(at.key, shown.reading.solved)
                else:
                    progress.reveal(at, shown.solved)
    with st.sidebar:
        progress.note(at.key, shown.solved)
    with at.words, full_window.beside() if at.answered else st.container():
        _onwards(at.key, at.step, shown.solved)
    if not at.answered:
        follows = offers(page, shown)
        live.follow(follows, key="learn_guess_live", ahead=follows, public=True)
        raise NothingToShowError("", lambda: say.markdown(page.sentence), shown.lesson.question)


def _given(key: str) -> None:
    """Show the numbers that a guess can start from, if the story does not give them."""
    if key == "audit":
        say.markdown(md("Counted: {} detections, {} false alarms.", *map(count, cache.shared(lessons.audit_counts))))


def _height() -> int:
    """Height of a lesson's chart in pixels, before the full window enlarges it for a projector."""
    return 400 if screen.size() == "large" else 350


def offers(page: Page, shown: Lecture) -> dict[str, live.Offer]:
    """What follows the slider without a rerun: the mark of a guess, or the chart and words of an answer.

    The lesson on patients, whose chart takes clicks, has nothing to follow.
    """
    at, mode = shown.state, cards.theme_mode()
    if at.key == "exposed" or (at.key in figures.AIMED and not at.answered):
        return {}
    first = at.guess if at.step != progress.GUESS else None
    moved = progress.slider_key(at.key, at.step)
    return {moved: (decks, page, at.key, first, mode) if at.answered else (_marks, at.key, first, mode)}


def _marks(key: str, guess: float | None, mode: str) -> Iterator[live.Dealt | None]:
    """The empty axes for every value of the slider of the first guess, or of the second. No words change."""
    values = progress.positions(LESSONS[key])
    places = [(value, None) if guess is None else (guess, value) for value in values]
    drawn = [figures.question_figure(key, first, mode, again=again) for first, again in places]
    yield f"learn_guess_chart_{key}", Deck(tuple(map(number, values)), differences(drawn))
    yield live.CHARTS_ARE_THERE
    question: dict[Slot, str | None] = {("headline", "title", 0): inline(LESSONS[key].question)}
    yield WORDS, Words([question for _ in values])


def taken(follows: Mapping[str, live.Offer]) -> live.Taken | None:
    """The downloaded chart of an answer, which moves with a slider of its own."""
    for slider, (_, _, key, *_) in follows.items():
        lesson = LESSONS[key]
        return live.taken(follows, slider, f"{lesson.slider[0].split(' (')[0]} =", {lesson.title: f"learn_chart_{key}"})
    return None


def decks(page: Page, key: str, guess: float, mode: str) -> Iterator[live.Dealt | None]:
    """The chart of an answer for every value of its slider, and the words of the page at each."""
    values, drawn = progress.positions(LESSONS[key]), []
    guessed = read(key, guess)
    truth = read(key, guessed.truth)
    for value in values:
        drawn.append(figures.lesson_figure(key, read(key, value), mode, guess=guessed, truth=truth))
        yield None
    yield f"learn_chart_{key}", Deck(tuple(map(number, values)), differences(drawn))
    yield from frames.words(
        page, [Lecture(progress.State(key, progress.ANSWER, guess, answer=value)) for value in values]
    )


def _clickable(drawn: go.Figure, slider: str) -> Chart:
    """A chart in which a click on a patient moves the slider to this patient."""
    name = f"{slider}_chart"

    def choose() -> None:
        if points := st.session_state[name].selection.points:
            st.session_state[slider] = points[0]["point_index"] + 1

    lesson, options = LESSONS["exposed"], {"on_select": choose, "selection_mode": "points"}
    return Chart(lesson.title, lambda: drawn, lesson.question, name, options=options)


def headline(shown: Lecture) -> str:
    """The question until it is answered; then the number at the slider, and the one that was wanted."""
    lesson, at = shown.lesson, shown.state
    if not at.answered:
        return lesson.question
    return f"{lesson.shows}: {lesson.answer(shown.reading.value)}; wanted: {lesson.wanted}"


def metrics(shown: Lecture) -> list[cards.Metric]:
    """Cards for the number at the slider and the one wanted, for the number at the guess, and for a second number."""
    key, lesson, reading = shown.state.key, shown.lesson, shown.reading
    found = [cards.Metric(lesson.shows, lesson.answer(reading.value), f"wanted: {lesson.wanted}")]
    if key != "audit":  # in that lesson every claim meets the same attack, so the guess changes nothing
        found.append(cards.Metric("At your guess", lesson.answer(read(key, shown.state.guess).value)))
    if reading.beside is not None:
        found.append(cards.Metric(lesson.beside, number(reading.beside)))
    return found


def _feedback(shown: Lecture) -> None:
    lesson = shown.lesson
    at, reading = shown.state, shown.reading
    words = lesson.high if reading.too_far > 0 else lesson.low
    if shown.solved and at.answered:
        say.success(md("Right. {}", lesson.right), icon=":material/check:")
    elif shown.solved:
        say.success("Right. The answer shows why.", icon=":material/check:")
    elif at.answered or at.again == at.guess:
        say.info(md("Not yet. {}", words), icon=":material/arrow_forward:")
    else:
        icon, said = _TOLD[_nearer(at, reading)]
        other = reading.too_far != read(at.key, at.guess).too_far
        say.info(md("{} {}", said, words) if other else said, icon=icon)


def _nearer(at: progress.State, reading: lessons.Reading) -> int:
    """1, 0 or −1 as in `progress.nearer`; of two patients, the one with the larger ε is nearer."""
    if at.key == "exposed":
        before = read(at.key, at.guess).value
        return (reading.value > before) - (reading.value < before)
    return progress.nearer(at, reading.truth)


def _onwards(key: str, step: str, solved: bool) -> None:
    """After the guess show the button to the next lesson and, with the answer, the link to the page that goes further."""
    lesson, keys = LESSONS[key], list(LESSONS)
    after = keys[keys.index(key) + 1 :]
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        if after and step != progress.GUESS:
            say.button(
                "Next lesson", key="learn_next", on_click=progress.go, args=(after[0],),
                type="primary" if solved else "secondary",
            )  # fmt: skip
        elif not after and progress.all_done():
            say.markdown(md("**All lessons are done.** Each page of this app goes further from here."))
        if step == progress.ANSWER and (ROOT / lesson.page).exists():
            routes.page_link(lesson.page, lesson.label, lesson.query or None)
