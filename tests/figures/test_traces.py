"""What figures draw, read off their traces: which number lies on which axis, and what line style and marks say."""

from itertools import pairwise

import numpy as np
import pytest

import dpcore as dp
from dpcore.errata.record import Parameter, Sweep
from dpcore.exhibits.composition import DrawnLoss, drift
from dpcore.exhibits.composition import figure as composition
from dpcore.exhibits.errata import figure as errata
from dpcore.exhibits.exponential_mechanism import figure as exponential
from dpcore.exhibits.home import figure as home
from dpcore.exhibits.home.study import Threshold
from dpcore.exhibits.learning_limits import Filling
from dpcore.exhibits.learning_limits import figure as learning_limits
from dpcore.exhibits.log_concave import figure as log_concave
from dpcore.exhibits.objective_perturbation import figure as objective_perturbation
from dpcore.exhibits.output_perturbation import figure as output_perturbation
from dpcore.exhibits.per_instance import rows_figure as rows
from dpcore.exhibits.per_instance import story_figure as story
from dpcore.exhibits.per_instance.floor import Floor
from dpcore.exhibits.training import figure as training
from dpcore.exhibits.training.pictures import CoefficientSpread
from dpcore.exhibits.training.study import Series
from dpcore.figures import curves
from dpcore.individual.all_rows.pictured import Histogram, Points
from dpcore.individual.rows.cells import Cell
from dpcore.individual.rows.groups import Subgroup
from dpcore.profiles.curves import Curve, pin

X = np.array([0.1, 0.2, 0.4])
STYLES = {
    dp.Bound.EXACT: ("solid", 4),
    dp.Bound.UPPER: ("solid", 2),
    dp.Bound.LOWER: ("dot", 2.5),
    dp.Bound.CLAIMED: ("dash", 2),
    dp.Bound.ESTIMATE: ("dashdot", 2),
}


def of_every_kind(names):
    """One curve per kind of bound, no two numbers alike."""
    return [
        Curve(name, X * (k + 1), 0.01 * (k + 3) * X[::-1], bound)
        for k, (name, bound) in enumerate(zip(names, dp.Bound, strict=False))
    ]


def colors(names):
    return dict.fromkeys(names, "#123456")


ANY = ("a", "b", "c", "d", "e")
DRAWN = {
    "profile": (ANY, lambda c: curves.delta_figure(
        c, "light", colors=colors(ANY), log_scale=True, target=0.1, look_at=(0.3, 0.1)), "ε", "δ"),
    "trade-off": (ANY, lambda c: curves.tradeoff_figure(c, "light", colors=colors(ANY)), "type-I", "type-II"),
    "renyi": (ANY, lambda c: curves.renyi_figure(c, "light", colors=colors(ANY), look_at=2.0), "order", "D<sub>"),
    "bounds": (tuple(objective_perturbation.COLORS)[:5],
               lambda c: objective_perturbation.bounds_figure(c, "light", floor=1e-9), "ε", "δ"),
    "ratio": (tuple(objective_perturbation.COLORS)[:5], lambda c: objective_perturbation.ratio_figure(c, "light"),
              "ε", "δ ÷"),
    "renyi bounds": (tuple(objective_perturbation.COLORS)[:5],
                     lambda c: objective_perturbation.renyi_bounds_figure(c, "light"), "order", "divergence"),
    "accountants": (tuple(composition.COLORS)[:5],
                    lambda c: composition.accountants_figure(c, "light", target=0.1, look_at=(0.3, 0.1)), "ε", "δ"),
    "looseness": (tuple(composition.COLORS)[:5], lambda c: composition.looseness_figure(c, "light", target=0.1),
                  "δ", "ε ÷"),
    "growth": (tuple(composition.COLORS)[:5], lambda c: composition.growth_figure(c, "light"), "repetitions", "ε"),
    "renyi parts": (ANY, lambda c: composition.renyi_parts_figure(c, "light"), "order", "divergence"),
    "log-concave profile": (tuple(log_concave.COLORS), lambda c: log_concave.profile_figure(
        c, "light", {one.name: (0.2, 0.5, "") for one in c}), "ε", "δ"),
    "log-concave trade-off": (tuple(log_concave.COLORS),
                              lambda c: curves.tradeoff_figure(c, "light", colors=log_concave.COLORS), "type-I", "type-II"),
    "penalty": (tuple(output_perturbation.COLORS)[:5], lambda c: output_perturbation.lambda_figure(c, 0.2, "noise", "light"),
                "λ", "noise"),
    "risk": (tuple(exponential.COLORS)[:5], lambda c: exponential.landscape_risk_figure(c, 0.2, "light"), "ε", "excess"),
    "dimension": (tuple(exponential.COLORS)[:5], lambda c: exponential.dimension_figure(c, "light"), "dimension", "excess"),
}  # fmt: skip


