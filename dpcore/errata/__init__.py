"""Misprints and errors of the sources, each with a number that shows it, computed when asked for.

The words of a record are a table in the TOML file of its source; its numbers are the function of its key in one of the modules.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dpcore.errata import lectures, libraries, napp, objective, per_instance, posterior
from dpcore.errata.record import SOURCES, Erratum, Kind, Numbers, Sweep
from dpcore.errors import DataError
from dpcore.mechanisms import Parameter
from dpcore.records import from_table, refuse_unknown, tables

_FUNCTIONS = {
    name: function
    for module in (napp, per_instance, posterior, objective, lectures, libraries)
    for name, function in vars(module).items()
}
_FILES = ("li-liu-napp", "wang-2019", "redberg-koskela-wang-2023", "lecture-10", "lecture-12", "libraries")
_FOLDER = Path(__file__).parent


def read_errata(source: str, folder: Path = _FOLDER) -> Iterator[Erratum]:
    """The records of one source. `parameters` and `symbols` of the file hold for every record that gives no others."""
    path = folder / f"{source}.toml"
    found = tables(path, ("symbols", "parameters", "record"))
    for key, given in found["record"].items():
        yield _erratum(f"{path.name}, {key}", found, given | {"key": key, "source": source})


def _erratum(place: str, found: Mapping[str, Any], given: dict[str, Any]) -> Erratum:
    own, names = given.pop("own", {}), given.get("parameters", ())
    refuse_unknown(f"{place}, own", own, names)
    ranges = [
        from_table(
            Parameter, {"name": name, **found["parameters"].get(name, {}), **own.get(name, {})}, f"{place}, {name}"
        )
        for name in names
    ]
    kind, kinds = given.get("kind", "misprint"), {one.name.lower(): one for one in Kind}
    refuse_unknown(f"{place}, kind", [kind], kinds)
    function = given["key"].replace("-", "_").replace(".", "_")
    if function not in _FUNCTIONS:
        raise DataError(f"{place}: no module of dpcore.errata has a function {function}")
    computed = {"kind": kinds[kind], "parameters": ranges, "numbers": _FUNCTIONS[function]}
    return from_table(Erratum, given | computed | {"symbols": found["symbols"] | given.get("symbols", {})}, place)


ERRATA = {one.key: one for source in _FILES for one in read_errata(source)}


def numbers_of(key: str, values: tuple[tuple[str, float], ...]) -> Numbers:
    """`Erratum.demonstrate` of a record by key, with arguments that identify it by value."""
    return ERRATA[key].demonstrate(**dict(values))


def sweep_of(key: str, values: tuple[tuple[str, float], ...]) -> Sweep:
    """`Erratum.sweep` of a record by key, with arguments that identify it by value."""
    return ERRATA[key].sweep(**dict(values))


__all__ = ["ERRATA", "SOURCES", "Erratum", "Kind", "Numbers", "Sweep", "numbers_of", "sweep_of"]
