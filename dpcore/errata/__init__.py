"""Misprints and errors of the sources, each with a number that shows it, computed when asked for."""

from dpcore.errata import (
    generalisation,
    lectures,
    napp,
    napp_rows,
    napp_utility,
    objective,
    objective_appendix,
    per_instance,
    posterior,
    steps,
)
from dpcore.errata.record import SOURCES, Erratum, Kind, Numbers, Sweep

ERRATA: dict[str, Erratum] = {
    record.key: record
    for module in (
        napp, napp_rows, napp_utility, per_instance, generalisation, posterior, objective, objective_appendix, steps, lectures,
    )
    for record in module.RECORDS
}  # fmt: skip


def numbers_of(key: str, values: tuple[tuple[str, float], ...]) -> Numbers:
    """`Erratum.demonstrate` of a record by key, with arguments that identify it by value."""
    return ERRATA[key].demonstrate(**dict(values))


def sweep_of(key: str, values: tuple[tuple[str, float], ...]) -> Sweep:
    """`Erratum.sweep` of a record by key, with arguments that identify it by value."""
    return ERRATA[key].sweep(**dict(values))


__all__ = ["ERRATA", "SOURCES", "Erratum", "Kind", "Numbers", "Sweep", "numbers_of", "sweep_of"]
