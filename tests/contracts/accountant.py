"""What every answer of every accountant must satisfy; each check takes a bracket and fails on its own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np

from dpcore.profiles import DIRECTIONS, Bound, Bracket, PrivacyProfile

SIDES = ("lower", "estimate", "upper")
SLACK = 1e-8  # of log δ: what an estimate may be off


@cache
def grid(bracket: Bracket) -> np.ndarray:
    """ε from 0 to where little is left of the upper side's δ."""
    top = float(bracket.upper.epsilon(1e-9))
    return np.concatenate([[0.0, 1e-12], np.linspace(0.1, 1.0, 4) * (top if np.isfinite(top) else 10.0)])


@cache
def log_delta(side: PrivacyProfile, bracket: Bracket, direction: str) -> np.ndarray:
    """Of one side on the grid; curves are dear, so each is computed once."""
    if side.symmetric and direction != DIRECTIONS[0]:
        return log_delta(side, bracket, DIRECTIONS[0])
    if direction == "both":
        return np.maximum(*(log_delta(side, bracket, one) for one in DIRECTIONS))
    return np.asarray(side.log_delta(grid(bracket), direction=direction))


def curves(bracket: Bracket) -> Iterator[np.ndarray]:
    """log δ of every side in every direction."""
    for name, direction in product(SIDES, DIRECTIONS):
        yield log_delta(getattr(bracket, name), bracket, direction)


def check_decreasing_probabilities(bracket: Bracket) -> None:
    for curve in curves(bracket):
        assert not np.isnan(curve).any()
        assert (curve <= 0).all()
        assert (curve[1:] <= curve[:-1] + SLACK).all()


def check_nothing_happens_between_zero_and_almost_zero(bracket: Bracket) -> None:
    """δ(0) − δ(ε) ≤ e^ε − 1: a curve that jumps at 0 is none."""
    for curve in curves(bracket):
        at_zero, near = np.exp(curve[:2])
        assert abs(at_zero - near) <= 1e-6 * at_zero + 1e-11


def check_sides_are_in_order(bracket: Bracket) -> None:
    for direction in DIRECTIONS:
        low, middle, high = (log_delta(getattr(bracket, name), bracket, direction) for name in SIDES)
        assert ((low <= middle + SLACK) & (middle <= high + SLACK)).all()


def check_both_is_the_maximum(bracket: Bracket) -> None:
    at = 4
    for name in SIDES:
        side = getattr(bracket, name)
        found = float(side.delta(grid(bracket)[at]))
        assert abs(found - np.exp(log_delta(side, bracket, "both")[at])) <= SLACK * found


def check_epsilon_meets_its_target(bracket: Bracket) -> None:
    for name in ("lower", "upper"):
        side = getattr(bracket, name)
        found = float(side.epsilon(1e-6))
        assert found >= 0
        if np.isfinite(found):
            assert float(side.delta(found)) <= 1e-6
    low, high = bracket.epsilon(1e-6)
    assert low <= high * (1 + SLACK)


def check_what_the_sides_are(bracket: Bracket) -> None:
    assert bracket.upper.bound in (Bound.UPPER, Bound.EXACT)
    assert bracket.lower.bound in (Bound.LOWER, Bound.EXACT)


CHECKS = tuple(value for name, value in sorted(globals().items()) if name.startswith("check_"))
