"""How far a reader has come: lesson, guess, answer and the solved lessons, all kept in the link."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from dpcore.exhibits.lessons import study as lessons
from pages.components import controls, full_window, say, state
from pages.server import steps
from pages.understand.learn.words import LESSONS, Lesson

_LESSON, _DONE, _SOLVED = "learn_lesson", "learn_done", "learn_solved"
GUESS, AGAIN, ANSWER = "Guess", "Once more", "Answer"


_SLIDERS = {GUESS: "_guess", AGAIN: "_again", ANSWER: ""}


def slider_key(key: str, step: str) -> str:
    """The key of the slider that can be moved in this step of a lesson."""
    return f"learn_{key}{_SLIDERS[step]}"


def _step_key(key: str) -> str:
    return f"learn_{key}_step"


def _lesson(asked: state.Asked, key: str) -> str:
    """Show the list of lessons, and make the places on the screen for the chosen one."""
    keys = list(LESSONS)
    chosen = say.radio(
        "Lessons", keys, format_func=lambda one: f"{keys.index(one) + 1} · {LESSONS[one].title}", key=key
    )
    say.button("Start again", key="learn_forget", on_click=forget)
    steps.place(chosen)
    with asked.place:
        asked.picture, asked.words = st.columns([3, 2], gap="medium")
    return chosen


def _step(asked: state.Asked, key: str) -> str:
    """Show the story and ask for the step: a guess, a second guess if the first was wrong, the answer."""
    lesson = LESSONS[asked.key]
    with asked.words:
        say.subheader(f"{list(LESSONS).index(asked.key) + 1} · {lesson.title}", anchor=False)
        chosen = say.segmented_control(
            "Step", [GUESS, AGAIN, ANSWER], default=GUESS, required=True, key=_step_key(asked.key), label_visibility="collapsed",
            format_func={GUESS: "1 · Guess", AGAIN: "Warmer?", ANSWER: "2 · Answer"}.get,
        )  # fmt: skip
        say.markdown(lesson.story)
    return chosen


def _guess(asked: state.Asked, key: str) -> float:
    """Make the place of the picture and, below, the slider to guess with; after the guess it is fixed.

    A full window, which has no headline, shows the question above the picture.
    """
    lesson = LESSONS[asked.key]
    with asked.picture:
        top = full_window.above()
        if full_window.is_on():
            with top:
                say.subheader(lesson.question, anchor=False)
        asked.figure = st.container()
        guessed = asked.step != GUESS
        asked.left, asked.right = st.columns([1, 2]) if guessed else (st.container(), None)
        asked.reply = top if guessed and full_window.is_on() else st.container()
    with asked.left:
        label = "Your guess" if guessed else lesson.slider[0]
        return _slider(label, lesson, lesson.slider[-2], slider_key(asked.key, GUESS), guessed)


def _once_more(step: str) -> Any:
    """The slider of the second guess or of the answer, which starts at the first guess."""

    def ask(asked: state.Asked, key: str) -> float:
        lesson = LESSONS[asked.key]
        with asked.right:
            return _slider(lesson.slider[0], lesson, asked.guess, slider_key(asked.key, step), False)

    return state.control(0.0, ask, when=lambda asked: asked.step == step)


@dataclass(frozen=True)
class State:
    """The lesson, the guesses and the answer, with the places on the screen for the words, figure and reply."""

    key: str = state.control(next(iter(LESSONS)), _lesson, key="lesson")
    step: str = state.control(GUESS, _step)
    guess: float = state.control(0.0, _guess)
    again: float = _once_more(AGAIN)
    answer: float = _once_more(ANSWER)
    words: Any = None
    figure: Any = None
    reply: Any = None

    @property
    def lesson(self) -> Lesson:
        return LESSONS[self.key]

    @property
    def answered(self) -> bool:
        """Whether the answer is shown."""
        return self.step == ANSWER

    @property
    def now(self) -> float:
        """The value of the slider that can be moved."""
        return {GUESS: self.guess, AGAIN: self.again, ANSWER: self.answer}[self.step]


def commit(key: str, right: bool) -> None:
    """Show the button "This is my guess". A right guess leads to the answer, a wrong one to a second guess."""
    step = ANSWER if right else AGAIN
    say.button(
        "This is my guess", key="learn_commit", on_click=st.session_state.update, args=({_step_key(key): step},), type="primary"
    )  # fmt: skip


def reveal(asked: State, right: bool) -> None:
    """Show the button that ends the guessing and shows the answer, where the slider stays as the last guess left it."""
    key = asked.key
    say.button(
        "Show the answer", key="learn_reveal", type="primary" if right else "secondary", on_click=st.session_state.update,
        args=({_step_key(key): ANSWER, slider_key(key, ANSWER): asked.now},),
    )  # fmt: skip


def nearer(asked: State, truth: float) -> int:
    """1 if the second guess is nearer to the answer than the first, −1 if it is farther, else 0.

    Distances are counted in places of the slider.
    """
    places = positions(asked.lesson)

    def place(value: float) -> int:
        return min(range(len(places)), key=lambda i: abs(places[i] - value))

    before, now = (abs(place(one) - place(truth)) for one in (asked.guess, asked.again))
    return (before > now) - (before < now)


def _slider(label: str, lesson: Lesson, value: float, name: str, fixed: bool) -> float:
    _, *ends, _, kind = lesson.slider
    if kind == "log":
        return controls.log_slider(label, *ends, value, key=name, disabled=fixed)
    if kind == "list":
        return say.select_slider(label, getattr(lessons, ends[0]), value=value, key=name, disabled=fixed)
    return say.slider(label, *ends, value, step=kind, key=name, disabled=fixed)


def positions(lesson: Lesson) -> list[float]:
    """Every value that a lesson's slider can have."""
    _, *ends, _, kind = lesson.slider
    if kind == "log":
        return controls.round_values(*ends)
    if kind == "list":
        return list(getattr(lessons, ends[0]))
    return [ends[0] + place * kind for place in range(round((ends[1] - ends[0]) / kind) + 1)]


def note(key: str, solved: bool) -> None:
    """Remember the lesson if it is solved, and show which lessons are."""
    found = st.session_state.setdefault(_SOLVED, set())
    shown = st.session_state.get(_DONE)
    found |= {*(shown or ()), *([key] if solved else [])}
    wanted = [one for one in LESSONS if one in found]
    if wanted and shown != wanted:
        st.session_state[_DONE] = wanted
    numbers = {one: f"{place}" for place, one in enumerate(LESSONS, 1)}
    found |= {
        *say.pills(
            "Lessons done", list(LESSONS), selection_mode="multi", format_func=numbers.get, key=_DONE, disabled=True,
            label_visibility="collapsed",
        )
    }  # fmt: skip
    say.caption(f"{len(found)} of {len(LESSONS)} done")


def all_done() -> bool:
    """Whether every lesson is solved."""
    return len(st.session_state.get(_SOLVED, ())) == len(LESSONS)


def go(key: str) -> None:
    """Open a lesson."""
    st.session_state[_LESSON] = key


def forget() -> None:
    """Forget the solved lessons, the steps and the guesses."""
    st.session_state[_SOLVED] = set()
    st.session_state[_DONE] = []
    for key in LESSONS:
        if _step_key(key) in st.session_state:
            st.session_state[_step_key(key)] = GUESS
    go(next(iter(LESSONS)))
