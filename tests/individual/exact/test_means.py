"""The mean over lines and its bar, part by part: what stands in a bracket of ε, against sums written out."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import special

import dpcore as dp
from dpcore.individual.exact import objective
from dpcore.individual.exact.found import NO_PRIVACY
from dpcore.individual.exact.hockey_stick import log_hockey_stick
from dpcore.individual.exact.objective import Means
from tests.individual.exact.test_cells import stick
from tests.individual.exact.test_objective import exact_record


def squared_record(features):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(12, features)) * 0.5
    mechanism = dp.ObjectivePerturbation(sigma=1.2, lam=0.5, loss="squared", lipschitz=1.0)
    return exact_record(dp.Dataset.from_arrays(X, X.sum(axis=1) + rng.normal(size=12)), mechanism, 0, 1e-4)


@pytest.mark.parametrize(("features", "drawn"), [(2, (0.0, 1.0)), (3, None), (3, (0.4, 1.3))])
def test_lines_weigh_what_a_normal_law_does_however_often_they_double(features, drawn):
    means = Means(squared_record(features), drawn)
    for _ in range(3):
        weight, off = np.exp(means.log_weight), 1e-9 if features == 2 or drawn is None else 0.5
        assert weight.sum() == pytest.approx(1, abs=off)
        assert weight @ means.z == pytest.approx(0, abs=off)
        assert weight @ means.z**2 == pytest.approx(1, abs=2 * off)
        assert np.unique(means.z).size == means.z.size
        assert drawn != (0.4, 1.3) or weight.max() <= 2 / weight.size
        means.refine()


@pytest.mark.parametrize(("way", "epsilon"), [("add", 0.3), ("remove", 0.05)])
def test_of_the_squared_loss_every_line_is_the_expansions(way, epsilon):
    """At the same z: a line on the other side of 0 has another δ."""
    means = Means(squared_record(3), (0.3, 1.2))
    coarse = means.seen(epsilon, way)
    for _ in range(8):
        means.finer(epsilon, epsilon)
    low, unknown = means.lines(epsilon, way)
    expected = np.exp(log_hockey_stick(means.straight, np.full(means.z.size, epsilon), way)[0] - means.cells.depth)
    assert coarse[0] <= np.log(np.exp(means.log_weight) @ expected) <= coarse[1]
    seen = expected > 1e-6
    assert seen.sum() > 8
    assert ((low <= expected * (1 + 1e-6)) & (low + unknown >= expected * (1 - 1e-6)))[seen].all()
    assert (unknown < 0.05 * expected)[seen].all()


def test_the_bar_of_a_rule_over_z_covers_jumps_and_vanishes_without():
    z = np.linspace(-8, 8, 129)
    z = np.concatenate([z[::2], z[1::2]])
    density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) / 8
    rule = SimpleNamespace(z=z)
    value, bar = Means._plane(rule, density * np.exp(0.7 * z))
    assert value == pytest.approx(0.245, abs=1e-9)
    assert bar < 1e-6
    for jump in np.linspace(-0.5, 2.5, 97):
        value, bar = Means._plane(rule, density * (z > jump))
        assert -np.log1p(bar) <= value - special.log_ndtr(-jump) <= -np.log1p(-bar)
        assert bar < 0.5


def ratio(shares, straight, known, monkeypatch, jumps=False, weight=0.125):
    """`_ratio` of eight scramblings of one line each, whose parts and those of the expansion are given."""
    stub = SimpleNamespace(
        log_weight=np.log(weight) * np.ones(8),
        z=np.zeros(8),
        straight=None,
        record=SimpleNamespace(
            jumps=jumps, expansion=SimpleNamespace(log_delta=lambda at, way: np.array([np.log(known)]))
        ),
    )
    monkeypatch.setattr(objective, "log_hockey_stick", lambda traced, at, way: (np.log(straight), None))
    return Means._ratio(stub, np.asarray(shares), 0.1, "add")


def test_the_bar_of_drawn_lines_is_seven_halves_standard_errors_of_the_better_estimate(monkeypatch):
    rng = np.random.default_rng(0)
    plain, wild = 2 + 0.1 * rng.normal(size=8), np.exp(3 * rng.normal(size=8))
    value, bar = ratio(plain, wild, 2.0, monkeypatch)
    assert (value, bar) == pytest.approx((np.log(plain.mean()), 3.5 * plain.std(ddof=1) / np.sqrt(8) / plain.mean()))
    near = np.exp(0.2 * rng.normal(size=8))
    quotient = 1 + 0.01 * rng.normal(size=8)
    expected = np.log(quotient.mean()), 3.5 * quotient.std(ddof=1) / np.sqrt(8) / quotient.mean()
    assert ratio(near * quotient, near, 1.0, monkeypatch) == pytest.approx(expected)


def test_where_a_bend_jumps_the_bar_has_lines_that_none_of_the_draws_has_met(monkeypatch):
    """As many as are missed once in a hundred times, each with as large a part as the largest that was met."""
    weight = np.array([0.15, 0.14, 0.13, 0.13, 0.12, 0.12, 0.11, 0.1])
    values, wild = 0.125 / weight, np.exp(3 * np.random.default_rng(0).normal(size=8))
    assert ratio(values, wild, 1.0, monkeypatch, False, weight)[1] == pytest.approx(0, abs=1e-12)
    assert ratio(values, wild, 1.0, monkeypatch, True, weight)[1] == pytest.approx(4.6 * 0.125)
    share = 1 + 0.01 * np.random.default_rng(1).normal(size=8)
    quotient = 1 / share
    spread = 3.5 * quotient.std(ddof=1) / np.sqrt(8) / quotient.mean()
    unseen = 4.6 * 0.125 * np.abs(1 / quotient.mean() - share).max()
    assert ratio(values, values * share, 1.0, monkeypatch, True, weight)[1] == pytest.approx(spread + unseen)


@pytest.mark.parametrize("known", [3.0, 1 / 3.0])
def test_two_estimates_that_disagree_widen_the_bar(known, monkeypatch):
    rng = np.random.default_rng(0)
    straight = np.exp(0.02 * rng.normal(size=8))
    parts = straight * (1 + 0.001 * rng.normal(size=8))
    value, bar = ratio(parts, straight, known, monkeypatch)
    assert value == pytest.approx(np.log(known), abs=0.01)
    assert bar == pytest.approx(2, abs=0.1)


class Straight(Means):
    """Whose log δ/δ falls along two lines, one a direction, with what cells and lines leave open."""

    final, dimension = True, 2

    def __init__(self, high=(2.0, 3.0), depth=0.0):
        self.cells, self.record, self.high = SimpleNamespace(depth=depth), SimpleNamespace(depth=0.0), high

    def seen(self, epsilon, direction):
        middle = 10 * (self.high[direction == "add"] - epsilon)
        return middle - 0.5, middle + 1.0

    def correction(self, epsilon, direction):
        return 0.2, 0.3


BELOW, ABOVE = -np.log(0.7), np.log(1.3)


def test_a_bracket_is_of_the_larger_direction_with_both_bars():
    assert Straight().bracket() == pytest.approx((3 + (-0.5 + 0.2 - BELOW) / 10, 3 + (1.0 + 0.2 + ABOVE) / 10))
    assert Straight((3.0, 2.0)).bracket(within=True) == pytest.approx((3 + (-0.5 + 0.2) / 10, 3 + (1.0 + 0.2) / 10))
    assert Straight(depth=-1.0).bracket()[0] == pytest.approx(3 + (-0.5 + 0.2 - BELOW) / 10 - 0.1)
    assert Straight((2.0, NO_PRIVACY)).bracket() == pytest.approx((NO_PRIVACY + (-0.3 - BELOW) / 10, np.inf))
    assert Straight((-1.0, -2.0)).bracket() == (0.0, 0.0)


@pytest.mark.parametrize(("unknown", "low", "high"), [("remove", 3.0, 3.0), ("add", 2.0, np.inf)])
def test_what_is_off_by_all_of_it_is_only_told_from_the_larger_direction(unknown, low, high, monkeypatch):
    """Though far beyond, where no line has anything, all lines agree."""

    def correction(means, epsilon, way):
        return 0.0, 1.5 if way == unknown and epsilon < 100 else 0.0

    monkeypatch.setattr(Straight, "correction", correction)
    assert Straight().bracket() == pytest.approx((low - 0.05, high + 0.1))


def test_what_is_refused_before_any_line_is_drawn_is_beyond_the_largest_epsilon():
    """A record alone under the squared loss: its two laws are normal, and δ at the largest ε is known to 50 digits."""
    delta, refused = 1e-4, []
    for shift in np.linspace(38, 46, 33):
        mechanism = dp.ObjectivePerturbation(sigma=1.0, lam=10.0, loss="squared", lipschitz=1.0)
        record = exact_record(
            dp.Dataset.from_arrays(np.array([[1.0], [0.0]]), np.array([shift, 0.0])), mechanism, 0, delta
        )
        refused.append(record._beyond)
        assert not refused[-1] or stick(1.1, shift, NO_PRIVACY, "add") > delta
    assert (refused[0], refused[-1]) == (False, True)
