"""The lessons in words: story, question, hints, what was learned, where to go on."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpcore.exhibits.learning_limits import PACKING_CARD
from dpcore.exhibits.output_perturbation.study import OUTPUT_PERTURBATION_CARD
from dpcore.mechanisms import ExponentialMechanism, Gaussian, Laplace, PosteriorSampling
from dpcore.records import from_table
from dpcore.references import FormulaCard
from pages.components.say import own
from pages.components.words import number


@dataclass(frozen=True)
class Lesson:
    """One lesson.

    `story` says what is needed for a guess. `more` is said with the answer. `notice` says what else the chart shows.
    `slider` holds label, low, high, default and kind: "log", a step of a linear slider, or "list" (then a name of
    a list in `lessons` stands in place of low and high). `beside` names the second number.
    """

    title: str
    story: str
    more: str
    question: str
    slider: tuple[Any, ...]
    shows: str
    wanted: str
    right: str
    low: str
    high: str
    code: str
    card: FormulaCard
    page: str
    label: str
    query: dict[str, str] = field(default_factory=dict)
    beside: str = ""
    notice: str = ""

    def answer(self, value: float) -> str:
        """The number the question is about, in per cent where that is wanted."""
        return f"{100 * value:.1f} %" if "%" in self.wanted else number(value)


_MARKDOWN = ("story", "more", "right", "low", "high", "beside", "notice")
_CARDS = {
    **dict.fromkeys(("epsilon", "curves", "composition"), Gaussian.card), "regularise": OUTPUT_PERTURBATION_CARD,
    "temperature": ExponentialMechanism.card, "exposed": PosteriorSampling.card, "limits": PACKING_CARD, "audit": Laplace.card,
}  # fmt: skip
_PATH = Path(__file__).with_name("lessons.toml")


def _lesson(key: str, given: dict[str, Any]) -> Lesson:
    whole = {name: given[name].replace(" %", "\u00a0%") for name in (*_MARKDOWN, "question") if name in given}
    marked = {name: own(text) if name in _MARKDOWN else text for name, text in whole.items()}
    return from_table(Lesson, {**given, **marked, "card": _CARDS[key]}, f"{_PATH.name}, {key}")


LESSONS = {key: _lesson(key, given) for key, given in tomllib.loads(_PATH.read_text(encoding="utf-8")).items()}
