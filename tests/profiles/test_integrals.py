"""Integrals against decreasing curves: closed forms, kinks where rules are blind, chords where kinks are too many."""

import mpmath as mp
import numpy as np
import pytest
from scipy import special

from dpcore.profiles.integrals import log_exponential_integrals
from tests import oracles


def line(scale: float):
    def log_f(x):
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(1 - x / scale, 0.0))

    return log_f


@pytest.mark.parametrize("scale", [1e-18, 1e-3, 1.0, 50.0, 1e6])
def test_integrals_of_a_kinked_line(scale):
    """∫_0^s e^{rx}(1 − x/s) dx = s (e^u − 1 − u)/u² at u = rs."""
    rates = np.array([-1e4, -1.0, -1e-9, 1e-9, 1.0, 30.0, 700.0]) / scale
    values = log_exponential_integrals(line(scale), rates)
    for value, rate in zip(values, rates, strict=True):

        def truth(rate=rate):
            u = mp.mpf(rate) * mp.mpf(scale)
            return mp.log(mp.mpf(scale) * (mp.expm1(u) - u) / u**2)

        with mp.workdps(40):
            assert abs(value - oracles.settled(truth)) <= 1e-11
    assert log_exponential_integrals(line(scale), np.zeros(1)) == pytest.approx(np.log(scale / 2), abs=1e-11)


def test_integrals_of_a_gaussian_over_a_wide_range_of_rates():
    rates = np.concatenate([-np.geomspace(1e6, 1e-6, 20), [0.0], np.geomspace(1e-6, 1e6, 20)])
    values = log_exponential_integrals(lambda x: -0.5 * np.square(np.minimum(x, 1e150)), rates)
    up, down = rates**2 / 2 + np.log(2) + special.log_ndtr(rates), np.log(special.erfcx(np.maximum(-rates, 0) / 2**0.5))
    truth = 0.5 * np.log(np.pi / 2) + np.where(rates > 0, up, down)
    np.testing.assert_allclose(values, truth, rtol=1e-13, atol=1e-13)


def test_integrals_that_diverge_and_that_vanish():
    rates = np.array([0.5, 0.999, 1.0, 2.0])
    np.testing.assert_allclose(
        log_exponential_integrals(lambda x: -x, rates), [np.log(2), np.log(1000), np.inf, np.inf], rtol=1e-12
    )
    powers = [log_exponential_integrals(lambda x, p=p: -p * np.log1p(x), np.zeros(1)) for p in (0.5, 2.0)]
    np.testing.assert_allclose(powers, [[np.inf], [0.0]], atol=1e-11)
    nothing = log_exponential_integrals(lambda x: np.full(x.shape, -np.inf), np.array([-1.0, 3.0]))
    np.testing.assert_array_equal(nothing, -np.inf)
    assert log_exponential_integrals(lambda x: -x, np.empty(0)).shape == (0,)


def test_integrals_do_not_depend_on_the_company_of_other_rates():
    many = -np.geomspace(1e-3, 1e3, 600)
    together = log_exponential_integrals(line(2.0), many)
    alone = np.concatenate([log_exponential_integrals(line(2.0), many[[i]]) for i in (0, 299, 599)])
    np.testing.assert_allclose(together[[0, 299, 599]], alone, rtol=1e-12)


def test_integrals_of_many_kinks():
    """A convex staircase of 40 pieces, as a composed profile would be."""
    knots = np.linspace(0, 3, 41)
    heights = np.square(1 - knots / 3)

    def log_f(x):
        with np.errstate(divide="ignore"):
            return np.log(np.interp(x, knots, heights))

    rates = np.array([-2.0, 0.5, 4.0])
    for value, rate in zip(log_exponential_integrals(log_f, rates), rates, strict=True):
        pieces = [mp.quad(lambda x, r=rate: mp.exp(r * x) * float(np.interp(float(x), knots, heights)), knots.tolist())]
        assert value == pytest.approx(float(mp.log(mp.fsum(pieces))), abs=1e-10)
