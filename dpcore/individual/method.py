"""How ε of rows was found, and the signs and words that go with it."""

from __future__ import annotations

from enum import StrEnum


class EpsilonMethod(StrEnum):
    """What an ε is: the number itself, an expansion of it around the fit, or an upper bound.

    `sign` stands between ε and its number, and `aside` after the title of an axis (empty if ε is exact); `nature` are words
    that say what such an ε is, which continue a sentence after "it is".
    """

    sign: str
    aside: str
    nature: str

    EXACT = "exact", "=", "", "exact, not a bound"
    EXPANSION = "expansion", "≈", ", by expansion", "an expansion around the fit, neither exact nor a bound"
    UPPER = "upper", "≤", ", upper bound", "an upper bound"

    def __new__(cls, value: str, *words: str) -> EpsilonMethod:
        member = str.__new__(cls, value)
        member._value_ = value
        member.sign, member.aside, member.nature = words
        return member

    @property
    def mark(self) -> str:
        """The sign and a space, to put before a number that stands alone; empty if ε is exact."""
        return "" if self is EpsilonMethod.EXACT else f"{self.sign} "

    @property
    def symbol(self) -> str:
        """The heading of a column of such ε: the letter, and the sign unless ε is exact."""
        return f"ε {self.mark}".strip()

    @property
    def said(self) -> str:
        """A sentence that says what ε of every row is; empty if ε is exact."""
        return "" if self is EpsilonMethod.EXACT else f"ε of every row is {self.nature}."

    def composed(self, *, exactly: bool) -> EpsilonMethod:
        """The method of a value computed from several such ε: an upper bound if they are exact but the value is not."""
        return EpsilonMethod.UPPER if self is EpsilonMethod.EXACT and not exactly else self
