"""The index: each printed statement with its code, its errata, its figures in the gallery and its tests."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass

from dpcore.errata import ERRATA, Kind
from dpcore.profiles import Bound
from dpcore.studies.statements.citations import Citation, citations, names_in_tests
from dpcore.studies.statements.printed import STATEMENTS, PrintedStatement

NOT_TESTED_HERE = "needs the source with its tests"


@dataclass(frozen=True)
class Entry:
    """A statement with what the package knows of it.

    Parameters
    ----------
    statement : as printed
    code : dotted names of what cites it
    standing : "exact", "upper bound", …, "corrected", "refuted" or "not computed"
    errata : keys of its records
    tests : test modules that name the code; None without a source checkout
    """

    statement: PrintedStatement
    code: tuple[str, ...]
    standing: str
    errata: tuple[str, ...]
    tests: tuple[str, ...] | None


def index() -> tuple[Entry, ...]:
    """Every statement of the five sources, in their order."""
    known = {(statement.source, statement.label) for statement in STATEMENTS}
    by_place: dict[tuple[str, str], list[Citation]] = {}
    for citation in citations():
        place = citation.source, citation.label
        whole = citation.source, citation.label.rpartition(".")[0]  # Proposition 16.3 is of Proposition 16
        by_place.setdefault(place if place in known else whole, []).append(citation)
    return tuple(_entry(statement, by_place.get((statement.source, statement.label), [])) for statement in STATEMENTS)


def _entry(statement: PrintedStatement, cited: list[Citation]) -> Entry:
    records = errata_of(statement)
    code = tuple(dict.fromkeys(citation.code for citation in cited))
    return Entry(statement, code, _standing(cited, records), records, _tests(code))


def errata_of(statement: PrintedStatement) -> tuple[str, ...]:
    """Records whose place names the statement, or a part of it: Proposition 16.3 is of Proposition 16."""
    word, _, number = statement.label.rpartition(" ")
    if not word or not re.match(r"[A-Z]?\.?\d", number):
        return tuple(
            key for key, one in ERRATA.items() if one.source == statement.source and _about(one.place, statement.label)
        )
    named = re.compile(rf"\b{word}s?(?: \S+ and)? {re.escape(number)}(?![\d])(?!\.\d+\.)")
    return tuple(
        key for key, one in ERRATA.items() if one.source == statement.source and named.search(_spelt(one.place))
    )


def _about(place: str, label: str) -> bool:
    return label.casefold() in place.casefold()


def _spelt(place: str) -> str:
    """A place with its statements written out one by one: “Theorems 3.1 and 3.2” names both."""
    return re.sub(r"(\w+)s (\S+) and (\S+)", r"\1 \2 and \1 \3", place)


def _standing(cited: list[Citation], records: tuple[str, ...]) -> str:
    kinds = {ERRATA[key].kind for key in records}
    roles = {citation.role for citation in cited}
    if Kind.REFUTED in kinds or "refuted" in roles:
        return "refuted"
    if kinds & {Kind.MISPRINT, Kind.FAILS} or "corrected" in roles:
        return "corrected"
    if not cited:
        return "not computed"
    bounds = {bound for citation in cited if isinstance(bound := _bound(citation.code), Bound)}
    return bounds.pop().value if len(bounds) == 1 else "as printed"


def _bound(code: str) -> object:
    """What kind of curve a class is, where it says so."""
    module, _, name = code.rpartition(".")
    try:
        return getattr(getattr(importlib.import_module(module), name), "bound", None)
    except ModuleNotFoundError:  # a method
        return None


def _tests(code: tuple[str, ...]) -> tuple[str, ...] | None:
    known = names_in_tests()
    if known is None:
        return None
    wanted = {one.rpartition(".")[2] for one in code}
    return tuple(path for path, names in known.items() if wanted & names)
