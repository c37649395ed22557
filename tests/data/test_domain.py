"""The public domain, and the maps into it, against exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data import Domain
from dpcore.data.scaling import map_range, scale_rows
from dpcore.errors import ParameterError

finite = st.floats(allow_nan=False, allow_infinity=False)


def exact_square(row) -> Fraction:
    return sum((Fraction(float(entry)) ** 2 for entry in row), Fraction(0))


@pytest.mark.parametrize(("arguments", "message"), [
    ({"rows": "scale"}, "rows must be one of 'clip', 'normalize'"),
    ({"from_data": 1}, "from_data must be True, False, 'keep' or 'cap'"),
    ({"ranges": [("a", (0, 1))]}, "ranges must map column names"),
    ({"ranges": {"a": 3}}, "range of 'a' must be a pair"),
    ({"ranges": {"a": (1, 1)}}, "must have low < high"),
    ({"ranges": {"a": (0, float("inf"))}}, "high end of the range of 'a' must be finite"),
])  # fmt: skip
def test_domains_that_make_no_sense(arguments, message):
    with pytest.raises(ParameterError, match=message):
        Domain(**arguments)


def test_a_domain_is_a_value():
    ranges = {"b": (0, 2), "a": (1, 3)}
    one, two = Domain(ranges=ranges), Domain(1, 1, "clip", {"a": (1.0, 3.0), "b": (0.0, 2.0)})
    ranges["a"] = (0, 9)
    assert (one, hash(one), repr(one)) == (two, hash(two), repr(two))
    assert one.range_of("a") == (1.0, 3.0)
    assert one != Domain()
    with pytest.raises(TypeError):
        one.ranges["a"] = (0, 1)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(finite, finite, finite), min_size=1, max_size=8),
    st.sampled_from(["clip", "normalize"]),
    st.floats(min_value=1e-300, max_value=1e300),
)
def test_every_scaled_row_lies_in_the_ball(rows, rule, radius):
    X = np.array(rows)
    before = X.copy()
    scale_rows(X, Domain(row_norm=radius, rows=rule))
    for old, new in zip(before, X, strict=True):
        square, limit = exact_square(new), Fraction(radius) ** 2
        assert square <= limit * (1 + Fraction(1, 2**51))
        old_square = exact_square(old)
        if rule == "clip" and old_square < limit * (1 - Fraction(1, 10**13)):
            np.testing.assert_array_equal(new, old)
        elif old_square > 0 and radius > 1e-290:
            assert square >= limit * (1 - Fraction(1, 10**13))
            assert np.all(np.sign(new) * np.sign(old) >= 0)


def test_directions_are_kept():
    X = np.array([[30.0, 40.0], [0.3, 0.4], [0.0, 0.0], [1e308, 1e308], [-1e-310, 0.0]])
    clipped, normalized = X.copy(), X.copy()
    assert scale_rows(clipped, Domain(row_norm=2.0)) == 2
    assert scale_rows(normalized, Domain(row_norm=2.0, rows="normalize")) == 4
    half = np.sqrt(2.0)
    np.testing.assert_allclose(clipped, [[1.2, 1.6], [0.3, 0.4], [0, 0], [half, half], [-1e-310, 0]], rtol=2e-15)
    np.testing.assert_allclose(normalized, [[1.2, 1.6], [1.2, 1.6], [0, 0], [half, half], [-2, 0]], rtol=2e-15)


def test_rows_already_in_place_are_not_counted():
    X = np.array([[0.6, 0.8], [1.0, 0.0]])
    assert scale_rows(X, Domain(rows="normalize")) == 0
    assert scale_rows(np.nextafter(X, 2.0), Domain()) == 0


@settings(max_examples=300, deadline=None)
@given(finite, finite, finite, st.floats(min_value=1e-6, max_value=1e6))
def test_ranges_agree_with_exact_arithmetic(value, one, other, bound):
    low, high = min(one, other), max(one, other)
    if not (low / 2 < high / 2 and high - low > 1e-290):
        return
    (mapped,), clipped = map_range(np.array([value]), low, high, bound)
    inside = min(max(Fraction(value), Fraction(low)), Fraction(high))
    exact = Fraction(bound) * (2 * (inside - Fraction(low)) / (Fraction(high) - Fraction(low)) - 1)
    assert abs(Fraction(float(mapped)) - exact) <= Fraction(bound) * Fraction(1, 10**15)
    assert abs(mapped) <= bound
    assert clipped == (not low <= value <= high)
