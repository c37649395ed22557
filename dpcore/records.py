"""Read records from TOML files beside the code. A missing or unknown key raises an error that names file and record."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TypeVar

from dpcore.errors import DataError

_Record = TypeVar("_Record")


def tables(path: Path, known: Iterable[str]) -> dict[str, Any]:
    """All `known` tables of a file. A table that the file does not have is empty; any other table is refused."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path.name} is not TOML: {error}") from error
    refuse_unknown(path.name, found, known)
    return {name: found.get(name, {}) for name in known}


def from_table(kind: type[_Record], given: Mapping[str, Any], place: str) -> _Record:
    """A dataclass from a table; lists become tuples. `place` names file and record in the error about a wrong key."""
    known = {one.name: one.default is MISSING and one.default_factory is MISSING for one in fields(kind)}  # type: ignore[arg-type]
    refuse_unknown(place, given, known)
    missing = [name for name, needed in known.items() if needed and name not in given]
    if missing:
        raise DataError(f"{place}: {missing[0]} is missing")
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})


def refuse_unknown(place: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise a `DataError` about the first given name that is not known."""
    for name in given:
        if name not in known:
            raise DataError(f"{place}: {name} is not known; known are {', '.join(known)}")
