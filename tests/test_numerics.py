"""Special functions and the Laplace-type integral against arbitrary precision and closed forms."""

from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

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


def test_increasing_roots_are_found_in_few_rounds_side_by_side():
    """Easy and hard ones, in a bracket of 24 decades: a hard one must not disturb one that is found."""
    roots, rounds = np.array([1e-9, 0.3, 1.0, 5.0, 1e6, 1e11]), []

    def logarithmic(x):
        rounds.append(x)
        return np.arcsinh(x) - np.arcsinh(roots), 1 / np.sqrt(1 + x * x)

    def exponential(x):
        rounds.append(x)
        grown = np.exp(np.minimum(x, 700))
        return x + grown - 1 - roots, 1 + grown

    wide = np.full(roots.size, 1e12)
    assert numerics.increasing_roots(logarithmic, -wide, wide, 0 * wide) == pytest.approx(roots, rel=1e-14)
    assert len(rounds) <= 14
    rounds.clear()
    with mp.workdps(40):
        truth = [float(mp.mpf(r) + 1 - mp.lambertw(mp.exp(mp.mpf(r) + 1))) for r in roots[:4]]
        truth += [float(mp.findroot(lambda x, r=r: x + mp.exp(x) - 1 - r, mp.log(r))) for r in roots[4:]]
    assert numerics.increasing_roots(exponential, -wide, wide, 0 * wide) == pytest.approx(truth, rel=1e-13)
    assert len(rounds) <= 24
