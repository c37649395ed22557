"""The steps of the lecture: what to open, say and ask, frequent misunderstandings, and what the audience should see."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpcore.records import from_table
from pages.components.lecture_answers import NUMBERS

State = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True)
class Question:
    """A question besides the main one, a frequent wrong answer, and the reply to it."""

    ask: str
    heard: str
    reply: str


@dataclass(frozen=True)
class Step:
    """One stop of the lecture.

    Parameters
    ----------
    title : title of the step
    figure : name of its figure in `dpcore.exhibits.lessons.sketches`
    page, state : the page and state that it opens, with the question still open
    shown : values of the state that the answer changes
    slider : slider that the lecture moves; by default the page's main control
    say, ask, act : a line to say, the question, what to do once the audience has guessed
    answer : what the audience should see
    questions : two more questions
    """

    title: str
    figure: str
    page: str
    state: State
    say: str
    ask: str
    act: str
    answer: Callable[[], str]
    questions: tuple[Question, Question]
    shown: State = field(default_factory=dict)
    slider: str = ""


_PATH = Path(__file__).with_suffix(".toml")
_FOUND = tomllib.loads(_PATH.read_text(encoding="utf-8"))


def _step(given: dict[str, Any]) -> Step:
    place, said, numbers = f"{_PATH.name}, {given['title']}", given["answer"], NUMBERS[given.pop("numbers")]
    given["questions"] = [from_table(Question, one, place) for one in given["questions"]]
    return from_table(Step, given | {"answer": lambda: said.format(*numbers())}, place)


STEPS = tuple(map(_step, _FOUND["step"]))
PLANS = {
    int(minutes): plan for minutes, plan in _FOUND["plan"].items()
}  # for each length of the lecture its steps: (index into `STEPS`, minutes)
