"""How a mechanism is put before a reader: its name, the controls of its parameters, what one step of it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dpcore.profiles import PrivacyProfile
from dpcore.records import from_table, tables
from dpcore.references import FormulaCard

# Factor by which the range of the noise is longer for one step of many. Doubled, half of a slider is of use to few.
_MORE_NOISE = 5
_CONTROLS = tables(Path(__file__).with_name("controls.toml"), ("control",))["control"]


@dataclass(frozen=True)
class Parameter:
    """One parameter, as a control shows it.

    Parameters
    ----------
    name : of the argument
    symbol, words : as the control says it
    default : where the control starts
    low, high : the range worth exploring, not the range accepted
    scale : "log", "linear" or "integer"
    noise : power p: c times as much noise multiplies the parameter by c^p. 0 if the parameter does not set the noise
    """

    name: str
    symbol: str
    words: str
    default: float
    low: float
    high: float
    scale: str = "log"
    noise: int = 0


@dataclass(frozen=True)
class MechanismEntry:
    """A mechanism as pages, audits and contract tests find it.

    Parameters
    ----------
    key : in links and registries
    name : on the screen
    build : function of the parameters
    parameters : in the order of their controls
    card : formula card
    short : name in labels; `name` if empty
    """

    key: str
    name: str
    build: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    card: FormulaCard
    short: str = ""

    def default(self) -> PrivacyProfile:
        """The mechanism at its default parameters."""
        return self.build(**{p.name: p.default for p in self.parameters})

    def label(self, values: Mapping[str, Any]) -> str:
        """Such as "Laplace b=2": the short name and every parameter by its symbol."""
        shown = ", ".join(f"{p.symbol}={values[p.name]}" for p in self.parameters)
        return f"{self.short or self.name} {shown}"

    def among_many(self) -> MechanismEntry:
        """The entry with the ranges of one step of many, which needs more noise than a single one."""
        parameters = (replace(p, high=p.high * _MORE_NOISE) if p.noise == 1 else p for p in self.parameters)
        return replace(self, parameters=tuple(parameters))


def entry(
    key: str, name: str, build: Callable[..., Any], card: FormulaCard, *, short: str = "", like: str = ""
) -> MechanismEntry:
    """An entry whose controls `controls.toml` states, under its own key or under that of a mechanism it is like."""
    stated = _CONTROLS[like or key].items()
    parameters = (from_table(Parameter, {"name": one} | given, f"controls.toml, {key}.{one}") for one, given in stated)
    return MechanismEntry(key, name, build, tuple(parameters), card, short)
