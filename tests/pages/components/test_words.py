"""Numbers as people read them."""

import math

import pytest

from pages.components.controls import nearest, round_values
from pages.components.words import count, measured, number, power_of_ten, probability_from_log, times_from_log


def test_counts_have_no_decimals():
    assert [count(value) for value in (1234.0, 2.6e16)] == ["1\u202f234", "2.6\u00a0×\u00a010¹⁶"]


@pytest.mark.parametrize(("value", "text"), [
    (0, "0"),
    (0.99999999, "1.00"),
    (9990, "9990"),
    (9999, "1.0\u00a0×\u00a010⁴"),
    (1e-5, "10⁻⁵"),
    (1.94e-4, "1.9\u00a0×\u00a010⁻⁴"),
    (-0.5, "−0.500"),
    (math.inf, "∞"),
    (math.nan, "undefined"),
    (9.99e-8, "1.0\u00a0×\u00a010⁻⁷"),
    (5e-324, "4.9\u00a0×\u00a010⁻³²⁴"),
])  # fmt: skip
def test_number(value, text):
    assert number(value) == text


def test_probability_far_below_the_smallest_double():
    assert probability_from_log(-2000.0) == "2.6\u00a0×\u00a010⁻⁸⁶⁹"
    assert probability_from_log(-math.inf) == "0"
    assert power_of_ten(-15) == "10⁻¹⁵"
    assert times_from_log(math.log(2.44)) == "2.4\u00a0×"
    assert times_from_log(2000.0) == "3.9\u00a0×\u00a010⁸⁶⁸\u00a0×"
    assert times_from_log(math.inf) == "∞\u00a0×"


def test_sliders_stand_on_round_numbers_within_range():
    values = round_values(0.2, 20.0)
    assert values == sorted({*values, 0.5, 1.0, 8.0, 10.0})
    assert (values[0], values[-1], nearest(values, 8.1)) == (0.2, 20.0, 8.0)


@pytest.mark.parametrize(("value", "error", "text"), [
    (1.60583, 4.5e-4, "1.6058 ± 0.0005"),
    (1.6, 9.5e-4, "1.6000 ± 0.0010"),
    (12.3456, 0.031, "12.35 ± 0.04"),
    (321.0, 32.0, "321 ± 40"),
    (0.5, math.inf, "0.500 ± ∞"),
])  # fmt: skip
def test_a_number_is_written_as_far_as_its_bar_lets_one_know(value, error, text):
    assert measured(value, error) == text
    assert measured(0.31967, 1e-4, 1e-3) == "0.320 ± 0.001"
