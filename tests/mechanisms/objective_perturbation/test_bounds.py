"""Every published bound against 40-digit quadrature or the series its source prints."""

from __future__ import annotations

from functools import partial
from itertools import product

import mpmath as mp
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from dpcore.mechanisms.objective_perturbation import ObjectivePerturbation
from dpcore.mechanisms.objective_perturbation.hockey_stick import HalfNormalCurve, HalfNormalPair, HockeyStickBound
from dpcore.mechanisms.objective_perturbation.other_bounds import GaussianLowerBound, KiferBound, LectureBound
from dpcore.mechanisms.objective_perturbation.renyi import LinearisedBound, NonGlmBound, RenyiBound, log_chi_moment

ORDERS = (1.0, 1 + 1e-9, 1 + 1e-4, 1.5, 2.0, 10.0, 300.0)


def half_normal_delta(epsilon, shift, log_jump):
    """E[(1 − e^{ε−ω})_+] with ω = ℓ + Δ²/2 + |N(0, Δ²)|, by quadrature."""
    with mp.workdps(25):
        start, width = mp.mpf(log_jump) + mp.mpf(shift) ** 2 / 2, mp.mpf(shift)
        low = max(mp.mpf(0), (mp.mpf(epsilon) - start) / width)

        def density(z):
            return 2 * mp.npdf(z) * -mp.expm1(epsilon - start - width * z)

        return mp.log(mp.quad(density, [low + step / (1 + low) for step in (0, 0.5, 1, 2, 4, 8, 14, 20, 30, 45)]))


@pytest.mark.parametrize("shift", [1e-4, 0.999, 1.0, 9.0])
@pytest.mark.parametrize("log_jump", [0.0, 0.3])
def test_hockey_stick_bound_is_the_half_normal_loss(shift, log_jump):
    start = log_jump + shift**2 / 2
    epsilon = np.array(
        [0.0, 0.5 * start, start * (1 - 1e-9), start, start + 0.1 * shift, start + 4 * shift, start + 15 * shift]
    )
    got = HockeyStickBound(shift, log_jump).log_delta(epsilon)
    expected = [float(half_normal_delta(e, shift, log_jump)) for e in epsilon]
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("epsilon", [-1.5, -0.2, 0.0, 0.3, 1.1, 4.0])
def test_the_half_normal_pair_is_that_of_its_densities(epsilon):
    """∫[P − e^ε Q]₊ of Lemma D.4 with the shift of D.6, also below ε = 0; the rest of Q lies where P has no mass."""
    sigma, lipschitz, log_jump = 2.0, 1.4, 0.25
    height = 2 / mp.sqrt(2 * mp.pi * sigma**2)

    def gap(x):
        q = mp.exp(-log_jump) * mp.exp(-((x + lipschitz) ** 2) / (2 * sigma**2))
        return height * max(mp.exp(-(x**2) / (2 * sigma**2)) - mp.exp(epsilon) * q, 0)

    crossing = max(0.0, (epsilon - log_jump) * sigma**2 / lipschitz - lipschitz / 2)
    expected = mp.quad(gap, [crossing, crossing + 1, crossing + 4, crossing + 12, crossing + 30])
    pair = HalfNormalPair(lipschitz / sigma, log_jump)
    for direction in ("add", "remove"):
        assert float(pair.delta(epsilon, direction=direction)) == pytest.approx(float(expected), rel=1e-9)


@pytest.mark.parametrize("shift", [1e-3, 0.2, 2.0])
@pytest.mark.parametrize("bound", [HockeyStickBound, RenyiBound])
def test_renyi_bound_is_the_moment_of_the_half_normal(shift, bound):
    log_jump = 0.3
    got = bound(shift, log_jump).renyi(np.array(ORDERS))
    for alpha, value in zip(ORDERS, got, strict=True):
        with mp.workdps(60):
            order, width = mp.mpf(alpha) - 1, mp.mpf(shift)
            if order == 0:
                mean = width * mp.sqrt(2 / mp.pi)
            else:
                moment = 2 * mp.ncdf(order * width) * mp.exp((order * width) ** 2 / 2)
                mean = mp.log(moment) / order
            expected = float(mp.mpf(log_jump) + width**2 / 2 + mean)
        assert value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("shift", "curvature"), [(0.2, 0.05), (1.0, 1.0), (0.01, 0.3)])
def test_kifer_curve_inverts_the_theorem(shift, curvature):
    bound = KiferBound(shift, curvature)
    for epsilon in 2 * curvature + np.array([0.0, 0.3, 1.0, 3.0]):
        log_delta = float(bound.log_delta(epsilon))
        if log_delta < 0:
            needed = np.sqrt(8 * (np.log(2) - log_delta) + 4 * epsilon) / epsilon
            assert needed == pytest.approx(1 / shift, rel=1e-12)
        else:
            assert 8 * np.log(2) + 4 * epsilon >= (epsilon / shift) ** 2
    assert bound.log_delta(2 * curvature * (1 - 1e-12)) == 0
    grid = bound.log_delta(np.linspace(0, 20, 400))
    assert (np.diff(grid) <= 0).all()


