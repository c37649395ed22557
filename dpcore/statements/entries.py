"""The index: what the sources state by number, in our words, each with its code, its errata and its tests."""

import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dpcore.errata import ERRATA, Kind
from dpcore.profiles import Bound
from dpcore.records import from_table, refuse_unknown, tables
from dpcore.statements.citations import Citation, NamesInTest, citations, names_in_tests


@dataclass(frozen=True)
class PrintedStatement:
    """A numbered statement.

    Parameters
    ----------
    source : key in `REFERENCES`
    label : as in the source
    says : what it states, in a few words
    page : where it is shown, named by its folder; "" where it is not
    state : what that page's controls are set to for it, by key
    why_not : why nothing implements it; "" where something does
    whole : label of the statement that displays it as a formula, and whose code is its code too; "" if there is none
    """

    source: str
    label: str
    says: str
    page: str = ""
    state: Mapping[str, Any] = field(default_factory=dict, hash=False)
    why_not: str = ""
    whole: str = ""

    @property
    def numbers(self) -> tuple[str, ...]:
        """Numbers of the equations it stands for, as printed in parentheses."""
        ends = re.findall(r"\(([^)]*)\)", self.label) if self.label.startswith("Eq") else []
        if "–" not in self.label:
            return tuple(ends)
        prefix, first = re.fullmatch(r"(\D*)(\d+)", ends[0]).groups()  # type: ignore[union-attr]
        last = int(re.fullmatch(r"\D*(\d+)", ends[-1]).group(1))  # type: ignore[union-attr]
        return tuple(f"{prefix}{number}" for number in range(int(first), last + 1))


def read_statements(path: Path) -> Iterator[PrintedStatement]:
    """The statements of a file. `place` and `why_not` name its tables; a displayed formula has its whole's place."""
    found = tables(path, ("places", "reasons", "statements"))
    for source, rows in found["statements"].items():
        place_of = {row.get("label"): row.get("place") for row in rows}
        for row in rows:
            where = f"{path.name}, {source}, {row.get('label', 'a statement without label')}"
            given = {"source": source, "place": place_of.get(row.get("whole")), **row}
            for name, known in (("place", found["places"]), ("why_not", found["reasons"]), ("whole", place_of)):
                refuse_unknown(f"{where}, {name}", [given[name]] if given.get(name) else [], known)
            place, reason = given.pop("place"), given.get("why_not")
            shown = found["places"][place] if place else {"why_not": found["reasons"][reason]} if reason else {}
            yield from_table(PrintedStatement, given | shown, where)


STATEMENTS = tuple(read_statements(Path(__file__).with_name("statements.toml")))


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
    known = {
        (one.source, name): one.label
        for one in STATEMENTS
        for name in (one.label, *map("Eq. ({})".format, one.numbers))
    }
    by_place: dict[tuple[str, str], list[Citation]] = {}
    for citation in citations():
        label = citation.label
        if (citation.source, label) not in known:
            label = label.rpartition(".")[0]  # Proposition 16.3 belongs to Proposition 16
        by_place.setdefault((citation.source, known.get((citation.source, label), label)), []).append(citation)
    alone = {(one.source, one.label): _entry(one, by_place.get((one.source, one.label), [])) for one in STATEMENTS}
    return tuple(_with_whole(alone, one) for one in STATEMENTS)


def _entry(statement: PrintedStatement, cited: list[Citation]) -> Entry:
    records = errata_of(statement)
    code = tuple(dict.fromkeys(citation.code for citation in cited))
    return Entry(statement, code, _standing(cited, records), records, _tests(code))


def _with_whole(alone: dict[tuple[str, str], Entry], statement: PrintedStatement) -> Entry:
    """A displayed formula has its statement's code and tests too, and its standing where it has none of its own."""
    found = alone[statement.source, statement.label]
    if not statement.whole:
        return found
    whole = alone[statement.source, statement.whole]
    code = tuple(dict.fromkeys((*found.code, *whole.code)))
    own = found.errata or found.code
    return replace(found, code=code, standing=found.standing if own else whole.standing, tests=_tests(code))


def errata_of(statement: PrintedStatement) -> tuple[str, ...]:
    """Records whose place names the statement or a part of it: Proposition 16.3 belongs to Proposition 16."""
    names = _naming_of(statement)
    return tuple(key for key, one in ERRATA.items() if one.source == statement.source and names(one.place))


def _naming_of(statement: PrintedStatement) -> Callable[[str], object]:
    """A function that tells whether a place names the statement."""
    if statement.numbers:
        return lambda place: "Eq" in place and any(f"({number})" in place for number in statement.numbers)
    word, _, number = statement.label.rpartition(" ")
    if not word or not re.match(r"[A-Z]?\.?\d", number):
        return lambda place: statement.label.casefold() in place.casefold()
    named = re.compile(rf"\b{word}s?(?: \S+ and)? {re.escape(number)}(?![\d])(?!\.\d+\.)")
    return lambda place: named.search(_spelt(place))


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
    """What kind of curve a class is, where it states it; else None."""
    module, _, name = code.rpartition(".")
    try:
        return getattr(getattr(importlib.import_module(module), name), "bound", None)
    except ModuleNotFoundError:  # the code is a method
        return None


def _tests(code: tuple[str, ...]) -> tuple[str, ...] | None:
    known = names_in_tests()
    if known is None:
        return None
    found = {path for one in code for path in _naming(one, known)}
    return tuple(path for path in known if path in found)


def _naming(code: str, known: Mapping[str, NamesInTest]) -> list[str]:
    """Test modules that name a class or function.

    For a method, those that use its name and also name its class; if there are none, all that use its name.
    """
    *_, owner, name = code.split(".")
    if not owner[:1].isupper():
        return [path for path, names in known.items() if name in names.of_package]
    using = [path for path, names in known.items() if name in names.attributes]
    return [path for path in using if owner in known[path].of_package] or using