def drawn(fig, curve):
    """The one trace that shows a curve's points, x across and y up."""
    found = [
        trace for trace in fig.data
        if np.shape(trace.x) == curve.x.shape and np.array_equal(trace.x, curve.x) and np.array_equal(trace.y, curve.y)
    ]  # fmt: skip
    assert len(found) == 1
    return found[0]


def line_of(fig, name):
    return next(trace for trace in fig.data if trace.name == name)


@pytest.mark.parametrize("key", DRAWN)
def test_curves_lie_as_given_and_their_style_says_what_they_are(key):
    names, make, across, up = DRAWN[key]
    given = of_every_kind(names)
    fig = make(given)
    for curve in given:
        trace = drawn(fig, curve)
        assert (trace.line.dash, trace.line.width) == STYLES[curve.bound]
        assert (trace.marker.symbol == "x") == (curve.bound is dp.Bound.CLAIMED)
        assert "lines" in trace.mode
        assert trace.mode == "lines" or curve.bound is dp.Bound.CLAIMED or key == "growth"
    assert across in fig.layout.xaxis.title.text
    assert up in fig.layout.yaxis.title.text


def test_a_legend_names_the_curve_and_what_it_is():
    given = of_every_kind(ANY)
    fig = DRAWN["profile"][1](given)
    assert [drawn(fig, curve).name for curve in given] == [f"{c.name} — {c.bound.value}" for c in given]
    noted = Curve("n", X, X, dp.Bound.UPPER, "of a paper")
    fig = curves.tradeoff_figure([noted], "light", colors={"n": "#123456"})
    assert drawn(fig, noted).name == "n — of a paper"
    assert drawn(fig, noted).line.color == "#123456"


@pytest.mark.parametrize("key", ["bounds", "accountants"])
def test_a_bound_that_says_nothing_says_so(key):
    names, make, *_ = DRAWN[key]
    silent = Curve(names[1], X, np.full(3, np.nan), dp.Bound.UPPER)
    fig = make([Curve(names[0], X, X), silent])
    assert fig.data[1].name in (f"{names[1]} — no guarantee", f"{names[1]} — nothing in this range")
    assert fig.data[0].name == f"{names[0]} — exact"


@pytest.mark.parametrize("key", ["profile", "accountants"])
def test_the_target_lies_across_and_the_point_looked_at_where_it_is(key):
    names, make, *_ = DRAWN[key]
    fig = make([Curve(names[0], X, X)])
    assert [(s.y0, s.y1, s.xref) for s in fig.layout.shapes] == [(0.1, 0.1, "paper")]
    ring = next(trace for trace in fig.data if trace.marker.symbol == "circle-open")
    assert (ring.x, ring.y) == ((0.3,), (0.1,))
    if key == "accountants":  # its target has a name, placed by exponent on a logarithmic axis
        assert fig.layout.annotations[0].y == pytest.approx(-1)
    order = DRAWN["renyi"][1]([Curve("a", X, X)]).layout.shapes[0]
    assert (order.x0, order.x1, order.yref) == (2.0, 2.0, "paper")


def test_tradeoff_figure_draws_the_diagonal_and_the_pin():
    fig = curves.tradeoff_figure([Curve("a", X, X)], "light", colors=colors(ANY), pinned_by=pin(1.0, 0.1))
    wanted = [*((tuple(x), tuple(y)) for x, y in pin(1.0, 0.1)), ((0, 1), (1, 0))]
    assert [(trace.x, trace.y) for trace in fig.data[1:4]] == wanted


def test_a_point_beyond_the_axis_is_named_instead_of_stretching_it():
    options = {"colors": colors(ANY), "log_scale": True, "target": 0.1}
    for look_at, where in (((8.0, 1e-9), "ε = 8 lies right of"), ((0.3, 1e-20), "at ε = 0.3 δ lies below")):
        fig = curves.delta_figure([Curve("a", X, X)], "light", look_at=look_at, **options)
        ring = next(trace for trace in fig.data if trace.marker.symbol == "circle-open")
        assert (ring.x, ring.y) == ((None,), (None,))
        assert where in fig.layout.annotations[-1].text
        assert fig.layout.xaxis.range == (0, 0.4)


