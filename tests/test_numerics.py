"""Special functions and the Laplace-type integral against arbitrary precision and closed forms."""

from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from scipy import special

from dpcore import numerics
from tests import oracles

RNG = np.random.default_rng(20240506)


def mills(t: float) -> mp.mpf:
    t = mp.mpf(t)
    return mp.sqrt(mp.pi / 2) * mp.exp(t * t / 2) * mp.erfc(t / mp.sqrt(2))


def test_log1mexp():
    for x in (-1e-300, -1e-18, -0.1, -np.log(2), -0.7, -5.0, -40.0, -700.0):
        truth = oracles.settled(lambda x=x: oracles.log_one_minus_exp(mp.mpf(x)))
        oracles.assert_relative(numerics.log1mexp(np.array(x)), truth, 1e-15)
    assert numerics.log1mexp(np.array(0.0)) == -np.inf
    assert numerics.log1mexp(np.array(-np.inf)) == 0


def test_mills_ratio_and_its_slope():
    for t in (-5.0, -0.5, 0.0, 1.0, 7.99, 8.01, 37.0, 1e3, 1e8, 1e150):
        with mp.workdps(400):
            truth = mills(t) if t < 1e8 else 1 / mp.mpf(t)
            slope = 1 - mp.mpf(t) * mills(t) if t < 1e8 else 1 / mp.mpf(t) ** 2
            oracles.assert_relative(numerics.mills(np.array(t)), truth, 1e-14)
            oracles.assert_relative(numerics.mills_slope(np.array(t)), slope, 3e-14)
    assert numerics.mills_slope(np.empty(0)).shape == (0,)


@pytest.mark.parametrize("width", [1e-12, 1e-3, 0.2499, 0.2501, 1.0, 30.0])
def test_difference_of_mills_ratios(width):
    for a in (-min(1.0, width / 2), 0.0, 0.7, 8.0, 37.0, 1e3, 2e4, 2e6, 1e12):

        def truth(a=a):
            return mp.log(mills(a) - mills(mp.mpf(a) + mp.mpf(width)))

        def value(a=a):
            return numerics.log_mills_difference(np.array(a), np.array(width))

        if a > 1e5:  # there R(t) = 1/t − 1/t³ + … and two terms leave 1e-24
            b = mp.mpf(a) + mp.mpf(width)
            expected = mp.log(mp.mpf(width) / (a * b)) + mp.log1p(-(1 / mp.mpf(a) ** 2 + 1 / (a * b) + 1 / b**2))
        else:
            expected = oracles.settled(truth)
        assert abs(float(value(a) - expected)) <= (1e-12 if 100 < a < 1e4 else 2e-13)


def test_difference_of_mills_ratios_does_not_depend_on_its_neighbours():
    a, width = RNG.uniform(-0.1, 40, 300), 10 ** RNG.uniform(-3, 1, 300)
    together = numerics.log_mills_difference(a, width)
    alone = [numerics.log_mills_difference(np.array(x), np.array(w)) for x, w in zip(a, width, strict=True)]
    np.testing.assert_array_equal(together, alone)


def test_expm1_residual():
    for x in (1e-150, 1e-9, -1e-9, 0.29, 0.31, -0.31, -30.0, 5.0, 700.0):
        truth = oracles.settled(lambda x=x: mp.expm1(mp.mpf(x)) - mp.mpf(x), start=400)
        oracles.assert_relative(numerics.expm1_residual(np.array(x)), truth, 1e-15)
    assert numerics.expm1_residual(np.array(0.0)) == 0


def test_quotient_residual_completes_the_quotient():
    for _ in range(200):
        a, b = 10 ** RNG.uniform(-50, 50), 10 ** RNG.uniform(-40, 40)
        missing = Fraction(a) / Fraction(b) - Fraction(a / b)
        assert numerics.quotient_residual(a, b) == float(missing)
    assert numerics.quotient_residual(1.0, 4.0) == 0


def test_log_complement_has_twice_the_digits():
    for p in (5e-324, 1e-300, 1e-20, 1e-10, 0.1, 0.5, 0.9999, 1 - 2.0**-53):
        high, low = numerics.log_complement(p)
        truth = oracles.settled(lambda p=p: mp.log1p(-mp.mpf(p)), digits=40, start=400)
        with mp.workdps(400):
            assert abs(mp.mpf(high) + mp.mpf(low) - truth) <= mp.mpf(10) ** -31 * abs(truth) + mp.mpf(5e-324)


