"""What every privacy profile must satisfy, whatever its formula; each check takes a profile and fails on its own."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

import numpy as np
import pytest

import dpcore as dp
from dpcore.mechanisms import MechanismEntry
from dpcore.profiles import DIRECTIONS, PrivacyProfile

LOG_DELTAS = (-1e-3, -0.3, -2.0, -10.0, -50.0, -300.0, -650.0)
ORDERS = np.array([1.0, 1 + 1e-9, 1 + 1e-4, 1.1, 1.5, 2.0, 5.0, 30.0, 500.0, 1e4, 1e6])
FPRS = np.concatenate([[0.0, 1e-300, 1e-12, 1e-6], np.linspace(0.001, 0.999, 31), [1 - 1e-9, 1.0]])
ROUND_OFF = 1e-12


def registry_profiles(entry: MechanismEntry) -> Iterator[PrivacyProfile]:
    """The entry at its defaults, then with one parameter at a time at either end of its range."""
    defaults = {p.name: p.default for p in entry.parameters}
    yield entry.build(**defaults)
    for parameter, end in itertools.product(entry.parameters, ("low", "high")):
        yield entry.build(**{**defaults, parameter.name: getattr(parameter, end)})


@cache
def epsilon_grid(profile: PrivacyProfile, size: int = 41) -> np.ndarray:
    """ε ≥ 0 where this profile's δ is of every size, so that narrow and wide profiles are both seen."""
    marks = np.concatenate([profile.epsilon(log_delta=LOG_DELTAS, direction=d) for d in DIRECTIONS])
    marks = marks[np.isfinite(marks)]
    top = max(float(marks.max(initial=0.0)), 1e-12)
    between = np.linspace(0.0, 1.1 * top, size)
    return np.unique(np.concatenate([[0.0], np.geomspace(1e-6 * top, top, size), between, marks]))


def signed_grid(profile: PrivacyProfile) -> np.ndarray:
    """`epsilon_grid` and its mirror image, within ±600 so that e^ε is a float."""
    grid = epsilon_grid(profile)
    grid = grid[grid <= 600]
    return np.concatenate([-grid[:0:-1], grid])


@lru_cache(maxsize=1)
def _answers(profile: PrivacyProfile) -> dict[tuple[bytes, tuple[int, ...], str], np.ndarray]:
    return {}


def holds(check: Callable[[PrivacyProfile], None], profile: PrivacyProfile) -> None:
    """Run a check on a profile whose δ(ε) is dear: the very same array of ε in the same direction is computed once."""
    kind, answers = type(profile), _answers(profile)
    compute = kind._log_delta

    def remembered(self: PrivacyProfile, epsilon: np.ndarray, direction: str) -> np.ndarray:
        if self is not profile:
            return compute(self, epsilon, direction)
        asked = epsilon.tobytes(), epsilon.shape, direction
        if asked not in answers:
            answers[asked] = compute(self, epsilon, direction)
        return answers[asked].copy()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "_log_delta", remembered)
        check(profile)


def check_is_a_decreasing_probability(profile: PrivacyProfile) -> None:
    grid = epsilon_grid(profile)
    for direction in ("both", *DIRECTIONS):
        points = grid if direction == "both" else signed_grid(profile)
        log_delta = profile.log_delta(points, direction=direction)
        delta = profile.delta(points, direction=direction)
        assert not np.isnan(log_delta).any()
        assert (log_delta <= 0).all()
        assert ((delta >= 0) & (delta <= 1)).all()
        np.testing.assert_array_equal(delta, np.exp(log_delta))
        upper, lower = log_delta[:-1], log_delta[1:]
        finite = np.isfinite(upper)
        assert (lower[finite] <= upper[finite] + ROUND_OFF * np.maximum(1.0, np.abs(upper[finite]))).all()
        assert np.isneginf(lower[~finite]).all()


def check_is_convex_in_exponential_of_epsilon(profile: PrivacyProfile) -> None:
    for direction in DIRECTIONS:
        points = signed_grid(profile)
        delta = profile.delta(points, direction=direction)
        left, right = np.expm1(points[:-2] - points[1:-1]), np.expm1(points[2:] - points[1:-1])
        share = right / (right - left)
        chord = share * delta[:-2] + (1 - share) * delta[2:]
        assert (delta[1:-1] <= chord + 1e-10 * delta[:-2] + 1e-300).all()


def check_both_is_the_maximum(profile: PrivacyProfile) -> None:
    points = np.concatenate([-epsilon_grid(profile)[1:10], epsilon_grid(profile)])
    add, remove = (profile.log_delta(points, direction=d) for d in DIRECTIONS)
    np.testing.assert_array_equal(profile.log_delta(points), np.maximum(add, remove))
    if profile.symmetric:
        np.testing.assert_array_equal(add, remove)