def test_growth_has_guides_of_its_own_slopes():
    curve = Curve("PLD", np.array([1.0, 4.0, 100.0]), np.array([0.5, 1.1, 9.0]))
    fig = composition.growth_figure([curve], "light")
    assert (line_of(fig, "slope √k").y, line_of(fig, "slope k").y) == ((0.5, 1.0, 5.0), (0.5, 2.0, 50.0))


def test_the_loss_of_k_runs_and_its_tail_are_drawn_as_given():
    law, tail = np.array([0.1, 0.5, 0.2]), np.array([0.0, 0.0, 0.1])
    laws = [DrawnLoss(k, np.arange(3) / 2 - k, law * k, tail * k, 0.05 * k, 0.0, 0.2 * k) for k in (1, 4)]
    for law in laws:
        fig = composition.drift_figure(laws, law.times, "light", epsilon=0.7)
        density, tail, mean = fig.data
        for trace, values in ((density, law.density), (tail, law.tail)):
            np.testing.assert_array_equal(trace.x, law.losses)
            np.testing.assert_array_equal(trace.y, values)
        assert mean.x == (law.mean,)
        assert fig.layout.annotations[0].text == f"k = {law.times}<br>δ = {law.delta:.2g}"
        assert max(law.density) < fig.layout.yaxis.range[1]
        assert tail.fill == "tozeroy"
        assert fig.layout.shapes[0].x0 == 0.7
    real = drift([(dp.Gaussian(10.0), 1)], 1.0, "remove", (1, 2, 10, 50, 100))
    drawn = [composition.drift_figure(real, law.times, "dark", epsilon=1.0) for law in real]
    assert "δ &lt; 10<sup>−9</sup>" in drawn[0].layout.annotations[0].text
    tops = [fig.layout.yaxis.range[1] for fig in drawn]
    assert tops[0] > max(drawn[0].data[0].y)
    assert all(one in (two, 2 * two, 4 * two) for one, two in pairwise(tops)), "in coarse steps"
    assert len({fig.layout.xaxis.range for fig in drawn}) == 1


def test_calibration_plane_has_noise_across_and_penalty_up():
    regions = {"Tight": (np.array([1.0, 2.0]), np.array([5.0, 3.0]))}
    spot = ("rule", 1.7, 4.0, "star")
    fig = objective_perturbation.calibration_figure(regions, [spot], 0.9, "light")
    edge = line_of(fig, "Tight")
    assert (edge.x.tolist(), edge.y.tolist(), edge.fill) == ([1.0, 2.0], [5.0, 3.0], "tonexty")
    assert fig.data[0].y == (15.0, 15.0)  # filled up to the top of the picture
    assert (line_of(fig, "rule").x, line_of(fig, "rule").y) == ((1.7,), (4.0,))
    assert ("σ" in fig.layout.xaxis.title.text, "λ" in fig.layout.yaxis.title.text) == (True, True)


def test_each_guide_of_the_threshold_ends_on_the_axis_of_its_colour():
    """False alarms are shaded in the colour without Ada and read below, misses in that with her and read at the left."""
    at = Threshold(101.0, 0.2, 0.6)
    fig = home.attack_figure(Curve("T", np.array([0.0, 1.0]), np.array([1.0, 0.0])), at, "light")
    ends = {trace.line.color: (trace.x[0], trace.y[0], trace.x[1], trace.y[1]) for trace in fig.data[2:4]}
    assert ends == {home.WITHOUT: (0.2, 0, 0.2, 0.6), home.WITH: (0, 0.6, 0.2, 0.6)}
    assert (fig.layout.xaxis.title.text, fig.layout.yaxis.title.text) == ("false alarms", "misses")


def test_of_an_erratum_the_printed_numbers_are_crossed_out():
    sweep = Sweep(Parameter("a", "a", "the number a", 1.0, 0.1, 10.0), X, X + 1, X + 2, np.array([3.0, np.nan, 4.0]))
    fig = errata.erratum_figure(sweep, "δ", 0.2, "light")
    printed, corrected = line_of(fig, "as printed"), line_of(fig, "corrected")
    assert (tuple(printed.x), printed.y) == (tuple(X), tuple(X + 1))
    assert (tuple(corrected.x), corrected.y) == (tuple(X), tuple(X + 2))
    assert (printed.marker.symbol, printed.line.dash) == ("x", "dash")
    assert (corrected.mode, corrected.line.dash, corrected.line.width) == ("lines", "solid", 4)
    computed = line_of(fig, "computed")
    assert (computed.mode, computed.y, computed.marker.symbol) == ("markers", (3.0, None, 4.0), "circle-open")
    assert fig.layout.shapes[0].x0 == 0.2


