"""What the errata know of a figure or table, as findings."""

from __future__ import annotations

import re

from dpcore.errata import ERRATA, Kind, numbers_of
from dpcore.exhibits.gallery.exhibit import Finding


def misprints(source: str, number: str) -> tuple[Finding, ...]:
    """A finding for each record of the errata whose place names this figure or table, computed at its defaults."""
    wanted = re.compile(rf"{re.escape(number)}(?!\d)")
    found = []
    for key, record in ERRATA.items():
        if record.source != source or not wanted.search(record.place.replace("Figure", "Fig.")):
            continue
        numbers = numbers_of(key, tuple(record.defaults.items()))
        holds = record.agrees(numbers.printed, numbers) or (
            record.kind is Kind.FAILS and numbers.printed >= numbers.computed
        )
        found.append(
            Finding(
                f"{record.place}, as printed",
                holds,
                f"{record.quantity}: {record.sentence(numbers)}".rstrip("."),
                record.kind is not Kind.MISPRINT,
            )
        )
    return tuple(found)
