"""Tumult Analytics: privacy budgets as they print themselves, one or several that are spent one after the other.

Shape: tmlt/analytics/privacy_budget.py of Tumult Analytics 0.21.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from dpcore.errors import DataError
from dpcore.profiles import PrivacyProfile
from dpcore.runs.budgets import Concentrated, WithinBudget
from dpcore.runs.calls import CLASS, FIELDS
from dpcore.runs.run import Reader, ReadRun, Sides, ToolClaim, entries_of, number_of, read_run, remark

_MAKES: dict[str, tuple[Callable[..., PrivacyProfile], tuple[str, ...]]] = {
    "PureDPBudget": (WithinBudget, ("epsilon",)),
    "ApproxDPBudget": (WithinBudget, ("epsilon", "delta")),
    "RhoZCDPBudget": (Concentrated, ("rho",)),
}


def _budgets(content: Any) -> list[Mapping[str, Any]]:
    several = content.get("calls") or content.get("budgets") or [content] if isinstance(content, Mapping) else content
    found = [one for one in several if isinstance(one, Mapping)] if isinstance(several, list) else []
    return [one for one in found if one.get(CLASS) in _MAKES]


def _numbers(budget: Mapping[str, Any], names: tuple[str, ...], place: str) -> list[float]:
    given = {**dict(zip(names, budget.get(FIELDS, ()), strict=False)), **budget}
    try:
        return [number_of(given, name) for name in names]
    except DataError as error:
        raise DataError(f"{place}: {error}; an infinite budget promises nothing") from error


def _read(content: Any) -> ReadRun:
    sides, epsilon, delta = Sides((), ()), 0.0, 0.0
    for place, budget in entries_of(_budgets(content), "budgets"):
        make, names = _MAKES[str(budget[CLASS])]
        numbers = _numbers(budget, names, place)
        sides = sides + Sides(((make(*numbers), 1),), ())
        epsilon += math.nan if make is Concentrated else numbers[0]  # zCDP states no ε
        delta += sum(numbers[1:])
    flags = (remark("budget"), remark("protected_change"))
    if math.isnan(epsilon):
        return read_run(content, sides, flags)
    if delta > 0:  # at a δ of failing exactly, only the sum of the budgets has a finite ε
        sides = Sides(((WithinBudget(epsilon, delta), 1),), ())
    return ReadRun(sides, ToolClaim(epsilon, delta or None), flags, delta or None)


ENTRY = Reader("Tumult", lambda content: bool(_budgets(content)), _read)
