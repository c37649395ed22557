"""Examples in docstrings run, the public interface is documented, and formula cards point at things that exist."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import dpcore as dp
from dpcore.references import FormulaCard

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(dp.__path__, "dpcore.")
    if not module.name.startswith("dpcore.figures")
)
CARDS = {
    f"{name}.{owner}": thing.card
    for name in MODULES
    for owner, thing in vars(importlib.import_module(name)).items()
    if inspect.isclass(thing) and isinstance(vars(thing).get("card"), FormulaCard) and thing.__module__ == name
}


def resolve(dotted: str) -> object:
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


def test_examples_run():
    finder = doctest.DocTestFinder()
    examples = [
        test for name in ("dpcore", *MODULES) for test in finder.find(importlib.import_module(name)) if test.examples
    ]
    runner = doctest.DocTestRunner()
    for example in examples:
        runner.run(example)
    assert runner.failures == 0
    assert any(example.name == "dpcore.calibration.calibrate" for example in examples)


@pytest.mark.parametrize("name", dp.__all__)
def test_public_names_exist_and_are_documented(name):
    thing = getattr(dp, name)
    if inspect.isclass(thing) or inspect.isfunction(thing):
        documented = thing.__doc__ if inspect.isfunction(thing) else vars(thing).get("__doc__")
        assert documented
        assert not documented.startswith(f"{name}("), "a docstring, not the one dataclasses make up"


@pytest.mark.parametrize("name", [name for name in dp.__all__ if inspect.isclass(getattr(dp, name))])
def test_public_methods_are_documented(name):
    thing = getattr(dp, name)
    for method, value in inspect.getmembers(thing):
        if not method.startswith("_") and inspect.isfunction(value) and value.__module__.startswith("dpcore"):
            assert inspect.getdoc(value), f"{name}.{method}"


@pytest.mark.parametrize("key", sorted(CARDS))
def test_formula_cards_point_at_things_that_exist(key):
    card = CARDS[key]
    assert card.title
    assert card.latex
    assert card.references
    assert set(card.references) <= set(dp.REFERENCES)
    assert resolve(card.code).__doc__
    assert all(line.count("{") == line.count("}") for line in card.latex)


def test_every_registered_mechanism_has_its_own_card():
    cards = [entry.card for entry in dp.MECHANISMS.values()]
    assert all(card in CARDS.values() for card in cards)
    assert len({card.title for card in cards}) == len(cards)
