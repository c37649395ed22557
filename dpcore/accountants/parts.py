"""What is composed: a list of mechanisms with counts, merged and put in a fixed order."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.errors import ParameterError, UnsupportedError
from dpcore.mechanisms import Gaussian
from dpcore.profiles import DIRECTIONS, Bound, PrivacyProfile

Parts = tuple[tuple[PrivacyProfile, int], ...]
LARGEST_COUNT = 10**9  # largest number of mechanisms that are composed, each counted as often as it runs
# Largest shift of the one Gaussian that may stand for several: where it is alone, and beside other mechanisms.
_LARGEST_SHIFT, _LARGEST_BESIDE = 1e5, 10.0


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
        count = validation.at_least_one("count", count)
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


def in_closed_form(parts: Parts) -> Parts:
    r"""The parts with one Gaussian of the same profile for all Gaussians, :math:`1/σ² = \sum_j k_j/σ_j²`.

    The parts are unchanged where the losses of that one Gaussian would be huge.
    """
    parts = parts_of(parts)
    shifts = [(mechanism.normal_shift, count) for mechanism, count in parts]
    if sum(count for shift, count in shifts if shift is not None) < 2:
        return parts
    shift = math.fsum(count * shift**2 for shift, count in shifts if shift is not None) ** 0.5
    others = [part for part in parts if part[0].normal_shift is None]
    if shift > (_LARGEST_BESIDE if others else _LARGEST_SHIFT):
        return parts
    return parts_of([*others, Gaussian(1 / shift)])


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
    """A curve of the parts' composition. It is an upper side unless a subclass says otherwise.

    It is symmetric where all parts are.
    """

    parts: Parts

    @property
    def bound(self) -> Bound:
        return side_of(self.parts, Bound.UPPER)

    @property
    def symmetric(self) -> bool:
        return is_symmetric(self.parts)

    def stand_in(self, direction: str) -> str:
        """The direction that is computed for this one. A symmetric curve is always computed in the same direction."""
        return DIRECTIONS[0] if self.symmetric else direction


@dataclass(frozen=True)
class LargestPart(OfParts):
    r"""max over the parts of δ(ε): releasing all reveals at least as much as releasing one. Beyond the largest loss of each,

    .. math:: δ(ε) \ge \prod_j δ_j(c_j)^{k_j}, \quad \sum_j k_j c_j = ε,

    with c_j the same share of each largest loss. That every loss is above its c_j is one way for the sum to exceed ε.
    """

    @property
    def bound(self) -> Bound:
        return side_of(self.parts, Bound.LOWER)

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        curves = [np.asarray(mechanism.log_delta(epsilon, direction=direction)) for mechanism, _ in self.parts]
        largest = np.array(np.maximum.reduce(curves))
        none = np.isneginf(largest)
        tops = [float(m.epsilon(0.0, direction=direction)) for m, _ in self.parts] if none.any() else [np.inf]
        if not np.isfinite(tops).all():
            return largest
        share = epsilon[none] / sum(k * top for top, (_, k) in zip(tops, self.parts, strict=True))
        largest[none] = sum(
            k * np.asarray(m.log_delta(share * top, direction=direction))
            for top, (m, k) in zip(tops, self.parts, strict=True)
        )
        return largest