def test_histogram_bars_stand_on_their_bins_and_marks_at_their_epsilon():
    binned = Histogram((0.1, 0.2, 0.5), (7, 3), 2, 4, False)
    marks = [rows.Marker("median row", 0.15, "median"), rows.Marker("worst", 0.45, "worst_case")]
    fig = rows.epsilon_histogram(binned, marks, "light")
    assert (fig.data[0].x, fig.data[0].width) == (pytest.approx((0.15, 0.35)), pytest.approx((0.1, 0.3)))
    assert fig.data[0].y == (7, 3)
    for mark, dash in zip(marks, ("solid", "dot"), strict=True):
        assert list(line_of(fig, mark.text).x) == [mark.epsilon, mark.epsilon]
        assert line_of(fig, mark.text).line.dash == dash
        assert line_of(fig, mark.text).text[1] == f" {mark.text} {mark.epsilon} "
    assert fig.layout.annotations[0].text == "2 rows at ε = 0; 4 rows at ε = ∞"


@pytest.mark.parametrize("log_scale", [False, True])
def test_the_words_of_a_line_stand_on_the_side_that_has_room(log_scale):
    binned = Histogram((0.1, 0.2, 0.5), (7, 3), 0, 0, log_scale)
    marks = [
        rows.Marker("low", 0.15, "median"),
        rows.Marker("middle", 0.6, "row"),
        rows.Marker("high", 0.9, "worst_case"),
    ]
    sides = [line_of(rows.epsilon_histogram(binned, marks, "light"), mark.text).textposition for mark in marks]
    assert sides == ["middle right", "middle left", "middle left"]
    (moving,) = [one for one in rows.histogram_tracks([binned], [marks]) if one.path == "data[2].textposition"]
    assert list(moving.values) == ["middle left"]


def test_a_histogram_in_motion_is_at_each_position_the_one_drawn_there():
    frames = [
        (Histogram(np.array([0.1, 0.2, 0.5]), np.array([7, 3]), 0, 0, False), 0.15),
        (Histogram(np.array([0.1, 1.0, 40.0, 50.0]), np.array([4, 1, 5]), 0, 0, True), 2.0),
    ]
    lines = [[rows.Marker("median row", at, "median")] for _, at in frames]
    moving = {track.path: track.values for track in rows.histogram_tracks([binned for binned, _ in frames], lines)}
    for place, (binned, _) in enumerate(frames):
        fig = rows.epsilon_histogram(binned, lines[place], "light")
        for trace, names in enumerate((("x", "y", "width"), ("x", "y"))):
            for name in names:
                np.testing.assert_allclose(moving[f"data[{trace}].{name}"][place], fig.data[trace][name])
        for name in ("type", "dtick", "tickformat"):
            assert moving.get(f"layout.xaxis.{name}", [fig.layout.xaxis[name]] * 2)[place] == fig.layout.xaxis[name]
    assert moving["layout.xaxis.type"] == ["linear", "log"]
    assert [text[1] for text in moving["data[1].text"]] == [" median row 0.15 ", " median row 2 "]


def test_a_line_whose_place_is_not_known_leaves_its_place_among_the_others():
    known = [rows.Marker("median row", 0.15, "median"), rows.Marker("worst", 0.45, "worst_case")]
    unknown = [known[0], rows.Marker("any record", None, "for_all"), known[1]]
    binned = Histogram(np.array([0.1, 0.2, 0.5]), np.array([7, 3]), 0, 0, True)
    fig, without = (rows.epsilon_histogram(binned, lines, "light") for lines in (unknown, known))
    assert np.isnan(fig.data[2].x).all()
    assert fig.data[2].text == ("", "")
    assert fig.layout.xaxis == without.layout.xaxis
    moving = {track.path: track.values for track in rows.histogram_tracks([binned], [unknown])}
    assert np.isnan(moving["data[2].x"]).all()
    assert list(moving["data[3].x"][0]) == [0.45, 0.45]


def test_exposure_has_leverage_across_residual_up_and_epsilon_as_colour():
    points = Points(np.arange(3), np.array(list("abc"), dtype=object), X, X + 1, X + 2, True)
    fig = rows.exposure_scatter(points, "light")
    found = fig.data[0]
    seen = {"leverage": found.x, "residual": found.y, "epsilon": found.marker.color}
    for name, values in seen.items():
        np.testing.assert_array_equal(values, getattr(points, name))
    assert ("leverage" in fig.layout.xaxis.title.text, "residual" in fig.layout.yaxis.title.text) == (True, True)


