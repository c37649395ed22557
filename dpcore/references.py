"""Bibliography, and the formula card that every mechanism carries and the app renders."""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from dpcore.records import from_table, refuse_unknown, tables


@dataclass(frozen=True)
class Reference:
    """A published source."""

    key: str
    text: str
    url: str = ""


@dataclass(frozen=True)
class FormulaCard:
    """What a class computes, written for a reader: formulas, symbols, assumptions and sources.

    Parameters
    ----------
    title : heading of the card
    latex : displayed formulas, one per entry
    symbols : LaTeX symbol → its meaning in words
    assumptions : a few words each
    references : keys of `REFERENCES`
    code : dotted name of the implementation; by default the class that has this card as an attribute
    """

    title: str
    latex: tuple[str, ...]
    symbols: dict[str, str] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    code: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        object.__setattr__(self, "code", self.code or f"{owner.__module__}.{owner.__qualname__}")


def formula_card(module: str, name: str) -> FormulaCard:
    """The card of this name in `cards.toml` beside a module."""
    path = Path(module).with_name("cards.toml")
    cards = _cards(path)
    refuse_unknown(f"{path.name} beside {Path(module).name}", [name], cards)
    return from_table(FormulaCard, cards[name], f"{path.name}, {name}")


@cache  # one file holds the cards of all modules of its folder
def _cards(path: Path) -> Any:
    return tables(path, ("card",))["card"]


_PATH = Path(__file__).with_suffix(".toml")
REFERENCES = {
    key: from_table(Reference, {"key": key} | given, f"{_PATH.name}, {key}")
    for key, given in tables(_PATH, ("reference",))["reference"].items()
}
