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
        """The sign between ε and its number: =, ≈ or ≤."""
        return _WORDS[self].sign

    @property
    def mark(self) -> str:
        """The sign and a space, to put before a number that stands alone; empty if ε is exact."""
        return "" if self is EpsilonMethod.EXACT else f"{self.sign} "

    @property
    def symbol(self) -> str:
        """The heading of a column of such ε: the letter, and the sign unless ε is exact."""
        return f"ε {self.mark}".strip()

    @property
    def aside(self) -> str:
        """Words to put after the title of an axis; empty if ε is exact."""
        return _WORDS[self].aside

    @property
    def nature(self) -> str:
        """Words that say what such an ε is; they continue a sentence after "it is"."""
        return _WORDS[self].nature

    @property
    def said(self) -> str:
        """A sentence that says what ε of every row is; empty if ε is exact."""
        return "" if self is EpsilonMethod.EXACT else f"ε of every row is {self.nature}."

    def composed(self, *, exactly: bool) -> EpsilonMethod:
        """The method of a value computed from several such ε: an upper bound if they are exact but the value is not."""
        return EpsilonMethod.UPPER if self is EpsilonMethod.EXACT and not exactly else self


_WORDS = {
    EpsilonMethod.EXACT: _Words("=", "", "exact, not a bound"),
    EpsilonMethod.EXPANSION: _Words("≈", ", by expansion", "an expansion around the fit, neither exact nor a bound"),
    EpsilonMethod.UPPER: _Words("≤", ", upper bound", "an upper bound"),
}
