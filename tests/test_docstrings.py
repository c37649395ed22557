"""Examples in docstrings run, the public interface is documented, and formula cards point at things that exist."""

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import dpcore as dp
from dpcore.references import FormulaCard
from tests.every import each

MODULES = ["dpcore", *sorted(module.name for module in pkgutil.walk_packages(dp.__path__, "dpcore."))]


def resolve(dotted: str) -> object:
    """The thing a dotted name stands for, importing as far as modules go."""
    parts = dotted.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        for name in parts[split:]:
            found = getattr(found, name)
        return found
    raise LookupError(dotted)


def cards(module: object) -> list[FormulaCard]:
    """Formula cards of the classes a module defines, and those it holds by name."""
    own = [thing for thing in vars(module).values() if inspect.isclass(thing) and thing.__module__ == module.__name__]
    held = [vars(thing).get("card") for thing in own] + list(vars(module).values())
    return [card for card in held if isinstance(card, FormulaCard)]


def source(name: str) -> str:
    """The text of a module."""
    place = Path(dp.__file__).parent.joinpath(*name.split(".")[1:])
    return (place / "__init__.py" if place.is_dir() else place.with_suffix(".py")).read_text(encoding="utf-8")


@each(MODULES)
def test_module_is_documented(name):
    assert importlib.import_module(name).__doc__ or not source(name).strip(), "say in one line what the module is for"


@pytest.mark.parametrize("name", [name for name in MODULES if ">>>" in source(name)])
def test_its_examples_run(name):
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder().find(importlib.import_module(name)):
        runner.run(example)
    assert runner.tries > 0
    assert runner.failures == 0


@each(MODULES)
def test_formula_cards_point_at_things_that_exist(name):
    for card in cards(importlib.import_module(name)):
        assert card.title
        assert card.latex
        assert card.references
        assert set(card.references) <= set(dp.REFERENCES)
        assert inspect.getdoc(resolve(card.code))
        assert all(line.count("{") == line.count("}") for line in card.latex)
        assert not [line for line in card.latex if re.search(r"\\q?quad[A-Za-z]", line)], "a space after \\quad"


def check_explained(what: str, thing: object) -> None:
    """There is a docstring, and of five parameters or more numpydoc's section names every one."""
    documentation = inspect.getdoc(thing)
    assert documentation, f"{what} has no docstring"
    parameters = set(inspect.signature(thing).parameters) - {"self", "cls"}
    section = re.search(r"^Parameters\n-{10}\n(.*?)(?=\n\n?[A-Z][a-z]+\n-{4,}|\Z)", documentation, re.S | re.M)
    explained = set(re.findall(r"\w+", section[1])) if section else set()
    assert len(parameters) < 5 or parameters <= explained, f"{what}: {parameters - explained}"


@each(dp.__all__)
def test_public_names_are_documented(name):
    thing = getattr(dp, name)
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return
    assert thing.__doc__
    assert not thing.__doc__.startswith(f"{name}("), "a sentence, not the signature dataclasses make up"
    if inspect.isfunction(thing) or hasattr(thing, "__dataclass_fields__"):
        check_explained(name, thing)
    for method, value in inspect.getmembers(thing, inspect.isroutine):
        if not method.startswith("_") and getattr(value, "__module__", "").startswith("dpcore"):
            check_explained(f"{name}.{method}", value)


def test_every_registered_mechanism_has_its_own_card():
    titles = [entry.card.title for entry in dp.MECHANISMS.values()]
    assert len(set(titles)) == len(titles)
    for entry in dp.MECHANISMS.values():
        assert entry.card in cards(inspect.getmodule(type(entry.default())))
