"""Tumult Analytics: privacy budgets as they print themselves, one or several that are spent one after the other.

Shape: tmlt/analytics/privacy_budget.py of Tumult Analytics 0.21.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpcore.errors import DataError
from dpcore.profiles import PrivacyProfile
from dpcore.runs.budgets import Concentrated, WithinBudget
from dpcore.runs.calls import CLASS, FIELDS
from dpcore.runs.run import Reader, ReadRun, Sides, ToolClaim, claim_of, entries_of, number_of, remark

_FIELDS = {"PureDPBudget": ("epsilon",), "ApproxDPBudget": ("epsilon", "delta"), "RhoZCDPBudget": ("rho",)}
_MAKES: dict[str, Callable[..., PrivacyProfile]] = {
    "PureDPBudget": WithinBudget, "ApproxDPBudget": WithinBudget, "RhoZCDPBudget": Concentrated,
}  # fmt: skip


def _budgets(content: Any) -> list[Mapping[str, Any]]:
    several = content.get("calls") or content.get("budgets") or [content] if isinstance(content, Mapping) else content
    found = [one for one in several if isinstance(one, Mapping)] if isinstance(several, list) else []
    return [one for one in found if one.get(CLASS) in _FIELDS]


def _numbers(budget: Mapping[str, Any], place: str) -> tuple[float, ...]:
    names = _FIELDS[str(budget[CLASS])]
    given = {**dict(zip(names, budget.get(FIELDS, ()), strict=False)), **budget}
    try:
        return tuple(number_of(given, name) for name in names)
    except DataError as error:
        raise DataError(f"{place}: {error}; an infinite budget promises nothing") from error


def _read(content: Any) -> ReadRun:
    sides, spent = Sides((), ()), [0.0, 0.0]
    for place, budget in entries_of(_budgets(content), "budgets"):
        numbers = _numbers(budget, place)
        sides = sides + Sides(((_MAKES[str(budget[CLASS])](*numbers), 1),), ())
        if "rho" in _FIELDS[str(budget[CLASS])]:
            spent = [float("nan"), 0.0]
        spent = [total + one for total, one in zip(spent, (*numbers, 0.0)[:2], strict=True)]
    flags = (remark("budget"), remark("protected_change"))
    if spent[0] != spent[0]:  # zCDP states no ε
        beside = {key: content[key] for key in ("epsilon", "delta") if isinstance(content, Mapping) and key in content}
        claim, missing, delta = claim_of(beside)
        return ReadRun(sides, claim, (*flags, *missing), delta)
    if spent[1] > 0:  # at a δ of failing exactly, only the sum of the budgets has a finite ε
        sides = Sides(((WithinBudget(*spent), 1),), ())
    return ReadRun(sides, ToolClaim(spent[0], spent[1] or None), flags, spent[1] or None)


ENTRY = Reader("Tumult", lambda content: bool(_budgets(content)), _read)
