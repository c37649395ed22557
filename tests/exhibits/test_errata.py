"""The picture of an erratum: its two numbers can be told apart, their words stand where nothing else is."""

import numpy as np
import pytest

from dpcore.errata import ERRATA, Sweep, numbers_of, sweep_of
from dpcore.exhibits.errata.figure import erratum_figure
from dpcore.exhibits.errata.view import Mark, chosen
from dpcore.mechanisms import Parameter
from tests import every

ALIKE = 0.05  # relative difference of two numbers that no part of their curves shows far apart
X = np.geomspace(0.1, 10, 33)


def sweep(printed, corrected, *, scale="log"):
    return Sweep(Parameter("a", "a", "a", 1.0, 0.1, 10.0, scale), X, printed, corrected, corrected)


@every.each(ERRATA)
def test_the_two_numbers_of_the_headline_are_apart(key):
    record = ERRATA[key]
    given = tuple(record.defaults.items())
    found, at = numbers_of(key, given), given[0][1]
    values = found.printed, found.computed
    view = chosen(sweep_of(key, given), at, values)
    assert view.apart(values) > 0.09 or values[0] == pytest.approx(values[1], rel=ALIKE)
    assert 0 <= view.across(at) <= 1
    assert all(0 <= view.up(value) <= 1 for value in values)


def test_what_cannot_be_shown_has_no_dot():
    one = sweep(X**3, 100 * X**3)
    fig = erratum_figure(one, "δ", 1.0, "light", marks=(Mark(np.inf, "printed ∞"), Mark(100.0, "computed 100")))
    assert (fig.data[-1].x, fig.data[-1].y, fig.data[-1].text) == ((1.0,), (100.0,), ("<b>computed 100</b>",))
    assert erratum_figure(sweep(X * np.nan, X * np.nan), "δ", 1.0, "light").layout.yaxis.range is None
