"""What a reader makes of a run: steps that bound it from both sides, what the tool claims, what one must know."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpcore import validation
from dpcore.errors import DataError
from dpcore.profiles import PrivacyProfile
from dpcore.records import tables

Steps = tuple[tuple[PrivacyProfile, int], ...]
_FLAGS: dict[str, str] = tables(Path(__file__).with_name("flags.toml"), ("flag",))["flag"]


def remark(key: str, /, **values: Any) -> str:
    """A sentence of `flags.toml`."""
    return _FLAGS[key].format(**values)


@dataclass(frozen=True)
class Sides:
    """Two pipelines around a run.

    Parameters
    ----------
    above : steps that together reveal at least as much as the run
    below : steps that the run reveals for some data; without any, nothing bounds it from below
    """

    above: Steps
    below: Steps

    @classmethod
    def exact(cls, mechanism: PrivacyProfile, count: int = 1) -> Sides:
        """Both sides are the mechanism itself."""
        return cls(((mechanism, count),), ((mechanism, count),))

    def __add__(self, other: Sides) -> Sides:
        return Sides(self.above + other.above, self.below + other.below)

    @classmethod
    def added(cls, several: Iterable[Sides]) -> Sides:
        """All of them, one after the other; both sides are empty without any."""
        return sum(several, cls((), ()))

    def times(self, count: int) -> Sides:
        """The same, so many times."""
        above, below = (tuple((m, k * count) for m, k in steps) for steps in (self.above, self.below))
        return Sides(above, below)


@dataclass(frozen=True)
class ToolClaim:
    """What a tool says: ε at one δ (`delta` None: whatever δ is asked), as printed, or a rule that gives ε at any δ."""

    epsilon: float = math.nan
    delta: float | None = None
    rule: Callable[[float], float] | None = None
    unit: float = 0.0  # half of the last digit printed

    def at(self, delta: float) -> tuple[float, float]:
        """(ε, δ) of the claim, for the δ asked."""
        if self.rule is not None:
            return self.rule(delta), delta
        return self.epsilon, delta if self.delta is None else self.delta


@dataclass(frozen=True)
class ReadRun:
    """A run as read: what bounds it, what its tool claims, and sentences on what was assumed."""

    sides: Sides
    claim: ToolClaim | None
    flags: tuple[str, ...]
    delta: float | None = None


@dataclass(frozen=True)
class Reader:
    """One format.

    Parameters
    ----------
    name : of the tool, as a headline says it
    knows : whether the content is of this format
    read : the run it describes; it may raise DataError, ParameterError or UnsupportedError
    """

    name: str
    knows: Callable[[Any], bool]
    read: Callable[[Any], ReadRun]


def number_of(content: Mapping[str, Any], name: str, default: float | None = None) -> float:
    """A real number of the content; YAML gives some numbers as text.

    Raises
    ------
    DataError
        If it is missing and has no default, or is no finite number.
    """
    given = content.get(name)
    if given is None:
        if default is None:
            raise DataError(f"{name} is missing; known are {', '.join(map(str, content)) or 'no names'}")
        return default
    return number_from(name, given)


def number_from(name: str, given: Any) -> float:
    """A real number, or text that is one."""
    try:
        return validation.real(name, float(given) if isinstance(given, str) else given)
    except ValueError as error:
        raise DataError(f"{name} must be a number, got {given!r:.60}") from error


def whole_of(content: Mapping[str, Any], name: str, default: int | None = None) -> int:
    """A whole number ≥ 1 of the content."""
    value = number_of(content, name, default)
    if value != int(value):
        raise DataError(f"{name} must be a whole number, got {value:g}")
    return validation.at_least_one(name, int(value))


def entries_of(content: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The entries of a list, each with its place in words."""
    if isinstance(content, (str, bytes)) or not isinstance(content, Sequence) or not content:
        raise DataError(f"{name} must be a list with at least one entry, got {content!r:.60}")
    yield from ((f"{name}, entry {i}", entry) for i, entry in enumerate(content, start=1))


def read_run(
    content: Any,
    sides: Sides,
    said: Iterable[str] = (),
    *,
    delta: float | None = None,
    says: Callable[[float], float] | None = None,
    without: str = "no_claim",
    **words: str,
) -> ReadRun:
    """The run between two sides, with the claim that stands beside it (`epsilon` and `delta`) or follows from a rule.

    Parameters
    ----------
    content : what was read
    sides : what bounds the run
    said : sentences on it
    delta : δ of the file, if it is not the one that stands beside the claim
    says : rule that gives the claim where the content states none
    without : key of the sentence that is added where the content states no claim; "" for none
    words : what that sentence is filled with
    """
    stated = content if isinstance(content, Mapping) else {}
    at = validation.open_probability("delta", number_of(stated, "delta")) if "delta" in stated else delta
    if "epsilon" in stated:
        return ReadRun(sides, printed(str(stated["epsilon"]), at), tuple(said), delta or at)
    claim, missing = None if says is None else ToolClaim(rule=says), [remark(without, **words)] if without else []
    return ReadRun(sides, claim, (*said, *missing), delta or at)


def printed(text: str, delta: float | None) -> ToolClaim:
    """A claim as it was printed: it may be off by half of its last digit."""
    epsilon, digits = validation.non_negative("epsilon", number_from("epsilon", text)), text.lower().partition("e")
    decimals = len(digits[0].partition(".")[2]) - int(digits[2] or 0)
    return ToolClaim(epsilon, delta, unit=0.5 * 10.0**-decimals)
