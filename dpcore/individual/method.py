"""How ε of rows was found, and the signs and words that go with it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class _Words(NamedTuple):
    sign: str
    aside: str
    nature: str


class EpsilonMethod(StrEnum):
    """What an ε is: the number itself, an expansion of it around the fit, or an upper bound."""

    EXACT = "exact"
    EXPANSION = "expansion"
    UPPER = "upper"

    @property
    def sign(self) -> str:
        """Between ε and its number."""
        return _WORDS[self].sign

    @property
    def mark(self) -> str:
        """Before a number that stands alone: nothing where it is exact."""
        return "" if self is EpsilonMethod.EXACT else f"{self.sign} "

    @property
    def symbol(self) -> str:
        """ε as the heading of a column of numbers."""
        return f"ε {self.mark}".strip()

    @property
    def aside(self) -> str:
        """What to put after the title of an axis: nothing where it is exact."""
        return _WORDS[self].aside

    @property
    def nature(self) -> str:
        """What an ε found in this way is, to follow "it is"."""
        return _WORDS[self].nature

    @property
    def said(self) -> str:
        """The same of every row, as a sentence; empty where it is exact."""
        return "" if self is EpsilonMethod.EXACT else f"ε of every row is {self.nature}."

    def composed(self, *, exactly: bool) -> EpsilonMethod:
        """What a value made of several such ε is, `exactly` or as an upper value."""
        return EpsilonMethod.UPPER if self is EpsilonMethod.EXACT and not exactly else self


_WORDS = {
    EpsilonMethod.EXACT: _Words("=", "", "exact, not a bound"),
    EpsilonMethod.EXPANSION: _Words("≈", ", by expansion", "an expansion around the fit, neither exact nor a bound"),
    EpsilonMethod.UPPER: _Words("≤", ", upper bound", "an upper bound"),
}
