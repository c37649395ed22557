"""The words on the cards of an erratum, by the kind of fault in the printed statement."""

import math
from dataclasses import dataclass
from pathlib import Path

from dpcore.errata import Erratum, Kind, Numbers
from dpcore.records import from_table, tables
from pages.components.words import number, times

_NOTHING = 1e-9  # a number below this share of the largest of the three is round-off and shown as 0


@dataclass(frozen=True)
class Wording:
    """Names of the three numbers on cards and in the chart, and the sentence that relates them.

    short : the printed and the computed number in one word each, for the headline and the marks in the chart;
    printed_holds : whether the printed statement holds; use : what the app uses.
    """

    printed: str
    corrected: str
    computed: str
    relation: str
    short: tuple[str, str]
    printed_holds: bool = False
    use: str = "The app computes with the corrected form everywhere; the printed form exists on this page only."


_FILE = Path(__file__).with_name("wordings.toml")
_WORDINGS, _OF_LIBRARIES = (
    {Kind[name.upper()]: from_table(Wording, given, f"{_FILE.name}, {name}") for name, given in found.items()}
    for found in tables(_FILE, ("wording", "library")).values()
)
LIBRARIES = "libraries"


def of(record: Erratum) -> Wording:
    """The words for a record, by its kind; a library releases and mends, a paper prints and corrects."""
    return (_OF_LIBRARIES if record.source == LIBRARIES else _WORDINGS)[record.kind]


def shown(value: float, numbers: Numbers) -> str:
    """A number as its card shows it; a number that is round-off compared with the others is shown as 0."""
    size = max(abs(numbers.printed), abs(numbers.corrected), abs(numbers.computed))
    return number(0.0 if abs(value) <= _NOTHING * size and math.isfinite(size) else value)


def of_printed(record: Erratum, numbers: Numbers) -> tuple[str, bool]:
    """How the printed number compares with the computed one, in words, and whether it is wrong."""
    printed, computed = numbers.printed, numbers.computed
    ratio = _ratio(printed, computed)
    if record.kind is Kind.MISPRINT:
        if record.agrees(printed, numbers):
            return "right at these values", False
        return (f"wrong: {ratio} computed" if ratio else "wrong"), True
    if record.kind is Kind.LOOSE:
        return (f"holds: {ratio} reached" if ratio else "holds"), False
    if record.kind is Kind.REFUTED:
        return ("refuted", True) if computed > printed else ("not refuted at these values", False)
    if printed < computed and not record.agrees(printed, numbers):
        return (f"fails: {ratio} reached" if ratio else "fails"), True
    return "holds at these values", False


def of_corrected(record: Erratum, numbers: Numbers) -> str:
    """How the corrected number compares with the computed one, in words."""
    if record.kind is Kind.REFUTED:
        return "keeps its own claim"
    if record.agrees(numbers.corrected, numbers):
        return "as computed" if record.kind is Kind.MISPRINT else "holds, and is attained"
    ratio = _ratio(numbers.corrected, numbers.computed)
    return f"holds: {ratio} reached" if ratio else "holds"


def _ratio(value: float, computed: float) -> str:
    if not math.isfinite(value) or value * computed <= 0:
        return ""
    return times(value / computed)
