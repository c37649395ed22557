"""The words of the gallery: observations, formulas, program."""

from collections.abc import Sequence
from typing import Any

from dpcore.errata import SOURCES
from dpcore.exhibits.gallery import Judgement
from dpcore.learners import AMP
from dpcore.learners.napp import NoiseAugmentedLearner
from dpcore.mechanisms import ObjectivePerturbation, OutputPerturbation, PosteriorSampling
from dpcore.statements import Entry
from pages.components import say
from pages.components.say import md
from pages.components.words import programs

_sentence, _program = say.sentences(__file__), programs(__file__)

ALL = "statements"  # the choice of all statements instead of one source
READ = {  # the names of the five sources for readers
    "redberg-koskela-wang-2023": "Redberg, Koskela, Wang 2023",
    "wang-2019": "Wang 2019",
    "li-liu-napp": "Li, Liu, noise augmentation",
    "lecture-10": "Lecture 10",
    "lecture-12": "Lecture 12",
}
SHORT = {  # their names in a line of links
    "redberg-koskela-wang-2023": "Redberg et al.",
    "wang-2019": "Wang",
    "li-liu-napp": "Li & Liu",
    "lecture-10": "Lecture 10",
    "lecture-12": "Lecture 12",
}
FIRST = {  # source → the exhibit, or label of a statement, that its link opens
    "redberg-koskela-wang-2023": "redberg-fig-1-left",
    "wang-2019": "wang-fig-1",
    "li-liu-napp": "li-liu-fig-1-top-lasso",
    "lecture-10": "Packing bound",
    "lecture-12": "Theorem 1",
}
MARKS = "Lines are computed here; open marks are numbers that a source prints."
FORMULAS = {
    "redberg-koskela-wang-2023": (ObjectivePerturbation.card, AMP.card),
    "wang-2019": (OutputPerturbation.card, PosteriorSampling.card),
    "li-liu-napp": (NoiseAugmentedLearner.card,),
}


def observations(found: Sequence[Any]) -> list[str]:
    """How verdicts are found, and what they say about these figures."""
    named = [card.exhibit.number for card in found if card.verdict.judgement is Judgement.REFUTED]
    refuted = ", ".join(named)
    missing = [card.exhibit.number for card in found if card.verdict.judgement is Judgement.IMPOSSIBLE]
    lines = [
        _sentence("verdict_computed"),
        _sentence("picture_is_no_number"),
        md("**What a source leaves open** is on the card as an assumption; open the page and try another value."),
    ]
    if refuted:
        lines.append(md("**Refuted here**: {}. The page Errata has a number for each.", refuted))
    if missing:
        lines.append(md("**Cannot be reproduced**: {}; the card says what is missing.", ", ".join(missing)))
    return lines


def program(found: Sequence[Any]) -> str:
    """The program of the first card, and the command that writes all of them as files."""
    return _program("exhibit", key=found[0].exhibit.key)


INDEX = _program("index")


def of_statements(entries: Sequence[Entry]) -> list[str]:
    """How the index is made, and what it says."""
    refuted = [
        f"{entry.statement.label} of {SOURCES[entry.statement.source]}"
        for entry in entries
        if entry.standing == "refuted"
    ]
    return [
        _sentence("index_reads_code"),
        _sentence("here"),
        md("**Refuted**: {}.", "; ".join(refuted)),
        _sentence("tests"),
    ]
