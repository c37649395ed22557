"""Axes and legends: ticks wherever a logarithmic axis lies, a frame that the choices fill, one entry for one thing."""

import itertools
from functools import partial
from html import unescape

import numpy as np
import plotly.graph_objects as go
import pytest

from dpcore.exhibits.lessons.figure import AXES, question_figure
from dpcore.exhibits.paper_figures import figure as statements
from dpcore.exhibits.per_instance import story_figure as story
from dpcore.exhibits.privacy_map.figure import _luminance, variant_map
from dpcore.exhibits.privacy_map.variants import Variant
from dpcore.exhibits.training import figure as training
from dpcore.figures.curves import largest_ratio, log_axis
from dpcore.individual.rows.groups import Subgroup
from dpcore.profiles.curves import Curve


@pytest.mark.parametrize(("ratio", "dtick"), [(1.3, None), (40.0, "D2"), (1e6, 1)])
def test_a_logarithmic_axis_has_ticks_over_any_range(ratio, dtick):
    fig = go.Figure()
    log_axis(partial(fig.update_yaxes), ratio)
    written = ".6~g" if ratio < 500 else None  # else 2 and 5 are written small, 1000 as 1e+3
    assert (fig.layout.yaxis.type, fig.layout.yaxis.dtick, fig.layout.yaxis.tickformat) == ("log", dtick, written)


def test_zeros_and_infinities_leave_the_ticks_of_a_logarithmic_axis_to_the_other_values():
    x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 1.0, 40.0, np.inf])
    fig = statements.lines([Curve("Mean", x, y)], "light", across="a", up="b")
    assert (fig.layout.yaxis.dtick, fig.layout.yaxis.type) == ("D2", "log")


def test_names_of_four_groups_stand_upright_on_a_phone():
    group = Subgroup("Objective perturbation", 442, (0.1, 0.2, 0.3, 0.4, 0.5), 0.3, 0.6)
    fig = story.boxes([group], "mechanism", "light")
    assert fig.layout.xaxis.ticktext == ("Objective<br>perturbation<br>442 rows",)
    assert fig.layout.xaxis.tickvals == fig.data[0].x == ("Objective perturbation<br>442 rows",)


@pytest.mark.parametrize("share", [True, False])
def test_an_axis_of_shares_is_written_in_per_cent_like_the_card_beside_it(share):
    fig = training.draws_figure([0.95, 0.96], {}, "test accuracy", "light", share=share)
    assert (fig.layout.xaxis.tickformat or "").endswith("%") == share


@pytest.mark.parametrize("key", AXES)
def test_the_axes_of_a_lesson_are_named_and_stand_still(key):
    across, up, *logs = AXES[key][:4]
    drawn = question_figure(key, 0.5, "light").layout
    for axis, title, log, ends in zip((drawn.xaxis, drawn.yaxis), (across, up), logs, AXES[key][4:], strict=True):
        assert unescape(axis.title.text) == title
        assert [10.0**end if log else end for end in axis.range] == pytest.approx(ends)


def test_a_cell_shows_epsilon_and_tells_the_other_definitions_with_their_units():
    asked = [
        Variant("a", "sup", "sup", "tv", 0.5, "why"), Variant("b", "sup", "sup", "epsilon", 7.0),
        Variant("c", "fixed", "fixed", "epsilon", 0.1), Variant("d", "mean", "mean", "kl", 2.0),
    ]  # fmt: skip
    fig = variant_map(asked, "light", outlined=("row 3", "70 × row 3"))
    written = [note.text for note in fig.layout.annotations[:4]]
    assert written == ["<b>7</b>", "b<br><b>70 × row 3</b>", "<b>0.1</b>", "c<br><b>row 3</b>"]
    told = [unescape(one) for one in fig.data[0].hovertext]
    assert told == ["a: 0.5 (probability). why<br>b: 7 nats", "c: 0.1 nats", "d: 2 nats"]
    assert fig.data[0].customdata == (1, 2, 3)
    assert [shape.line.width for shape in fig.layout.shapes] == [4, 4, 0, *[1] * 6]


def test_each_definition_stands_in_the_cell_of_what_it_takes_over_data_sets_and_over_records():
    steps = {"fixed": 0, "mean": 1, "quantile": 1, "sup": 2}
    for across, up in itertools.product(steps, steps):
        fig = variant_map([Variant("a", across, up, "epsilon", 0.1, "")], "light")
        assert (fig.data[0].x, fig.data[0].y) == ((steps[across],), (steps[up],))
        cell = fig.layout.shapes[0]
        assert (cell.x0 < steps[across] < cell.x1, cell.y0 < steps[up] < cell.y1) == (True, True)
        assert {(note.x, note.y) for note in fig.layout.annotations[:2]} == {(steps[across], steps[up])}
        empty = {(note.x, note.y) for note in fig.layout.annotations[2:]}
        assert empty == {*itertools.product(range(3), repeat=2)} - {(steps[across], steps[up])}
    for axis in (fig.layout.xaxis, fig.layout.yaxis):
        for word, text in zip(("fixed", "mean or quantile", "supremum"), axis.ticktext, strict=True):
            assert word in text


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_text_of_every_cell_can_be_read_on_its_colour(mode):
    values = [0.0, *np.geomspace(1e-3, 1e3, 25), np.inf]
    fills = []
    for value in values:
        fig = variant_map([Variant("a", "fixed", "mean", "epsilon", float(value))], mode)
        fills.append(fill := fig.layout.shapes[0].fillcolor)
        background = _luminance(np.array([int(fill[i : i + 2], 16) for i in (1, 3, 5)]))
        for note in fig.layout.annotations[:2]:
            ink = {"black": 0.0, "white": 1.0}[note.font.color]
            assert (max(ink, background) + 0.05) / (min(ink, background) + 0.05) >= 4.5
    assert len(set(fills)) > 10


def test_what_a_logarithmic_axis_cannot_show_does_not_widen_it():
    assert largest_ratio([0.0, 2.0, np.inf, 8.0, np.nan, -1.0]) == 4.0
    assert largest_ratio([]) == largest_ratio([0.0]) == 1.0
