"""Figures of the membership game, read off their traces: what was guessed, how often rightly, and the attack with its band."""

import itertools

import numpy as np
import pytest

from dpcore.audit import Limit
from dpcore.audit.match import Round
from dpcore.audit.membership import Roc
from dpcore.exhibits.audit import figure as audit
from tests.figures.test_traces import line_of

X = np.array([0.1, 0.2, 0.4])
ALLOWED, ATTACK = ": allowed by the claim", ": attack, with band"


def test_roc_has_false_alarms_across_and_the_band_around_the_attack():
    rates, hits = np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.8, 1.0])
    roc = Roc(rates, hits, np.array([rates + 0.1, hits - 0.2]), np.array([rates - 0.1, hits + 0.2]))
    fig = audit.roc_figure([audit.Attacked("a", roc, Limit(rates, hits + 0.05))], "light")
    allowed, shown = line_of(fig, "a" + ALLOWED), line_of(fig, "a" + ATTACK)
    assert (allowed.x.tolist(), allowed.y.tolist()) == (rates.tolist(), (1 - (hits + 0.05)).tolist())
    assert (shown.x.tolist(), shown.y.tolist(), shown.line.dash) == (rates.tolist(), (1 - hits).tolist(), "dot")
    low, high = fig.data[1:3]
    for side, x, y in ((low, rates + 0.1, 1 - (hits - 0.2)), (high, rates - 0.1, 1 - (hits + 0.2))):
        assert (side.x.tolist(), side.y.tolist()) == (x.tolist(), y.tolist())
    assert (fig.layout.xaxis.title.text, fig.layout.yaxis.title.text) == ("false alarms", "misses")


def test_of_two_attacks_each_has_the_colour_of_its_claim():
    limit = Limit(X, X)
    both = [audit.Attacked(name, Roc(X, X, np.array([X, X]), np.array([X, X])), limit) for name in "ab"]
    fig = audit.roc_figure(both, "light")
    claims, attacks = ([line_of(fig, name + words).line.color for name in "ab"] for words in (ALLOWED, ATTACK))
    assert (claims, len(set(claims))) == (attacks, 2)
    assert line_of(audit.roc_figure(both[:1], "light"), "a" + ATTACK).line.color not in claims


def test_a_guess_is_coloured_by_the_truth_and_crossed_out_where_it_was_wrong():
    history = [Round(1.0, True, True, True), Round(2.0, True, False, True), Round(3.0, False, False, True)]
    fig = audit.guess_figure((X, X + 1), 0.2, history, "output", "light")
    without, with_, absent, present = fig.data[:4]
    assert (without.name, with_.name) == ("without the record", "with the record")
    assert (absent.x, absent.marker.symbol, absent.marker.color) == ((3.0,), ("x",), without.line.color)
    assert (present.x, present.marker.symbol, present.marker.color) == ((1.0, 2.0), ("circle", "x"), with_.line.color)
    assert without.line.color != with_.line.color
    for trace, values in ((without, X), (with_, X + 1)):
        assert trace.y[0] == trace.y[-1] == 0
        for low, high, count in zip(trace.x[1:], trace.x[2:], trace.y[1:], strict=False):
            assert count == sum(low <= value < high for value in values)
    assert (fig.layout.shapes[0].x0, fig.layout.shapes[0].x1) == (0.2, 0.2)


def test_the_steps_of_a_guess_have_one_width_and_hold_every_output():
    """Wherever the lowest and the highest output come from."""
    for place, far in itertools.product(range(4), (-31.0, 31.0)):
        without, with_, shown, earlier = (far if k == place else 1.0 for k in range(4))
        sides = np.array([without, 0.0]), np.array([with_, 0.0])
        fig = audit.guess_figure(sides, shown, [Round(earlier, True, True, True)], "output", "light")
        low, high = min(far, 0.0), max(far, 1.0)
        edges, size = fig.data[0].x[1:], (high - low) / 20
        assert (edges[0], edges[-1]) == (low, high)
        assert np.diff(edges) == pytest.approx(size)
        assert [sum(trace.y) for trace in fig.data[:2]] == [2, 2]
        assert fig.layout.xaxis.range == pytest.approx((low - size, high + size))
        assert tuple(fig.data[1].x[1:]) == tuple(edges)
    same = audit.guess_figure((np.ones(2), np.ones(2)), 1.0, [], "output", "light")
    assert (same.data[0].x, same.data[0].y) == ((0.5, 0.5, 1.5), (0, 2, 0))


def test_the_score_of_a_player_is_not_that_of_the_best_attacker():
    fig = audit.score_figure((np.array([0.0, 0.5]), np.array([1.0, 0.5])), 0.7, "light")
    assert (line_of(fig, "you").x, line_of(fig, "you").y.tolist()) == ((1, 2), [0.0, 0.5])
    assert (line_of(fig, "optimal").y.tolist(), line_of(fig, "claim's limit").y) == ([1.0, 0.5], (0.7, 0.7))


def test_every_guess_has_its_place_and_the_first_is_a_mark():
    """A line through one point is not seen."""
    for played, end, mode in ((1, 10, "lines+markers"), (2, 10, "lines"), (12, 12, "lines")):
        fig = audit.score_figure((np.ones(played), np.ones(played)), 0.7, "light")
        assert (line_of(fig, "you").mode, len(line_of(fig, "you").x)) == (mode, played)
        assert fig.layout.xaxis.range == line_of(fig, "claim's limit").x == (0, end)
        assert fig.layout.yaxis.range[0] <= 0 < 1 < fig.layout.yaxis.range[1] < 1.1


def test_the_region_that_refutes_a_single_claim_reaches_up_to_its_curve_and_the_claim_is_named_where_errors_are_equal():
    limit = Limit(np.array([0.0, 0.1, 0.3, 1.0]), np.array([0.0, 0.4, 0.7, 1.0]))
    fig = audit.roc_figure([audit.Attacked("a", None, limit)], "light")
    allowed = line_of(fig, "a" + ALLOWED)
    assert (allowed.fill, fig.layout.showlegend) == ("tozeroy", False)
    named = {one.text: (one.x, one.y) for one in fig.layout.annotations}
    assert named["<b>the claim</b>"] == pytest.approx((0.3, 0.3))
    assert min(named["<b>down here the<br>claim is refuted</b>"]) >= 0
    two = audit.roc_figure([audit.Attacked(name, None, limit) for name in "ab"], "light")
    assert line_of(two, "a" + ALLOWED).fill is None
    assert two.layout.showlegend


def test_both_cases_are_named_at_their_peaks_on_the_outer_sides():
    for shift, sides in ((1, ["right", "left"]), (-1, ["left", "right"]), (0, ["right", "left"])):
        fig = audit.guess_figure((X, X + shift), 0.2, [], "output", "light")
        without, with_, shown = fig.layout.annotations
        assert (without.text, with_.text) == ("<b>without the record</b>", "<b>with the record</b>")
        assert [without.xanchor, with_.xanchor] == sides
        assert (without.y, with_.y) == tuple(max(trace.y) for trace in fig.data[:2])
        assert (shown.text, shown.x) == ("<b>this output</b>", 0.2)
