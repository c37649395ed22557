"""Where somebody is in the lessons: lesson, guess, answer and what is solved, all of it in the link."""

import streamlit as st

from dpcore.exhibits.lessons import study as lessons
from pages.components import controls, say
from pages.understand.learn.words import LESSONS, Lesson

_LESSON, _DONE, _SOLVED = "learn_lesson", "learn_done", "learn_solved"
GUESS, ANSWER = "Guess", "Answer"


def slider_key(key: str) -> str:
    """Of the slider that answers."""
    return f"learn_{key}"


def guess_key(key: str) -> str:
    """Of the slider that guesses."""
    return f"learn_{key}_guess"


def _step_key(key: str) -> str:
    return f"learn_{key}_step"


def choose() -> str:
    """The list of lessons."""
    keys = list(LESSONS)
    return say.radio(
        "Lessons", keys, format_func=lambda key: f"{keys.index(key) + 1} · {LESSONS[key].title}", key=_LESSON,
    )  # fmt: skip


def step(key: str) -> bool:
    """Whether the guess is in, and the answer is shown."""
    chosen = say.segmented_control(
        "Step", [GUESS, ANSWER], default=GUESS, required=True, key=_step_key(key), label_visibility="collapsed",
        format_func={GUESS: "1 · Guess", ANSWER: "2 · Answer"}.get,
    )  # fmt: skip
    return chosen == ANSWER


def guess(key: str, lesson: Lesson, *, fixed: bool) -> float:
    """The slider that guesses; it stands still once the answer is shown."""
    label = "Your guess" if fixed else lesson.slider[0]
    return _slider(label, lesson, lesson.slider[-2], guess_key(key), fixed)


def commit(key: str) -> None:
    """The button that says: this is my guess."""
    say.button("This is my guess: show the answer", key="learn_commit", on_click=_show, args=(key,), type="primary")


def answer(key: str, lesson: Lesson, guessed: float) -> float:
    """The slider that answers, which starts at the guess."""
    return _slider(lesson.slider[0], lesson, guessed, slider_key(key), False)


def _slider(label: str, lesson: Lesson, value: float, name: str, fixed: bool) -> float:
    _, *ends, _, kind = lesson.slider
    if kind == "log":
        return controls.log_slider(label, *ends, value, key=name, disabled=fixed)
    if kind == "list":
        return say.select_slider(
            label, getattr(lessons, ends[0]), value=value, key=name, disabled=fixed,
        )  # fmt: skip
    return controls.linear_slider(label, *ends, value, step=kind, key=name, disabled=fixed)


def positions(lesson: Lesson) -> list[float]:
    """Every place of a lesson's slider."""
    _, *ends, _, kind = lesson.slider
    if kind == "log":
        return controls.round_values(*ends)
    if kind == "list":
        return list(getattr(lessons, ends[0]))
    return [ends[0] + place * kind for place in range(round((ends[1] - ends[0]) / kind) + 1)]


def note(key: str, solved: bool) -> None:
    """Remember a solved lesson, and show which are."""
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
    say.caption(f"{len(found)} of {len(LESSONS)} lessons done")


def all_done() -> bool:
    """Whether every lesson is solved."""
    return len(st.session_state.get(_SOLVED, ())) == len(LESSONS)


def go(key: str) -> None:
    """Open a lesson."""
    st.session_state[_LESSON] = key


def _show(key: str) -> None:
    st.session_state[_step_key(key)] = ANSWER


def forget() -> None:
    """Start again."""
    st.session_state[_SOLVED] = set()
    st.session_state[_DONE] = []
    for key in LESSONS:
        if _step_key(key) in st.session_state:
            st.session_state[_step_key(key)] = GUESS
    go(next(iter(LESSONS)))
