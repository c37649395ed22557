"""What every private learner must satisfy; each check takes the class and fails on its own.

A learner is made from its class alone: `epsilon` and `delta` where it has them, and a loss that suits the data where it can
choose one. A new entry of `LEARNERS` needs nothing here, as long as its defaults suit a small data set; SMALL makes runs quicker.
"""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from functools import cache
from typing import Any

import numpy as np
import pytest

import dpcore as dp
from dpcore.glm import LBFGS, Newton
from dpcore.learners import Learner, Plan
from dpcore.learners.napp import Regularizer
from dpcore.profiles import Bound
from tests.contracts import profile as profiles
from tests.contracts.reachable import RANDOM, leaves, written

TARGETS = ((2.0, 1e-3, 60), (6.0, 1e-2, 500), (0.3, 1e-5, 2000))  # ε, δ and rows
SMALL: dict[str, Any] = {"epochs": 2, "batch": 256, "optimizer": "sgd", "epsilon": 2.0, "delta": 1e-3}
TINY, LEAST = 1e-3, 1e-9  # shares of the noise
BESIDE_THETA = {  # released under the profile too
    "Adaptive posterior sample (AdaOPS)": {".parameters['released_eigenvalue']", ".parameters['lam']", ".report[2]"},
    "DP-SGD": {".parameters['learning_rate']"},
}


def names(kind: type[Learner]) -> set[str]:
    """The user's choices."""
    return {field.name for field in dataclasses.fields(kind)}


def make(kind: type[Learner], **options: Any) -> Learner:
    """A learner with those of the options, and of SMALL, that it has."""
    return kind(**{name: value for name, value in {**SMALL, **options}.items() if name in names(kind)})


@cache
def data(rows: int = 60, seed: int = 0) -> dp.Dataset:
    """Labels, which every loss but one for counts admits, on rows of norm at most 1; of these public facts whatever the seed."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 2))
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True)) * (1 + 1e-12)
    y = np.where(X @ [2.0, -1.0] + rng.logistic(size=rows) > 0, 1.0, -1.0)
    return dp.Dataset.from_arrays(X, y, domain=dp.Domain())


@cache
def planned(kind: type[Learner]) -> tuple[Learner, Plan]:
    learner = make(kind)
    return learner, learner.plan(dp.PublicFacts.of(data()))


def released(kind: type[Learner], share: float, seed: int) -> np.ndarray:
    """θ of a run with a share of all its noise."""
    learner, plan = planned(kind)
    return learner._release(data(), plan.with_noise(share), np.random.default_rng(seed)).theta


def global_state() -> tuple[Any, ...]:
    """Where NumPy's global generator stands, which nobody may move."""
    kind, keys, *place = np.random.get_state()  # noqa: NPY002
    return kind, keys.tobytes(), *place


def is_private(kind: type[Learner]) -> bool:
    """Whether it promises anything at all."""
    return float(planned(kind)[1].profile.delta(0.0)) < 1


def check_says_what_it_is(kind: type[Learner]) -> None:
    _, plan = planned(kind)
    assert plan.notes
    assert all(note.endswith(".") for note in plan.notes)


def check_choices_are_frozen_and_bad_targets_are_named(kind: type[Learner]) -> None:
    learner = make(kind)
    for name in names(kind):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(learner, name, None)
    for name, bad in (("epsilon", -1.0), ("epsilon", np.nan), ("delta", 1.5)):
        if name in names(kind):
            with pytest.raises(dp.ParameterError, match=name):
                make(kind, **{name: bad})


def check_plan_sees_public_facts_only(kind: type[Learner]) -> None:
    """The same plan for two data sets with the same facts; nobody may fit data without public bounds."""
    learner, plan = planned(kind)
    again = learner.plan(dp.PublicFacts.of(data(seed=1)))
    assert repr(again) == repr(plan)
    assert repr(pickle.loads(pickle.dumps(plan))) == repr(plan)
    bare = dp.Dataset.from_arrays(data().X, data().y)
    with pytest.raises(dp.DataError, match="no public domain"):
        learner.fit(bare, 0)


def check_target_is_never_exceeded(kind: type[Learner]) -> None:
    """δ(ε) of the profile at the ε asked for is at most the δ asked for, or the plan is refused."""
    if "epsilon" not in names(kind):
        return
    met = 0
    for epsilon, delta, rows in TARGETS:
        try:
            plan = make(kind, epsilon=epsilon, delta=delta).plan(dp.PublicFacts(rows, 2, dp.Domain()))
        except dp.CalibrationError:
            continue
        met += 1
        assert float(plan.profile.delta(epsilon)) <= (delta if "delta" in names(kind) else 1e-12) * (1 + 1e-12)
    assert met >= 2


def check_profile_is_a_profile(kind: type[Learner]) -> None:
    """The contract of profiles, as far as it does not need hours where δ is integrated numerically."""
    profile = planned(kind)[1].profile
    assert profile.bound in (Bound.EXACT, Bound.UPPER)
    grid = np.linspace(0.0, 8.0, 17)
    for direction in ("both", "add", "remove"):
        delta = profile.delta(grid, direction=direction)
        assert ((delta >= 0) & (delta <= 1)).all()
        assert (np.diff(delta) <= profiles.ROUND_OFF * delta[:-1]).all()
    assert profile.log_delta(np.inf) <= profile.log_delta(1.0) <= 0
    both = np.maximum(*(profile.delta(grid, direction=direction) for direction in ("add", "remove")))
    np.testing.assert_array_equal(profile.delta(grid), both)


