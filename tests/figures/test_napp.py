"""Figures of noise augmentation, read off their traces: which number lies where, and what is solid, dashed or crossed."""

from types import SimpleNamespace

import numpy as np
import pytest

from dpcore.exhibits.noise_augmentation import figure as napp

METHODS = ("NAPP", "DP-ERM")
SCORES = ("prediction error", "false positives", "true positives")
STRENGTHS, EPSILONS = (0.1, 1.0, 10.0), (0.4, 1.0)


def of(name, score, epsilon):
    """No two numbers alike."""
    return 100 * METHODS.index(name) + 10 * SCORES.index(score) + epsilon + np.arange(3) / 7


SUMMARY = SimpleNamespace(strengths=STRENGTHS, epsilons=EPSILONS, of=of, error_of=lambda *asked: of(*asked) / 50)


def test_errors_against_the_budget_have_a_panel_for_each_strength():
    fig = napp.budget_figure(SUMMARY, [2, 0], METHODS, "error", "light", printed={"DP-ERM": 0.25})
    assert [note.text for note in fig.layout.annotations] == ["Λ = 10", "Λ = 0.1"]
    for panel, at in enumerate([2, 0]):
        *methods, star = fig.data[3 * panel : 3 * panel + 3]
        for trace, name in zip(methods, METHODS, strict=True):
            expected = [of(name, "prediction error", epsilon)[at] for epsilon in EPSILONS]
            assert (trace.x, list(trace.y)) == (EPSILONS, expected)
            assert trace.error_y.array == pytest.approx([value / 50 for value in expected])
        assert [trace.line.dash for trace in methods] == ["solid", "dash"]
        assert (star.x, star.y, star.marker.symbol) == ((1.0,), (0.25,), "star-open")
        assert "25.0 %" in star.name
        assert {trace.xaxis for trace in fig.data[3 * panel : 3 * panel + 3]} == {("x", "x2")[panel]}
    assert {axis.matches for axis in (fig.layout.yaxis, fig.layout.yaxis2)} == {"y"}, "errors are compared across"


def test_a_score_against_the_strength_and_the_roc_of_a_selection():
    fig = napp.simulation_figure(SUMMARY, "prediction error", 0.4, METHODS, "error", "light")
    for trace, name in zip(fig.data, METHODS, strict=True):
        assert (trace.x, list(trace.y)) == (STRENGTHS, list(of(name, "prediction error", 0.4)))
        np.testing.assert_allclose(trace.error_y.array, of(name, "prediction error", 0.4) / 50)
    fig = napp.selection_figure(SUMMARY, 1.0, METHODS, "light")
    for trace, name in zip(fig.data, METHODS, strict=False):
        assert list(trace.x) == list(of(name, "false positives", 1.0))
        assert list(trace.y) == list(of(name, "true positives", 1.0))
        assert tuple(trace.customdata) == STRENGTHS
    assert (fig.data[2].x, fig.data[2].y) == ((0, 1), (0, 1))


def test_the_measured_rate_lies_beside_the_claimed_slope():
    sizes = np.array([40, 160])
    two = np.array([[1.0, 2.0], [3.0, 4.0]])
    rows = {"data": two, "data_y": [0, 1], "rows": two + 4, "rows_y": [2, 3]}
    picture = SimpleNamespace(**rows, sizes=sizes, distance=np.array([0.5, 0.2]), here=0.3)
    data, rows = napp.rows_figure(picture, "light").data
    measured, claimed, here = napp.distance_figure(picture, (100, "100 rows"), "light").data
    assert (list(data.x), list(data.y)) == ([1.0, 3.0], [2.0, 4.0])
    assert (list(rows.x), list(rows.y)) == ([5.0, 7.0], [6.0, 8.0])
    assert (list(measured.x), list(measured.y)) == ([40, 160], [0.5, 0.2])
    assert (list(claimed.y), claimed.line.dash) == (pytest.approx([0.4, 0.2]), "dash")
    assert (here.x, here.y, here.text) == ((100,), (0.3,), ("<b>100 rows</b>",))


def test_a_law_has_a_gap_where_nothing_is_released_and_tells_its_atom():
    absent = np.array([0.2, 0.0, 0.3])
    laws = SimpleNamespace(theta=np.arange(3.0), absent=absent, present=np.ones(3), atoms=(0.25, 0.5))
    absent, present = napp.laws_figure(laws, "light").data
    np.testing.assert_array_equal(absent.y, [0.2, np.nan, 0.3])
    assert (absent.name, present.name) == ("record absent; P(θ = 0) = 0.250", "record present; P(θ = 0) = 0.500")
    assert (absent.line.dash, present.line.dash) == ("dash", "solid")


def test_the_claim_of_no_delta_is_crossed_and_lies_at_zero():
    deltas, names = {"certified": [0.0, 0.0, 0.0], "moor": [0.1, 0.3, 0.2]}, {"certified": "c", "moor": "m"}
    fig = napp.sweep_figure(STRENGTHS, deltas, names, 2.0, "light")
    for trace, values in zip(fig.data, deltas.values(), strict=False):
        assert (trace.x, list(trace.y)) == (STRENGTHS, values)
    claimed = fig.data[2]
    assert (set(claimed.y), claimed.line.dash, claimed.marker.symbol) == ({0.0}, "dash", "x")
    assert fig.layout.shapes[0].x0 == 2.0
    assert fig.layout.yaxis.range[0] < 0 < 0.3 < fig.layout.yaxis.range[1] < 0.35
