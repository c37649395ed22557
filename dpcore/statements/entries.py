"""The index: each printed statement with its code, its errata, its figures in the gallery and its tests."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from dpcore.errata import ERRATA, Kind
from dpcore.profiles import Bound
from dpcore.statements.citations import Citation, NamesInTest, citations, names_in_tests
from dpcore.statements.printed import STATEMENTS, PrintedStatement

NOT_TESTED_HERE = "needs the source with its tests"


@dataclass(frozen=True)
class Entry:
    """A statement with what the package knows of it.

    Parameters
    ----------
    statement : as printed
    code : dotted names of what cites it
    standing : "exact", "upper bound", …, "corrected", "refuted", "rate, constants added", "as printed" or "not computed"
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
    known = {(one.source, name): one.label for one in STATEMENTS for name in (one.label, *_equations(one))}
    by_place: dict[tuple[str, str], list[Citation]] = {}
    for citation in citations():
        label = citation.label
        if (citation.source, label) not in known:
            label = label.rpartition(".")[0]  # Proposition 16.3 is of Proposition 16
        by_place.setdefault((citation.source, known.get((citation.source, label), label)), []).append(citation)
    alone = {(one.source, one.label): _entry(one, by_place.get((one.source, one.label), [])) for one in STATEMENTS}
    return tuple(_with_whole(alone, one) for one in STATEMENTS)


def _equations(statement: PrintedStatement) -> tuple[str, ...]:
    return tuple(f"Eq. ({number})" for number in statement.numbers)


def _entry(statement: PrintedStatement, cited: list[Citation]) -> Entry:
    records = errata_of(statement)
    code = tuple(dict.fromkeys(citation.code for citation in cited))
    return Entry(statement, code, _standing(cited, records), records, _tests(code))


def _with_whole(alone: dict[tuple[str, str], Entry], statement: PrintedStatement) -> Entry:
    """A display has the code and the tests of its statement too, and its standing where nothing is said of it alone."""
    found = alone[statement.source, statement.label]
    if not statement.whole:
        return found
    whole = alone[statement.source, statement.whole]
    code = tuple(dict.fromkeys((*found.code, *whole.code)))
    own = found.errata or found.code
    return replace(found, code=code, standing=found.standing if own else whole.standing, tests=_tests(code))


def errata_of(statement: PrintedStatement) -> tuple[str, ...]:
    """Records whose place names the statement, or a part of it: Proposition 16.3 is of Proposition 16."""
    if statement.numbers:
        return tuple(
            key
            for key, one in ERRATA.items()
            if one.source == statement.source
            and "Eq" in one.place
            and any(f"({n})" in one.place for n in statement.numbers)
        )
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
    if "rate" in roles:
        return "rate, constants added"
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
    found = {path for one in code for path in _naming(one, known)}
    return tuple(path for path in known if path in found)


def _naming(code: str, known: Mapping[str, NamesInTest]) -> list[str]:
    """Modules that name a class or function; of a method those that use it and name its class, if any names that."""
    *_, owner, name = code.split(".")
    if not owner[:1].isupper():
        return [path for path, names in known.items() if name in names.of_package]
    using = [path for path, names in known.items() if name in names.attributes]
    return [path for path in using if owner in known[path].of_package] or using