def test_cells_lie_with_the_most_exposing_on_top_and_protecting_ones_in_another_colour():
    found = [Cell("age", "90", "40", 0.1, 0.3, 0.5, False), Cell("bmi", "20", "25", 0.9, -0.1, -0.2, False)]
    bars = story.cells(found, 0.6, "light").data[0]
    assert (bars.orientation, bars.x) == ("h", tuple(cell.contribution for cell in found[::-1]))
    assert bars.y == ("bmi 20", "age 90")
    assert bars.marker.color[0] != bars.marker.color[1]


def test_boxes_have_their_quantiles_in_order_and_worst_cases_as_bars():
    group = Subgroup("g", 3, (0.1, 0.2, 0.3, 0.4, 0.5), 0.3, 0.6)
    box, largest, worst = story.boxes([group], "axis", "light", worst=[1.5]).data
    assert [box.lowerfence, box.q1, box.median, box.q3, box.upperfence] == [(0.1,), (0.2,), (0.3,), (0.4,), (0.5,)]
    assert (largest.y, worst.y) == ((0.6,), (1.5,))


def test_floors_are_dotted_below_their_own_curve():
    fig = story.floor(Floor(X, X + 1, X + 2, 0.7, 0.8), "light", row="row 4", now=0.2)
    for name, values, lowest in (("row 4", X + 1, 0.7), ("median row", X + 2, 0.8)):
        np.testing.assert_array_equal(line_of(fig, name).x, X)
        np.testing.assert_array_equal(line_of(fig, name).y, values)
        assert line_of(fig, f"floor, {name}").y == (lowest, lowest)
        assert line_of(fig, f"floor, {name}").line.dash == "dot"


def test_bins_fill_up_and_what_is_above_one_is_drawn_as_too_much():
    held = Filling(np.array([1, 2, 4]), np.array([1, 3, 5]), np.array([0.9, 0.98, 1.06]), 1.06, 5)
    fig = learning_limits.filling_figure(held, "light")
    within, over, marks = fig.data
    assert (within.base, within.y) == (0, pytest.approx((0.9, 0.98, 1.0)))
    assert (over.base, over.y) == (1, pytest.approx((0, 0, 0.06)))
    assert (tuple(within.x), tuple(within.width)) == ((1, 2.5, 4.5), (1, 2, 2))
    assert (marks.x, marks.y) == ((5.5, 5.0), (1.06, 1))
    assert marks.text == ("<b>5 bins need 1.06</b>", "<b>full at bin 5</b>")
    assert [frame.name for frame in fig.frames] == ["1 bin needs 0.9", "3 bins need 0.98", "5 bins need 1.06"]
    assert [trace.y for trace in fig.frames[1].data] == [(0.9, 0.98, 0), (0, 0, 0), (0.98, 1)]


def test_only_the_claim_of_a_study_is_crossed_and_dashed():
    def series(name, up):
        return Series(name, "accuracy", X, X + up, np.full(3, 0.1), np.ones(3, dtype=int))

    both = [series("DP-SGD, honest", 1.0), series("DP-SGD, dishonest", 2.0)]
    fig = training.study_figure(both, 0.9, "score", "light")
    honest, dishonest = fig.data
    assert (honest.line.dash, honest.marker.symbol) == ("solid", "circle")
    assert (dishonest.line.dash, dishonest.marker.symbol) == ("dash", "x")
    assert dishonest.name == "DP-SGD, dishonest — claimed, not a guarantee"
    np.testing.assert_array_equal(honest.x, X)
    np.testing.assert_array_equal(honest.y, X + 1)
    assert honest.error_y.array == pytest.approx((0.2, 0.2, 0.2))
    assert fig.layout.shapes[0].y0 == 0.9

    fig = training.excess_figure([series("DP-SGD, honest", 1.0)], [series("DP-SGD, honest", 2.0)], "light")
    assert [(trace.line.dash, trace.y) for trace in fig.data] == [("solid", tuple(X + 1)), ("dot", tuple(X + 2))]


def test_coefficients_lie_in_their_own_interval():
    spread = CoefficientSpread(("a", "b"), np.array([1.0, 2.0]), np.array([0.5, 1.5]), np.array([1.6, 2.7]))
    draws, centre = training.coefficients_figure(spread, "light").data
    assert (draws.x, draws.y) == ((0, 0, None, 1, 1, None), (0.5, 1.6, None, 1.5, 2.7, None))
    np.testing.assert_array_equal(centre.y, spread.centre)
