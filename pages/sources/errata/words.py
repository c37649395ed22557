"""What the cards of an erratum say, by what is wrong with the printed statement."""

import math
from dataclasses import dataclass
from pathlib import Path

from dpcore.errata import Erratum, Kind, Numbers
from dpcore.records import from_table, tables
from pages.components.words import number, times

_NOTHING = 1e-9  # of the size of the numbers: round-off, shown as 0


@dataclass(frozen=True)
class Wording:
    """Names of the three numbers, on cards and in the chart, the sentence that relates them, whether the print holds, and what is used."""

    printed: str
    corrected: str
    computed: str
    relation: str
    printed_holds: bool = False
    use: str = "The app computes with the corrected form everywhere; the printed form exists on this page only."


_FILE = Path(__file__).with_name("wordings.toml")
WORDINGS = {
    Kind[name.upper()]: from_table(Wording, given, f"{_FILE.name}, {name}")
    for name, given in tables(_FILE, ("wording",))["wording"].items()
}


def shown(value: float, numbers: Numbers) -> str:
    """A number as its card shows it: round-off beside the others is 0."""
    size = max(abs(numbers.printed), abs(numbers.corrected), abs(numbers.computed))
    return number(0.0 if abs(value) <= _NOTHING * size and math.isfinite(size) else value)


def of_printed(record: Erratum, numbers: Numbers) -> tuple[str, bool]:
    """What there is to say of the printed number beside the computed one, and whether it is wrong."""
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
    """What there is to say of the corrected number beside the computed one."""
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