def check_with_noise_scales_all_noise(kind: type[Learner]) -> None:
    """With hardly any noise left every seed gives the same θ; with little, θ moves in proportion to the share."""
    if not is_private(kind):
        assert all(np.array_equal(released(kind, 1.0, 0), released(kind, 1.0, seed)) for seed in (1, 2))
        with pytest.raises(dp.UnsupportedError, match="names no noise"):
            planned(kind)[1].with_noise(0.5)
        return
    still = released(kind, LEAST, 0)
    for seed in (0, 1):
        few, twice = released(kind, TINY, seed) - still, released(kind, 2 * TINY, seed) - still
        assert np.linalg.norm(few) > 0
        assert np.linalg.norm(released(kind, LEAST, seed) - still) <= 1e-4 * np.linalg.norm(few)
        assert np.linalg.norm(twice) == pytest.approx(2 * np.linalg.norm(few), rel=0.05)


def check_with_noise_keeps_the_claim(kind: type[Learner]) -> None:
    _, plan = planned(kind)
    share = 0.5 if is_private(kind) else 1.0
    weak = plan.with_noise(share)
    assert weak.profile == plan.profile
    assert weak.notes == plan.notes
    changed = {name for name in plan.parameters if repr(weak.parameters[name]) != repr(plan.parameters[name])}
    assert changed <= set(plan.noise)


def check_a_seed_repeats_the_release_and_nothing_else_does(kind: type[Learner]) -> None:
    learner, _ = planned(kind)
    with pytest.raises(TypeError, match="rng"):
        learner.fit(data())
    assert inspect.signature(kind.fit).parameters["rng"].default is inspect.Parameter.empty
    before = global_state()
    first, again = learner.fit(data(), 7), learner.fit(data(), np.random.default_rng(7))
    np.testing.assert_array_equal(first.theta, again.theta)
    assert global_state() == before
    if is_private(kind):
        assert not np.array_equal(learner.fit(data(), 8).theta, first.theta)
    assert repr(first.profile) == repr(planned(kind)[1].profile)
    with pytest.raises(dp.ParameterError, match="rng"):
        learner.fit(data(), -1)


def check_units_of_the_data_are_free(kind: type[Learner]) -> None:
    """Rows in units of ¼, and amounts in units of ⅛, give the same model in those units: no bound is taken for 1."""
    rows = data()
    defaults = {field.name: field.default for field in dataclasses.fields(kind)}
    units = {"lam": 16, "learning_rate": 1 / 16}
    scaled = {name: unit * defaults[name] for name, unit in units.items() if defaults.get(name)}
    for loss, amount in (("squared", 8.0), ("logistic", 1.0))[: 1 + ("loss" in defaults)]:
        domain = dp.Domain(row_norm=4.0, target_bound=amount)
        other = dp.Dataset.from_arrays(4 * rows.X, amount * rows.y, domain=domain)
        plain = make(kind, loss=loss).fit(rows, 5).theta
        found = make(kind, loss=loss, regularizer=Regularizer(strength=4 * amount), **scaled).fit(other, 5).theta
        np.testing.assert_allclose(found, amount / 4 * plain, rtol=1e-4)


def check_release_holds_nothing_else_of_the_data(kind: type[Learner]) -> None:
    """Of the same seed and other data, all that can be reached or is written into a pickle is the same, but for θ."""
    learner, _ = planned(kind)
    releases = [learner.fit(data(seed=seed), 7) for seed in range(4)]
    allowed = {".theta"} | BESIDE_THETA.get(learner.title, set())
    first, *others = map(leaves, releases)
    assert not [path for path, value in first.items() if isinstance(value, RANDOM)]
    for release, other in zip(releases[1:], others, strict=True):
        assert first.keys() == other.keys()
        assert {path for path in first if repr(first[path]) != repr(other[path])} <= allowed
        assert leaves(pickle.loads(pickle.dumps(release))).keys() <= other.keys()
        changed = [two for one, two in zip(written(releases[0]), written(release), strict=True) if one != two]
        assert changed[0] == release.theta.tobytes()
        assert len(changed) <= len(allowed)


def check_no_release_without_convergence(kind: type[Learner], monkeypatch: pytest.MonkeyPatch) -> None:
    """With solvers that never move, a learner refuses, unless it never asked them."""
    learner, _ = planned(kind)
    honest = learner.fit(data(), 3).theta
    for solver in (Newton, LBFGS):
        monkeypatch.setattr(solver, "run", lambda self, path, tol, rng: None)
    try:
        theta = learner.fit(data(), 3).theta
    except dp.ConvergenceError:
        return
    np.testing.assert_array_equal(theta, honest)


def check_law_is_that_of_the_output(kind: type[Learner]) -> None:
    """Where an exact density is stated: of one coefficient it has mass 1, and outputs fall below its quantiles as they should."""
    if planned(kind)[0].law(data(), planned(kind)[1]) is None:
        return
    one = dp.Dataset.from_arrays(data().X[:12, :1], data().y[:12], domain=dp.Domain())
    learner = make(kind)
    plan = learner.plan(dp.PublicFacts.of(one))
    law = learner.law(one, plan)
    if not law.exact:
        return
    grid = np.linspace(law.breaks[0], law.breaks[-1], 40_001)
    mass = np.exp(law.log_density(grid[:, None])) * (grid[1] - grid[0])
    assert mass.sum() == pytest.approx(1.0, abs=1e-3)
    rng = np.random.default_rng(0)
    outputs = np.array([learner._release(one, plan, rng).theta[0] for _ in range(200)])
    for share in (0.1, 0.5, 0.9):
        below = int((outputs < grid[np.searchsorted(np.cumsum(mass), share)]).sum())
        assert abs(below - 200 * share) <= 4 * np.sqrt(200 * share * (1 - share))


CHECKS = tuple(value for name, value in sorted(globals().items()) if name.startswith("check_"))