@pytest.mark.parametrize(("shift", "curvature"), [(0.2, 0.05), (1.0, 0.3), (0.05, 0.01)])
@pytest.mark.parametrize("order", [1e-6, 0.1, 0.5, 0.95])
def test_linearised_bound_is_the_minimum_over_holder_exponents(shift, curvature, order):
    order = order * min(1 / (2 * curvature), 20.0)

    def value(w):
        gaussian = order * shift**2 / (2 * (1 - w))
        square = -np.log(1 - 2 * order * curvature / w) * w / (2 * order)
        return gaussian + square

    low = 2 * order * curvature
    best = minimize_scalar(value, bounds=(low * (1 + 1e-9), 1 - 1e-12), method="bounded", options={"xatol": 1e-13}).fun
    got = float(LinearisedBound(shift, curvature, 0.1).renyi(1 + order)) - 0.1 - shift**2 / 2
    assert best * (1 - 1e-6) <= got <= best * (1 + 1e-9)


def test_linearised_bound_ends_where_its_moment_does():
    bound = LinearisedBound(0.3, 0.1, 0.2)
    assert np.isinf(bound.renyi(1 + 5.0))
    assert np.isfinite(bound.renyi(1 + 4.99))
    assert bound.renyi(1.0) == pytest.approx(0.2 + 0.045 + 0.1)
    assert bound.renyi(1 + 1e-9) == pytest.approx(float(bound.renyi(1.0)), rel=1e-3)


@pytest.mark.parametrize("dimension", [1, 2, 3, 10, 400, 40_000])
@pytest.mark.parametrize("rate", [0.0, 1e-12, 1e-3, 0.5, 0.999, 1.0, 7.0, 60.0])
def test_moment_of_chi_against_the_hypergeometric_form(dimension, rate):
    with mp.workdps(60):
        d, t = mp.mpf(dimension), mp.mpf(rate)
        odd = t * mp.sqrt(2) * mp.gamma((d + 1) / 2) / mp.gamma(d / 2) * mp.hyp1f1((d + 1) / 2, 1.5, t * t / 2)
        expected = mp.log(mp.hyp1f1(d / 2, 0.5, t * t / 2) + odd)
    assert float(log_chi_moment(np.array(rate), dimension)) == pytest.approx(float(expected), rel=1e-11, abs=1e-300)


def test_with_one_parameter_and_without_a_log_term_other_bounds_are_the_renyi_bound():
    orders = np.array(ORDERS)
    np.testing.assert_allclose(NonGlmBound(0.7, 0.2, 1).renyi(orders), RenyiBound(0.7, 0.2).renyi(orders), rtol=1e-11)
    np.testing.assert_allclose(HalfNormalCurve(0.4).renyi(orders), RenyiBound(0.4, 0.0).renyi(orders))


def test_lower_bound_in_both_forms():
    bound = GaussianLowerBound(0.4)
    np.testing.assert_allclose(bound.renyi(np.array([1.0, 3.0])), 0.08 * np.array([1.0, 3.0]))
    with mp.workdps(30):
        expected = mp.ncdf(mp.mpf("0.2") - mp.mpf(1) / mp.mpf("0.4")) - mp.e * mp.ncdf(-mp.mpf("0.2") - mp.mpf("2.5"))
    assert bound.delta(1.0) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize(("sigma", "lam", "dimension"), [(1.0, 5.0, 1), (10.0, 0.2, 3), (100.0, 50.0, 200)])
def test_the_bound_of_the_lecture_inverts_its_printed_epsilon(sigma, lam, dimension):
    """ε at δ as printed, in 40 digits; and never below the exact worst case."""
    lipschitz, smoothness = 1.5, 0.7
    mechanism = ObjectivePerturbation(sigma, lam, lipschitz, smoothness, "lecture", dimension=dimension)
    tight = ObjectivePerturbation(sigma, lam, lipschitz, smoothness, "tight", monotone=False)
    for delta in (0.9, 1e-2, 1e-6, 1e-300):
        with mp.workdps(40):
            shift = mp.mpf(lipschitz) / mp.mpf(sigma)
            printed = dimension * mp.log(1 + mp.mpf(smoothness) / lam) + shift**2 / 2
            printed += shift * mp.sqrt(2 * mp.log(2 / mp.mpf(delta)))
        assert mechanism.epsilon(delta) == pytest.approx(float(printed), rel=1e-9)
        assert tight.epsilon(delta) <= float(printed)
    silent = dimension * np.log1p(smoothness / lam) + lipschitz**2 / (2 * sigma**2)
    assert LectureBound(lipschitz / sigma, smoothness / lam, dimension).log_delta(silent * 0.999) == 0.0


@pytest.mark.parametrize(
    ("sigma", "lipschitz", "smoothness", "lam"), [(5, 1, 1, 20), (3, 2, 1, 1.2), (50, 1, 0.25, 0.05)]
)
def test_no_upper_bound_is_below_the_exact_worst_case_and_no_lower_one_above(sigma, lipschitz, smoothness, lam):
    epsilon = np.concatenate([-np.geomspace(3, 0.01, 10), np.linspace(0, 8, 60)])
    make = partial(ObjectivePerturbation, sigma, lam, lipschitz, smoothness, monotone=False)
    exact = make("tight").log_delta(epsilon)
    for bound, log_term in product(("lower", "tight", "hockey_stick", "renyi", "kifer"), ("minus", "plus")):
        curve = make(bound, log_term=log_term).log_delta(epsilon)
        above, below = (exact, curve) if bound == "lower" else (curve, exact)
        assert (below <= above + 2.1e-11 + 1e-12 * np.abs(above)).all()
