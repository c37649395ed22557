"""Axes and legends: ticks wherever a logarithmic axis lies, a frame that the choices fill, one entry for one thing."""

import itertools
from dataclasses import replace
from functools import partial
from html import unescape
from types import SimpleNamespace

import numpy as np
import plotly.graph_objects as go
import pytest

from dpcore.exhibits.lessons.figure import AXES, question_figure
from dpcore.exhibits.noise_augmentation import figure as napp
from dpcore.exhibits.paper_figures import figure as statements
from dpcore.exhibits.per_instance import settings_figure as settings
from dpcore.exhibits.per_instance import story_figure as story
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


def test_coefficients_near_0_do_not_flatten_the_scheme():
    alone = np.array([1.5, 40.0, np.inf])
    fig = napp.scheme_figure(SimpleNamespace(alone=alone, floor=1.0), "dark")
    bars, needed = fig.data[0], fig.data[-1]
    assert (list(bars.y), list(bars.customdata)) == ([1.5, 40.0, 100.0], ["1.5", "40", "inf"])
    assert not fig.layout.annotations
    assert (needed.name, set(needed.y)) == ("needed: 2Λ₀", {2.0})


@pytest.mark.parametrize(("worst", "kind"), [(60.0, None), (600.0, "log")])
def test_the_frame_is_that_of_settings_worth_choosing(worst, kind):
    noise = SimpleNamespace(name="sigma", symbol="σ")
    mechanism = SimpleNamespace(lam=1.0, sigma=1.0, noise=noise)

    def point(share, value):
        accuracy = SimpleNamespace(value=value, share=False, name="RMSE", higher_is_better=False)
        return SimpleNamespace(share=share, accuracy=accuracy, mechanism=mechanism)

    best = [point(0.1, 50.0), point(1.0, worst)]
    sweep = SimpleNamespace(now=best[0], target=0.5, points=[*best, point(0.5, 1e5)], frontier=lambda: best)
    found = SimpleNamespace(sweeps={"Posterior sample": sweep}, in_use=sweep, worth_choosing=best, place=lambda name: 1)
    fig = settings.settings(found, "light")
    assert {trace.marker.symbol for trace in fig.data[:2]} == {"square"}, "whichever mechanism comes first"
    low, high = fig.layout.yaxis.range
    assert fig.layout.yaxis.type == kind
    if kind:
        low, high = 10**low, 10**high
    assert low < 50 < worst < high < 1.5 * worst


def test_names_of_four_groups_stand_upright_on_a_phone():
    group = Subgroup("Objective perturbation", 442, (0.1, 0.2, 0.3, 0.4, 0.5), 0.3, 0.6)
    fig = story.boxes([group], "mechanism", "light")
    assert fig.layout.xaxis.ticktext == ("Objective<br>perturbation<br>442 rows",)
    assert fig.layout.xaxis.tickvals == fig.data[0].x == ("Objective perturbation<br>442 rows",)
    many = story.boxes([replace(group, label=label) for label in "abcde"], "mechanism", "light")
    assert (many.data[0].x, many.layout.xaxis.ticktext) == (tuple("abcde"), None)


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


def test_definitions_have_one_unit_said_once_and_numbers_on_a_phone():
    asked = [Variant("a", "fixed", "sup", "dp", 0.1, ""), Variant("b", "sup", "sup", "tv", 0.5, "why")]
    fig = story.variant_map(asked, "light")
    assert fig.data[0].text == ("a: 0.1", "b: 0.5 (probability)")
    assert "values in nats" in fig.layout.xaxis.title.text
    fig = story.variant_map(asked, "light", numbered=True)
    assert fig.data[0].text == ("1", "2")
    assert [unescape(one) for one in fig.data[0].hovertext] == ["a: 0.1.", "b: 0.5 (probability). why"]


def test_each_definition_stands_in_the_cell_of_what_it_takes_over_data_sets_and_over_records():
    """As many lines lie left of a point and below it as roles come before its own."""
    roles = ("fixed", "mean", "quantile", "sup")
    pairs = [pair for pair in itertools.product(roles, roles) for _ in range(3)]
    asked = [Variant("a", *pair, "dp", 0.1, "") for pair in pairs]
    fig = story.variant_map(asked, "light")
    assert [fig.layout[axis].ticktext for axis in ("xaxis", "yaxis")] == [("fixed", "mean", "quantile", "supremum")] * 2
    rows = np.array([line.y0 for line in fig.layout.shapes if line.y0 == line.y1])
    columns = np.array([line.x0 for line in fig.layout.shapes if line.x0 == line.x1])
    for (across, up), x, y in zip(pairs, fig.data[0].x, fig.data[0].y, strict=True):
        assert (np.sum(x > columns), np.sum(y > rows)) == (roles.index(across), roles.index(up))


def test_what_a_logarithmic_axis_cannot_show_does_not_widen_it():
    assert largest_ratio([0.0, 2.0, np.inf, 8.0, np.nan, -1.0]) == 4.0
    assert largest_ratio([]) == largest_ratio([0.0]) == 1.0
