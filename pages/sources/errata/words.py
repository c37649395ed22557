"""What the cards of an erratum say, by what is wrong with the printed statement."""

import math
from dataclasses import dataclass

from dpcore.errata import Erratum, Kind, Numbers
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


WORDINGS = {
    Kind.MISPRINT: Wording(
        "As printed", "Corrected", "Computed now",
        "All three are the same quantity: {}. The corrected formula gives it, the printed one does not.",
    ),
    Kind.FAILS: Wording(
        "Bound as printed", "Corrected bound", "Reached, computed now",
        "A bound on: {}. It must not lie below what is reached. The corrected statement is an upper bound and may lie above.",
    ),
    Kind.LOOSE: Wording(
        "Bound as printed", "Tighter bound", "Reached, computed now",
        "A bound on: {}. Both bounds hold; the printed one gives away more than it must.",
        True,
        "The app computes with the tighter bound; the printed one is drawn for comparison only.",
    ),
    Kind.REFUTED: Wording(
        "Claimed", "Another mechanism", "Shown by an attack",
        "Of: {}. No formula is put right here: the claim is refuted. The corrected statement is about another mechanism, and its "
        "number is that mechanism's at its own ε.",
        False,
        "What the app certifies is the other mechanism; where it shows the claim, it says that it is refuted.",
    ),
}  # fmt: skip


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
