"""Round public ranges that the name and the type of a column suggest; no value is ever looked at."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dpcore.data.encoding.name_words import COUNT_WORDS, words
from dpcore.data.ingest.kinds import Column
from dpcore.records import tables


@dataclass(frozen=True)
class SuggestedRange:
    """What a quantity of that name can usually be, and why it is thought so."""

    low: float
    high: float
    why: str


_Known = tuple[tuple[frozenset[str], ...], tuple[float, float], str]  # words, range, and what it is


def _known(kind: str) -> tuple[_Known, ...]:
    return tuple(
        (tuple(frozenset(together.split("+")) for together in one["known"].split()), one["range"], one["what"])
        for one in _TABLES[kind]
    )


_TABLES = tables(Path(__file__).with_suffix(".toml"), ("quantity", "moment"))
_QUANTITIES, _MOMENTS = _known("quantity"), _known("moment")
_RATES = COUNT_WORDS | {"per", "pro", "par", "por", "je", "each", "every", "last", "past", "previous", "prior", "next"}


def suggested_range(name: str, unit: str = "") -> SuggestedRange | None:
    """What a column of numbers with that name can usually be; None where the name says nothing.

    Parameters
    ----------
    name : of the column
    unit : the sign its numbers carry, such as "%"
    """
    said = {*words(name), *words(unit), "".join(words(name))}
    for known, (low, high), what in _QUANTITIES if said & _RATES else _QUANTITIES + _MOMENTS:
        if any(together <= said for together in known):
            return SuggestedRange(float(low), float(high), f"by its {'sign' if '%' in unit else 'name'} {what}")
    return None


def suggest_ranges(columns: Iterable[Column]) -> dict[str, SuggestedRange]:
    """Suggestions for the columns of numbers, from names, signs and kinds only: values cannot change them.

    Parameters
    ----------
    columns : of a table
    """
    found = {column.name: suggested_range(column.name, column.unit) for column in columns if column.kind == "numeric"}
    return {name: suggestion for name, suggestion in found.items() if suggestion is not None}
