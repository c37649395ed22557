"""Suggest round public ranges from the name and the type of a column, without looking at its values."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dpcore.data.encoding.name_words import COUNT_WORDS, words
from dpcore.data.ingest.kinds import Column
from dpcore.records import tables


@dataclass(frozen=True)
class SuggestedRange:
    """The range that a quantity with this name usually has, and the reason for the suggestion."""

    low: float
    high: float
    why: str


_Known = tuple[tuple[frozenset[str], ...], tuple[float, float], str]  # words of a name, the range, and the quantity


def _known(kind: str) -> tuple[_Known, ...]:
    return tuple(
        (tuple(frozenset(together.split("+")) for together in one["known"].split()), one["range"], one["what"])
        for one in _TABLES[kind]
    )


_TABLES = tables(Path(__file__).with_suffix(".toml"), ("quantity", "moment"))
_QUANTITIES, _MOMENTS = _known("quantity"), _known("moment")
_RATES = COUNT_WORDS | {"per", "pro", "par", "por", "je", "each", "every", "last", "past", "previous", "prior", "next"}


def suggested_range(name: str, unit: str = "") -> SuggestedRange | None:
    """The range that a column of numbers with this name usually has; None if the name suggests none.

    Parameters
    ----------
    name : name of the column
    unit : sign beside its numbers, such as "%"
    """
    said = {*words(name), *words(unit), "".join(words(name))}
    for known, (low, high), what in _QUANTITIES if said & _RATES else _QUANTITIES + _MOMENTS:
        if any(together <= said for together in known):
            return SuggestedRange(float(low), float(high), f"by its {'sign' if '%' in unit else 'name'} {what}")
    return None


def suggest_ranges(columns: Iterable[Column]) -> dict[str, SuggestedRange]:
    """Suggestions for the columns of numbers, from names, signs and kinds only, so they do not depend on values.

    Parameters
    ----------
    columns : columns of a table
    """
    found = {column.name: suggested_range(column.name, column.unit) for column in columns if column.kind == "numeric"}
    return {name: suggestion for name, suggestion in found.items() if suggestion is not None}
