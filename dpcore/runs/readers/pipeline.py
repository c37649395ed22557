"""Our own pipelines: a list of steps in YAML or JSON, as the page Composition saves and loads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dpcore.errors import DataError, UnsupportedError
from dpcore.mechanisms import STEPS
from dpcore.profiles import Bound
from dpcore.runs.run import Reader, ReadRun, Sides, entries_of, number_of, read_run, whole_of

_STEPS = "pipeline"
Step = tuple[str, dict[str, float], int]


def _knows(content: Any) -> bool:
    return isinstance(content, Mapping) and _STEPS in content


def steps_of(content: Any) -> list[Step]:
    """(name of the mechanism, its parameters, count) of each step.

    Raises
    ------
    DataError
        That names the step and what is missing, unknown or out of its range.
    """
    if not _knows(content):
        raise DataError(f"a saved pipeline has a list {_STEPS}: steps with mechanism, parameters and count")
    found = []
    for place, step in entries_of(content[_STEPS], _STEPS):
        kind = step.get("mechanism") if isinstance(step, Mapping) else None
        if kind not in STEPS:
            raise DataError(f"{place}: mechanism must be one of {', '.join(STEPS)}; got {kind!r:.60}")
        names = [parameter.name for parameter in STEPS[kind].parameters]
        unknown = [name for name in step if name not in (*names, "mechanism", "count")]
        if unknown:
            raise DataError(f"{place}: {unknown[0]:.40} is not known; {kind} has {', '.join(names)}")
        try:
            found.append((kind, {name: number_of(step, name) for name in names}, whole_of(step, "count", 1)))
        except ValueError as error:
            raise DataError(f"{place}: {error}") from error
    return found


def written(steps: Iterable[Step]) -> str:
    """The steps as YAML, from which `steps_of` reads the same."""
    lines = [f"{_STEPS}:"]
    for kind, values, count in steps:
        lines += [
            f"- mechanism: {kind}",
            *(f"  {name}: {value!r}" for name, value in values.items()),
            f"  count: {count}",
        ]
    return "\n".join([*lines, ""])


def _read(content: Any) -> ReadRun:
    sides = Sides((), ())
    for kind, values, count in steps_of(content):
        whole = {parameter.name for parameter in STEPS[kind].parameters if parameter.scale == "integer"}
        step = STEPS[kind].build(**{name: int(value) if name in whole else value for name, value in values.items()})
        if step.bound not in (Bound.EXACT, Bound.UPPER):
            raise UnsupportedError(f"{kind} is a {step.bound.value}, and nothing bounds what it reveals")
        # Of a step known by an upper bound alone, nothing stands below.
        sides = sides + (Sides.exact(step, count) if step.bound is Bound.EXACT else Sides(((step, count),), ()))
    return read_run(content, sides, without="")


ENTRY = Reader("The file", _knows, _read)
