"""The picture of an erratum: its two numbers can be told apart, their words stand where nothing else is."""

import re

import numpy as np
import pytest

from dpcore.errata import ERRATA, Sweep, numbers_of, sweep_of
from dpcore.exhibits.errata.changes import coloured, parsed
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


def test_the_bar_reaches_from_one_number_to_the_other_and_a_kept_claim_is_drawn_once():
    kept = sweep(X**0, X**0)
    fig = erratum_figure(kept, "ε", 1.0, "light", marks=(Mark(1.0, "claimed 1"), Mark(9.0, "true 9")))
    bar = next(one for one in fig.data if one.name == "from one to the other")
    assert (bar.x, bar.y) == ((1.0, 1.0), (1.0, 9.0))
    assert [one.name for one in fig.data].count("corrected") == 0


@pytest.mark.parametrize(("printed", "right", "wrong_part", "right_part"), [
    (r"a-\log b", r"a+\log b", ["-"], ["+"]),
    (r"\tfrac12x", r"\tfrac32x", ["1"], ["3"]),
    (r"\frac{g}{n}", r"\frac gb,\ b", ["n"], ["b", r",\ b"]),
    (r"e^{-2x}y", r"e^{-x}y", ["2"], []),
    (r"x^2+y", r"x+y", ["2"], []),
    (r"\text{all of it}", "x", [], []),
])  # fmt: skip
def test_only_what_differs_is_in_colour(printed, right, wrong_part, right_part):
    said = (re.findall(r"\\textcolor\{#\w+\}\{(.*?)\}", one) for one in coloured(printed, right))
    assert list(said) == [wrong_part, right_part]


@every.each(ERRATA)
def test_colour_changes_no_formula(key):
    record = ERRATA[key]
    for given, drawn in zip(
        (record.printed_latex, record.corrected_latex),
        coloured(record.printed_latex, record.corrected_latex),
        strict=True,
    ):
        assert bare(drawn) == bare(given)
        assert drawn.count("{") == drawn.count("}")


def bare(latex):
    """Letters and signs of a formula, without braces, spaces and colours."""
    return re.sub(r"[{}\s]", "", re.sub(r"\\textcolor\{#\w+\}", "", latex)).replace("\\mathbbR", "\\mathbb R")


def test_a_formula_is_read_as_a_tree():
    (fraction, left) = parsed(r"\tfrac1{n_e}\left(x\right)")
    assert [len(one) for one in fraction.inside] == [1, 2]
    assert (left.head, left.end, len(left.inside[0])) == (r"\left(", r"\right)", 1)
