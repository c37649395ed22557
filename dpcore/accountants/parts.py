"""What is composed: a list of mechanisms with counts, merged and put in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError, UnsupportedError
from dpcore.profiles import DIRECTIONS, Bound, PrivacyProfile

Parts = tuple[tuple[PrivacyProfile, int], ...]
LARGEST_COUNT = 10**9


def parts_of(mechanisms: Iterable[Any]) -> Parts:
    """The list as ((mechanism, count), …): equal mechanisms merged, order independent of the input's."""
    if isinstance(mechanisms, PrivacyProfile) or not isinstance(mechanisms, Iterable):
        raise ParameterError(
            "compose needs a list of mechanisms or of (mechanism, count) pairs, such as [(dp.Gaussian(5.0), 100)]; "
            f"got {mechanisms!r}"
        )
    merged: list[tuple[PrivacyProfile, int]] = []
    for item in mechanisms:
        mechanism, count = item if isinstance(item, tuple) and len(item) == 2 else (item, 1)
        if not isinstance(mechanism, PrivacyProfile):
            raise ParameterError(f"each item must be a mechanism or (mechanism, count), got {item!r}")
        count = validation.integer("count", count, minimum=1)
        same = next((i for i, (other, _) in enumerate(merged) if other == mechanism), None)
        if same is None:
            merged.append((mechanism, count))
        else:
            merged[same] = (mechanism, merged[same][1] + count)
    if not merged:
        raise ParameterError("compose needs at least one mechanism, got an empty list")
    total = sum(count for _, count in merged)
    if total > LARGEST_COUNT:
        raise ParameterError(f"the total count must be at most {LARGEST_COUNT}, got {total}")
    return tuple(sorted(merged, key=lambda part: (type(part[0]).__name__, repr(part[0]), part[1])))


def curve_of(parts: Parts) -> Bound:
    """What composing the parts' curves says about the composed mechanism.

    Raises
    ------
    UnsupportedError
        If an upper bound would be composed with a lower bound.
    """
    kinds = {mechanism.bound for mechanism, _ in parts} - {Bound.EXACT}
    for kind in (Bound.CLAIMED, Bound.ESTIMATE):
        if kind in kinds:
            return kind
    if len(kinds) > 1:
        raise UnsupportedError("an upper bound and a lower bound compose to neither: state all parts on one side")
    return kinds.pop() if kinds else Bound.EXACT


def side_of(parts: Parts, side: Bound) -> Bound:
    """What the upper or lower side of the parts' composed curve says about the composed mechanism.

    The upper side of composed lower bounds, and the other way round, is an estimate: it is within the numerical width
    of a bound, and on neither side for sure.
    """
    curve = curve_of(parts)
    if curve in (Bound.EXACT, side):
        return side
    return Bound.CLAIMED if curve is Bound.CLAIMED else Bound.ESTIMATE


def is_symmetric(parts: Parts) -> bool:
    """True where both directions have the same curve."""
    return all(mechanism.symmetric for mechanism, _ in parts)


@dataclass(frozen=True)
class OfParts(PrivacyProfile):
    """A curve of the parts' composition: an upper side unless it says otherwise, symmetric where all parts are."""

    parts: Parts

    @property
    def bound(self) -> Bound:
        return side_of(self.parts, Bound.UPPER)

    @property
    def symmetric(self) -> bool:
        return is_symmetric(self.parts)

    def stand_in(self, direction: str) -> str:
        """The direction computed for this one: of a symmetric curve always the same."""
        return DIRECTIONS[0] if self.symmetric else direction


@dataclass(frozen=True)
class LargestPart(OfParts):
    """max over the parts of δ(ε): releasing all reveals at least as much as releasing one."""

    @property
    def bound(self) -> Bound:
        return side_of(self.parts, Bound.LOWER)

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        curves = [np.asarray(mechanism.log_delta(epsilon, direction=direction)) for mechanism, _ in self.parts]
        return np.maximum.reduce(curves)