def line(scale: float):
    def log_f(x):
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(1 - x / scale, 0.0))

    return log_f


@pytest.mark.parametrize("scale", [1e-18, 1e-3, 1.0, 50.0, 1e6])
def test_integrals_of_a_kinked_line(scale):
    """∫_0^s e^{rx}(1 − x/s) dx = s (e^u − 1 − u)/u² at u = rs."""
    rates = np.array([-1e4, -1.0, -1e-9, 1e-9, 1.0, 30.0, 700.0]) / scale
    values = numerics.log_exponential_integrals(line(scale), rates)
    for value, rate in zip(values, rates, strict=True):

        def truth(rate=rate):
            u = mp.mpf(rate) * mp.mpf(scale)
            return mp.log(mp.mpf(scale) * (mp.expm1(u) - u) / u**2)

        with mp.workdps(40):
            assert abs(value - oracles.settled(truth)) <= 1e-11
    assert numerics.log_exponential_integrals(line(scale), np.zeros(1)) == pytest.approx(np.log(scale / 2), abs=1e-11)


def test_integrals_of_a_gaussian_over_a_wide_range_of_rates():
    rates = np.concatenate([-np.geomspace(1e6, 1e-6, 20), [0.0], np.geomspace(1e-6, 1e6, 20)])
    values = numerics.log_exponential_integrals(lambda x: -0.5 * np.square(np.minimum(x, 1e150)), rates)
    truth = 0.5 * np.log(np.pi / 2) + np.where(
        rates > 0,
        rates**2 / 2 + np.log(2) + special.log_ndtr(rates),
        np.log(special.erfcx(np.maximum(-rates, 0) / 2**0.5)),
    )
    np.testing.assert_allclose(values, truth, rtol=1e-13, atol=1e-13)


def test_integrals_that_diverge_and_that_vanish():
    rates = np.array([0.5, 0.999, 1.0, 2.0])
    np.testing.assert_allclose(
        numerics.log_exponential_integrals(lambda x: -x, rates), [np.log(2), np.log(1000), np.inf, np.inf], rtol=1e-12
    )
    powers = [numerics.log_exponential_integrals(lambda x, p=p: -p * np.log1p(x), np.zeros(1)) for p in (0.5, 2.0)]
    np.testing.assert_allclose(powers, [[np.inf], [0.0]], atol=1e-11)
    nothing = numerics.log_exponential_integrals(lambda x: np.full(x.shape, -np.inf), np.array([-1.0, 3.0]))
    np.testing.assert_array_equal(nothing, -np.inf)
    assert numerics.log_exponential_integrals(lambda x: -x, np.empty(0)).shape == (0,)


def test_integrals_do_not_depend_on_the_company_of_other_rates():
    many = -np.geomspace(1e-3, 1e3, 600)
    together = numerics.log_exponential_integrals(line(2.0), many)
    alone = np.concatenate([numerics.log_exponential_integrals(line(2.0), many[[i]]) for i in (0, 299, 599)])
    np.testing.assert_allclose(together[[0, 299, 599]], alone, rtol=1e-12)


def test_integrals_of_many_kinks():
    """A convex staircase of 40 pieces, as a composed profile would be."""
    knots = np.linspace(0, 3, 41)
    heights = np.square(1 - knots / 3)

    def log_f(x):
        with np.errstate(divide="ignore"):
            return np.log(np.interp(x, knots, heights))

    rates = np.array([-2.0, 0.5, 4.0])
    for value, rate in zip(numerics.log_exponential_integrals(log_f, rates), rates, strict=True):
        pieces = [mp.quad(lambda x, r=rate: mp.exp(r * x) * float(np.interp(float(x), knots, heights)), knots.tolist())]
        assert value == pytest.approx(float(mp.log(mp.fsum(pieces))), abs=1e-10)


@pytest.mark.parametrize("count", [4, 15])
def test_the_rule_on_the_unit_interval_is_exact_for_polynomials_and_panels_add_up_to_it(count):
    x, weight = numerics.gauss_legendre(count)
    degree = 2 * count - 1
    assert weight @ x**degree == pytest.approx(1 / (degree + 1), rel=1e-13)
    at, mass = numerics.panel_rule(np.array([-1.0, 0.25, 3.0]), count)
    assert at.shape == mass.shape == (2, count)
    assert (mass * at**3).sum() == pytest.approx((3.0**4 - 1) / 4, rel=1e-13)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 0.0
