"""Every rejected value is answered by a sentence with its name, its range and what was given."""

import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import dpcore as dp
from dpcore import validation

NOT_NUMBERS = ["1", None, True, np.bool_(True), [1.0], np.array([1.0, 2.0]), {}, 1j, Decimal(1), object]
NOT_FINITE = [math.nan, math.inf, -math.inf, np.float64("nan"), 10**400, -(10**400)]


@pytest.mark.parametrize(
    "check", [validation.real, validation.positive, validation.non_negative, validation.probability]
)
def test_numbers_must_be_real_and_finite(check):
    for bad in NOT_NUMBERS:
        with pytest.raises(dp.ParameterError, match=rf"^q must be a real number, got {re.escape(repr(bad))}$"):
            check("q", bad)
    for bad in NOT_FINITE:
        with pytest.raises(dp.ParameterError, match=r"^q must be finite, got -?(nan|inf)$"):
            check("q", bad)
    for good in (1, 0.5, np.float32(0.5), np.int64(1), Fraction(1, 3)):
        assert type(check("q", good)) is float
        assert check("q", good) == float(good)


def test_ranges():
    assert validation.non_negative("x", 0) == 0
    assert validation.positive("x", 5e-324) == 5e-324
    cases = [
        (validation.positive, 0.0, {}, "x must be > 0, got 0.0"),
        (validation.non_negative, -1e-9, {}, "x must be >= 0, got -1e-09"),
        (validation.probability, 1.5, {}, "x must be in [0, 1], got 1.5"),
        (validation.probability, 0, {"allow_zero": False}, "x must be in (0, 1], got 0.0"),
        (validation.open_probability, 1, {}, "x must be in (0, 1), got 1.0"),
        (validation.moderate, 1e-101, {}, "x must be in [1e-100, 1e+100], got 1e-101"),
    ]
    for check, value, options, sentence in cases:
        with pytest.raises(dp.ParameterError) as caught:
            check("x", value, **options)
        assert str(caught.value) == sentence


def test_whole_numbers():
    assert validation.integer("k", np.int32(7), minimum=2) == 7
    assert type(validation.integer("k", np.int32(7), minimum=2)) is int
    for bad in (2.0, "2", None, True, [2], math.nan):
        with pytest.raises(dp.ParameterError, match=r"^k must be a whole number, got"):
            validation.integer("k", bad, minimum=2)
    with pytest.raises(dp.ParameterError, match=r"^k must be >= 2, got 1$"):
        validation.integer("k", 1, minimum=2)


def test_arrays():
    for good in (1, [0.5, 1], (0.25,), np.array([[1, 2]]), pd.Series([1.0, 2.0]), [Fraction(1, 2)], [], np.uint8(3)):
        array = validation.real_array("x", good)
        assert array.dtype == float
        np.testing.assert_array_equal(array, np.asarray(good, dtype=float))
    np.testing.assert_array_equal(validation.real_array("x", [-np.inf, np.inf]), [-np.inf, np.inf])
    for bad in ("1", ["1.0"], None, [None], True, [True, False], 1j, [[1.0], [1.0, 2.0]], {}, object(), [10**400, "a"]):
        with pytest.raises(dp.ParameterError, match=r"^x must be a number or an array of numbers, got"):
            validation.real_array("x", bad)
    with pytest.raises(dp.ParameterError, match=r"^x must not contain nan$"):
        validation.real_array("x", [1.0, np.nan])
    with pytest.raises(dp.ParameterError, match=r"^x must be in \[0, 1\], got 1.5$"):
        validation.real_array("x", [0.5, 1.5], low=0, high=1)
    with pytest.raises(dp.ParameterError, match=r"^x must be in \[0, inf\], got -2$"):
        validation.real_array("x", [-2.0, -1.0], low=0)


@pytest.mark.parametrize("name", dp.MECHANISMS)
def test_every_parameter_of_every_mechanism_is_checked(name):
    entry = dp.MECHANISMS[name]
    defaults = {p.name: p.default for p in entry.parameters}
    for parameter in entry.parameters:
        for bad in (0, -1, math.nan, math.inf, "1", True, None, [1.0], np.array([1.0, 2.0])):
            with pytest.raises(dp.ParameterError) as caught:
                entry.build(**{**defaults, parameter.name: bad})
            sentence = str(caught.value)
            shown = {repr(bad), str(bad)} | ({str(float(bad))} if isinstance(bad, int | float) else set())
            assert sentence.startswith(f"{parameter.name} must ")
            assert any(sentence.endswith(f"got {text}") for text in shown), sentence


def test_secondary_parameters_and_quotients():
    for bad in (0, -1.0, math.nan, "1", None, True):
        with pytest.raises(dp.ParameterError, match=r"^sensitivity must"):
            dp.Gaussian(1.0, bad)
    with pytest.raises(dp.ParameterError, match=r"^sensitivity/sigma must be in \[1e-100, 1e\+100\], got 1e\+150$"):
        dp.Gaussian(1e-150)
    with pytest.raises(dp.ParameterError, match=r"^sensitivity/scale must be > 0, got 0.0$"):
        dp.Laplace(1e300, 1e-300)
    with pytest.raises(dp.ParameterError, match=r"^sensitivity/scale must be finite, got inf$"):
        dp.Laplace(1e-300, 1e300)
    with pytest.raises(dp.ParameterError, match=r"^rate must be in \(0, 1\], got 1.5$"):
        dp.Subsampled(dp.Gaussian(1.0), 1.5)