def check_reflection(profile: PrivacyProfile) -> None:
    """H_γ(P‖Q) = 1 − γ + γ H_{1/γ}(Q‖P), the reason one direction determines the other."""
    points = epsilon_grid(profile)[1:]
    points = points[points < 600]
    for direction, opposite in zip(DIRECTIONS, DIRECTIONS[::-1], strict=True):
        expected = -np.expm1(-points) + np.exp(-points) * profile.delta(points, direction=opposite)
        np.testing.assert_allclose(profile.delta(-points, direction=direction), expected, rtol=1e-12, atol=0)


def check_limits(profile: PrivacyProfile) -> None:
    for direction in ("both", *DIRECTIONS):
        assert profile.delta(np.inf, direction=direction) == 0
        assert profile.delta(-np.inf, direction=direction) == 1
        assert profile.epsilon(1.0, direction=direction) == 0
        assert profile.epsilon(0.0, direction=direction) >= profile.epsilon(1e-9, direction=direction)
    assert np.isfinite(profile.log_delta(np.array([0.0, 1e-300, 1e3]))[0])


def check_epsilon_is_the_generalised_inverse(profile: PrivacyProfile) -> None:
    for direction in ("both", *DIRECTIONS):
        start = profile.log_delta(0.0, direction=direction)
        log_targets = np.array(sorted((x for x in (start - 1e-6, start - 0.5, *LOG_DELTAS) if x < start), reverse=True))
        targets = np.exp(log_targets)
        found = profile.epsilon(targets, direction=direction)
        assert (np.diff(found) >= 0).all()
        reached = np.isfinite(found)
        assert (profile.delta(found[reached], direction=direction) <= targets[reached]).all()
        for one, target in zip(found[reached], targets[reached], strict=True):
            assert profile.delta(one, direction=direction) <= target
            assert profile.delta(one * (1 - 1e-9), direction=direction) >= target * (1 - 1e-6)
        by_log = profile.epsilon(log_delta=log_targets, direction=direction)
        assert (profile.log_delta(by_log[reached], direction=direction) <= log_targets[reached]).all()
        np.testing.assert_allclose(by_log, found, rtol=1e-9)
        assert profile.epsilon(profile.delta(0.0, direction=direction), direction=direction) == 0


def check_shapes(profile: PrivacyProfile) -> None:
    calls = (profile.delta, profile.log_delta, profile.epsilon, profile.tradeoff, lambda x: profile.renyi(x + 1))
    for call in calls:
        scalar = call(0.5)
        assert isinstance(scalar, float)
        assert isinstance(call(np.array(0.5)), float)
        assert call(np.empty((2, 0))).shape == (2, 0)
        square = call(np.array([[0.5, 0.25, 0.75], [0.125, 0.5, 1.0]]))
        assert square.shape == (2, 3)
        np.testing.assert_allclose(square[1, 1], scalar, rtol=1e-13)
        np.testing.assert_array_equal(call(np.array([0.5, 0.25])), call(np.array([0.5, 0.25, 0.5]))[:2])
    assert profile.delta([0, 1]).shape == (2,)


def check_tradeoff_is_a_tradeoff_function(profile: PrivacyProfile) -> None:
    for direction in ("both", *DIRECTIONS):
        curve = profile.tradeoff(FPRS, direction=direction)
        assert ((curve >= 0) & (curve <= 1 - FPRS)).all()
        assert (np.diff(curve) <= ROUND_OFF).all()
        share = (FPRS[2:] - FPRS[1:-1]) / (FPRS[2:] - FPRS[:-2])
        assert (curve[1:-1] <= share * curve[:-2] + (1 - share) * curve[2:] + ROUND_OFF).all()
        assert profile.tradeoff(1.0, direction=direction) == 0


def check_tradeoff_agrees_with_the_profile(profile: PrivacyProfile) -> None:
    """1 − T(α) ≤ e^ε α + δ(ε) for every ε, with equality for some: no test beats the profile, and one attains it."""
    points = signed_grid(profile)
    for direction, opposite in (("both", "both"), *zip(DIRECTIONS, DIRECTIONS[::-1], strict=True)):
        if direction == "both":
            points = points[points >= 0]
        bound = np.exp(points) * FPRS[:, None] + profile.delta(points, direction=opposite)
        power = 1 - profile.tradeoff(FPRS, direction=direction)
        assert (power[:, None] <= bound + 1e-11).all()
    both = profile.tradeoff(FPRS)
    for direction in DIRECTIONS:
        assert (both <= profile.tradeoff(FPRS, direction=direction) + 1e-11).all()


