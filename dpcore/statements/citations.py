"""What the code says about itself: the statements of the sources that docstrings cite, and the tests that name it."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
ROLES = ("corrected", "refuted", "rate")
_SOURCES = ("lecture-10", "lecture-12", "li-liu-napp", "redberg-koskela-wang-2023", "wang-2019")
_TRAILER = re.compile(r"^References: (.*?)(?:\n\s*\n|\Z)", re.S | re.M)  # the references of a docstring
_CITED = re.compile(rf"\b({'|'.join(map(re.escape, _SOURCES))}) \(([^)]*)\)")  # a source and the statements cited of it
_BROKEN = re.compile(rf"({'|'.join(map(re.escape, _SOURCES))})\n")  # a key at the end of a line, "(…)" on the next
_PLURAL = re.compile(r"^(Theorem|Lemma|Definition|Algorithm|Proposition|Eq\.?|Figure|Equation)s\b\.?")


@dataclass(frozen=True)
class Citation:
    """A class or function that cites a statement; `role` is what the citation adds: one of `ROLES`, or ""."""

    source: str
    label: str
    role: str
    code: str


def cited_in(docstring: str) -> Iterator[tuple[str, str, str]]:
    """(source, label, role) of each statement in the References of a docstring.

    They are written as `References: key (Theorem 3.1, Lemmas D.4, D.6, corrected, Remark 3.3), other-key.`. A word such
    as Lemmas holds for all numbers after it. A role holds for all statements before it in the parentheses, back to the
    role before.
    """
    for trailer in _TRAILER.findall(docstring):
        for source, inside in _CITED.findall(" ".join(trailer.split())):
            waiting: list[str] = []
            word = ""
            for part in re.split(r", | and ", inside):
                if part in ROLES:
                    yield from ((source, label, part) for label in waiting)
                    waiting = []
                    continue
                plural = _PLURAL.match(part)
                singular = _PLURAL.sub(r"\1", part) if plural else part
                if re.fullmatch(r"[A-Z]?\.?\d[\d.]*", singular):
                    singular = f"{word} {singular}"
                word = singular.rsplit(" ", 1)[0]
                waiting.append(_as_printed(singular))
            yield from ((source, label, "") for label in waiting)


def _as_printed(label: str) -> str:
    """Equations with their number in parentheses, which a citation cannot hold; sections with a capital letter."""
    number = re.fullmatch(r"Eq\.? (\S+)", label)
    return f"Eq. ({number.group(1)})" if number else label[:1].upper() + label[1:]


def _documented(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, str]]:
    """Dotted name and docstring of every class and function, methods too."""
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            name = f"{prefix}.{node.name}"
            yield name, ast.get_docstring(node) or ""
            if isinstance(node, ast.ClassDef):
                yield from _documented(node.body, name)


@cache
def citations() -> tuple[Citation, ...]:
    """Every citation in the package's source, read without running it."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not any(f"{source} (" in text for source in _SOURCES) and not _BROKEN.search(text):
            continue
        module = ".".join(("dpcore", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        for code, docstring in _documented(ast.parse(text).body, module):
            found += [Citation(*one, code) for one in cited_in(docstring)]
    return tuple(found)


@dataclass(frozen=True)
class NamesInTest:
    """Names in a test module: `of_package` are imported from the package or reached through it, `attributes` all."""

    of_package: frozenset[str]
    attributes: frozenset[str]


@cache
def names_in_tests() -> dict[str, NamesInTest] | None:
    """Names that the code of each test module of a source checkout uses; None where there is none."""
    folder = PACKAGE.parent / "tests"
    if not (folder / "test_architecture.py").is_file():
        return None
    return {
        path.relative_to(folder).as_posix(): _named(ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted(folder.rglob("*.py"))
        if path.name.startswith("test_")
    }


def _named(module: ast.Module) -> NamesInTest:
    nodes = list(ast.walk(module))
    imported = {alias.asname or alias.name for node in nodes for alias in _imported(node)}
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    reached = {node.attr for node in attributes if _first_name(node) in imported}
    return NamesInTest(frozenset(imported | reached), frozenset(node.attr for node in attributes))


def _imported(node: ast.AST) -> list[ast.alias]:
    """What a statement imports from the package."""
    if isinstance(node, ast.ImportFrom):
        return node.names if (node.module or "").split(".")[0] == PACKAGE.name else []
    if isinstance(node, ast.Import):
        return [alias for alias in node.names if alias.name.split(".")[0] == PACKAGE.name]
    return []


def _first_name(node: ast.expr) -> str:
    """The name before the first point."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
