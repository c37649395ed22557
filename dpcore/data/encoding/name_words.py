"""Words of a column name, and what they say about the column."""

import re
import unicodedata
from pathlib import Path

from dpcore.records import tables

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|%|€|\$|£|¥")


_KNOWN = {
    name: frozenset(text.split())
    for name, text in tables(Path(__file__).with_suffix(".toml"), ("words",))["words"].items()
}
CLASS_WORDS, SCORE_WORDS, COUNT_WORDS = _KNOWN["class"], _KNOWN["score"], _KNOWN["count"]
GENERIC_TARGET_WORDS = _KNOWN["generic_target"]
TARGET_WORDS = GENERIC_TARGET_WORDS | _KNOWN["target"]
LIKELY_TARGET_WORDS = CLASS_WORDS | _KNOWN["likely_target"]


def words(name: str) -> tuple[str, ...]:
    """Words of a name in lower case without accents: "Loan_Status" and "loanStatus" are loan, status."""
    plain = unicodedata.normalize("NFKD", name[:200].replace("ß", "ss"))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return tuple(part.lower() for part in _PARTS.findall(plain))


def says(name: str, known: frozenset[str]) -> bool:
    """Whether a word of the name is among those known."""
    return not known.isdisjoint(words(name))