def check_overrides_agree_with_the_base_class(profile: PrivacyProfile) -> None:
    """Closed forms of the trade-off and Rényi curves against the ones derived from δ(ε) alone."""
    for direction in ("both", *DIRECTIONS):
        generic = np.clip(PrivacyProfile._tradeoff(profile, FPRS, direction), 0, 1 - FPRS)
        np.testing.assert_allclose(profile.tradeoff(FPRS, direction=direction), generic, rtol=1e-8, atol=1e-10)
    orders = ORDERS[ORDERS < 5] if profile.discrete else ORDERS  # quadrature misses kinks narrower than its panels
    for direction in DIRECTIONS:
        generic = PrivacyProfile._renyi(profile, orders, direction)
        np.testing.assert_allclose(profile.renyi(orders, direction=direction), generic, rtol=1e-10)


def check_renyi(profile: PrivacyProfile) -> None:
    curves = {direction: profile.renyi(ORDERS, direction=direction) for direction in ("both", *DIRECTIONS)}
    for direction, curve in curves.items():
        assert (curve >= 0).all()
        with np.errstate(invalid="ignore"):
            assert not (np.diff(curve) < -ROUND_OFF * curve[:-1]).any()
        np.testing.assert_allclose(curve[1], curve[0], rtol=1e-6)
        pure = profile.epsilon(0.0, direction=direction)
        assert profile.renyi(np.inf, direction=direction) == pure
        assert (curve <= pure * (1 + ROUND_OFF)).all()
    np.testing.assert_array_equal(curves["both"], np.maximum(*(curves[direction] for direction in DIRECTIONS)))
    np.testing.assert_allclose(profile.renyi(ORDERS[3:5]), curves["both"][3:5], rtol=1e-12)


def check_renyi_implies_no_less_than_the_profile(profile: PrivacyProfile) -> None:
    """log δ(ε) ≤ (α−1)(D_α − ε + log(1−1/α)) − log α: the conversion of Canonne, Kamath and Steinke, prop. 12."""
    points, alpha = epsilon_grid(profile), ORDERS[3:]
    for direction in DIRECTIONS:
        divergence = profile.renyi(alpha, direction=direction)[:, None]
        order = alpha[:, None]
        implied = (order - 1) * (divergence - points + np.log1p(-1 / order)) - np.log(order)
        slack = 1e-11 * (1 + (order - 1) * np.maximum(divergence, points))
        assert (profile.log_delta(points, direction=direction) <= implied + slack).all()


def check_is_a_value(profile: PrivacyProfile) -> None:
    """Frozen, hashable, equal to a copy, rebuilt by eval(repr)."""
    names = {name: getattr(dp, name) for name in dp.__all__}
    rebuilt = eval(repr(profile), {"__builtins__": {}}, names)
    assert rebuilt == profile
    assert hash(rebuilt) == hash(profile)
    assert repr(rebuilt) == repr(profile)
    for field in dataclasses.fields(profile):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(profile, field.name, 1.0)


def check_bad_arguments_are_explained(profile: PrivacyProfile) -> None:
    calls = {"epsilon": profile.delta, "alpha": profile.renyi, "fpr": profile.tradeoff, "delta": profile.epsilon}
    calls["log_delta"] = lambda value: profile.epsilon(log_delta=value)
    outside = {"alpha": (0.5, -np.inf), "fpr": (-0.1, 1.5), "delta": (-1e-9, 1.1)}
    for name, call in calls.items():
        for bad in (np.nan, [0.5, np.nan], "0.5", [None], *outside.get(name, ())):
            with pytest.raises(dp.ParameterError, match=f"^{name} must"):
                call(bad)
    methods = (profile.delta, profile.log_delta, profile.epsilon, profile.tradeoff)
    for call in (*methods, lambda x, **o: profile.renyi(2, **o)):
        for unknown in ("up", None, ["add"]):
            with pytest.raises(dp.ParameterError, match="direction must be one of 'both', 'add', 'remove'; got"):
                call(0.5, direction=unknown)
        with pytest.raises(dp.UnsupportedError, match="adjacency must be 'add_remove', got 'replace'"):
            call(0.5, adjacency="replace")
    for given in ({}, {"delta": 0.1, "log_delta": -1.0}):
        with pytest.raises(dp.ParameterError, match="exactly one of delta and log_delta"):
            profile.epsilon(**given)


CHECKS = tuple(value for name, value in sorted(globals().items()) if name.startswith("check_"))
