"""Sampled curves against an exponential waiting time of rate 1 or r, all of whose curves are known in both directions."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.exhibits.composition import composed_epsilon_curve, drift
from dpcore.exhibits.objective_perturbation import study as objective_perturbation
from dpcore.profiles import curves
from tests.accountants.homemade import WaitingTime, waiting_time_log_delta

RATE = 2.0
WAIT = WaitingTime(RATE)
SIDES = ("add", "remove")


@pytest.mark.parametrize("direction", SIDES)
def test_delta_curve_carries_epsilon_across_and_delta_up(direction):
    drawn = curves.delta_curve("wait", WAIT, 1.5, direction=direction)
    assert drawn.x[0] == 0
    assert drawn.x[-1] == 1.5
    for k in range(0, drawn.x.size, 29):
        truth = np.exp(waiting_time_log_delta(RATE, 1, float(drawn.x[k]), direction))
        assert np.isnan(drawn.y[k]) if truth == 0 else drawn.y[k] == pytest.approx(truth, rel=1e-9)
    assert np.isnan(drawn.y[drawn.x >= np.log(RATE)]).all() == (direction == "add")  # the loss ends at log r


def test_the_approach_to_a_pure_edge_is_sampled():
    drawn = curves.delta_curve("wait", WAIT, 1.5, direction="add")
    near = drawn.x[(drawn.x < np.log(RATE)) & (drawn.x > 0.999999 * np.log(RATE))]
    assert near.size >= 8


@pytest.mark.parametrize("direction", SIDES)
def test_tradeoff_curve_carries_false_alarms_across_and_misses_up(direction):
    """Long waits speak for the record: reject above t ("add": null Exp(r)) or below it ("remove": null Exp(1))."""
    drawn = curves.tradeoff_curve("wait", WAIT, direction=direction)
    truth = 1 - drawn.x ** (1 / RATE) if direction == "add" else (1 - drawn.x) ** RATE
    np.testing.assert_allclose(drawn.y, truth, atol=1e-7)
    assert (drawn.x[0], drawn.x[-1]) == (0, 1)
    assert (np.diff(drawn.x) > 0).all()


@pytest.mark.parametrize("direction", SIDES)
def test_renyi_curve_carries_the_order_across_and_the_divergence_up(direction):
    drawn = curves.renyi_curve("wait", WAIT, 1.8, direction=direction)
    order, (own, other) = drawn.x, (RATE, 1.0) if direction == "add" else (1.0, RATE)
    with np.errstate(divide="ignore", invalid="ignore"):
        truth = np.log(own / other) + np.log(own / (order * own + (1 - order) * other)) / (order - 1)
    truth[0] = np.log(own / other) + other / own - 1
    np.testing.assert_allclose(drawn.y, truth, rtol=1e-7)
    assert (order[0], order[-1]) == (1, pytest.approx(1.8))


@pytest.mark.parametrize("direction", SIDES)
def test_epsilon_curve_carries_delta_across_and_epsilon_up(direction):
    drawn = composed_epsilon_curve("wait", WAIT, lowest=-6, direction=direction)
    assert (drawn.x[0], drawn.x[-1]) == (pytest.approx(1e-6), pytest.approx(0.1))
    for delta, epsilon in zip(drawn.x, drawn.y, strict=True):
        assert np.exp(waiting_time_log_delta(RATE, 1, float(epsilon), direction)) == pytest.approx(delta, rel=1e-6)


@pytest.mark.parametrize("direction", SIDES)
def test_the_loss_drawn_has_the_law_of_its_direction(direction):
    """ω = ∓(log r − (r − 1)x) of a waiting time x drawn with the record ("remove") or without it."""
    found = drift([(WAIT, 1)], 0.3, direction, times=(1,))[0]
    draws = np.random.default_rng(0).exponential(1.0 if direction == "remove" else 1 / RATE, 200_000)
    losses = (np.log(RATE) - (RATE - 1) * draws) * (-1 if direction == "remove" else 1)
    assert found.mean == pytest.approx(losses.mean(), abs=0.01)
    width = found.losses[1] - found.losses[0]
    assert (found.losses * found.density).sum() * width == pytest.approx(found.mean, abs=0.02)
    up_to = np.searchsorted(np.sort(losses), found.losses + width / 2) / losses.size
    assert np.abs(np.cumsum(found.density) * width - up_to).max() < 0.01


@pytest.mark.parametrize("bound", ["tight", "hockey_stick"])
def test_guarantee_curve_keeps_what_the_bound_says_and_nothing_else(bound):
    mechanism = dp.ObjectivePerturbation(2.0, 1.2, 1.0, 1.0, bound)
    drawn = curves.guarantee_curve("bound", mechanism, 6.0, note="a note")
    delta = mechanism.delta(drawn.x)
    np.testing.assert_array_equal(drawn.y[delta < 1], delta[delta < 1])
    assert np.isnan(drawn.y[delta == 1]).all()
    assert (drawn.bound, drawn.note) == (mechanism.bound, "a note")


def test_a_sampled_curve_says_what_the_mechanism_says_of_itself():
    mechanism = dp.ObjectivePerturbation(8.0, 10.0, 1.0, 1.0, "hockey_stick")
    made = [
        curves.delta_curve("m", mechanism, 1.0, points=3),
        curves.tradeoff_curve("m", mechanism, points=6),
        curves.renyi_curve("m", mechanism, 3.0, points=3),
        composed_epsilon_curve("m", mechanism, lowest=-2),
    ]
    assert [curve.bound for curve in made] == [dp.Bound.UPPER] * 4


def test_ratio_divides_by_the_reference():
    x = np.array([0.0, 1.0, 2.0])
    top, bottom = curves.Curve("top", x, 6 * x + 6, dp.Bound.UPPER), curves.Curve("bottom", x, x + 1)
    found = curves.ratio(top, bottom)
    np.testing.assert_array_equal(found.y, 6.0)
    assert (found.name, found.bound) == ("top", dp.Bound.UPPER)


def test_table_is_long_and_says_what_each_curve_is():
    x = np.array([0.0, 1.0])
    table = curves.table([curves.Curve("a", x, x + 5), curves.Curve("b", x, x + 7, dp.Bound.CLAIMED)], "ε", "δ")
    said = ["exact", "exact", "claimed but refuted", "claimed but refuted"]
    expected = {"mechanism": list("aabb"), "is": said, "ε": [0.0, 1.0, 0.0, 1.0], "δ": [5.0, 6.0, 7.0, 8.0]}
    assert table.to_dict("list") == expected


def test_pin_is_the_envelope_of_one_guarantee():
    epsilon, delta = 0.7, 0.1
    first, second = curves.pin(epsilon, delta)
    x, y = np.array([*first[0], second[0][1]]), np.array([*first[1], second[1][1]])
    assert (first[0][1], first[1][1]) == (second[0][0], second[1][0])
    grid = np.linspace(0, 1, 101)
    envelope = np.maximum(0, np.maximum(1 - delta - np.exp(epsilon) * grid, np.exp(-epsilon) * (1 - delta - grid)))
    np.testing.assert_allclose(np.interp(grid, x, y, right=0.0), envelope, atol=1e-12)


def test_a_contour_leaves_out_noise_without_a_guarantee():
    found = objective_perturbation.guaranteed(np.array([1.0, 2.0, 3.0]), np.array([np.inf, 5.0, 4.0]))
    assert [part.tolist() for part in found] == [[2.0, 3.0], [5.0, 4.0]]
