"""Misprints and errors of the sources, each with a number that shows it, computed when asked for."""

from dpcore.errata import lectures, napp, objective, per_instance, posterior
from dpcore.errata.record import SOURCES, Erratum, Numbers, Sweep

ERRATA: dict[str, Erratum] = {
    record.key: record for module in (napp, per_instance, posterior, objective, lectures) for record in module.ERRATA
}

__all__ = ["ERRATA", "SOURCES", "Erratum", "Numbers", "Sweep"]
