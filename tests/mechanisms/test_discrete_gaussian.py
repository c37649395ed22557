"""The discrete Gaussian against its masses in 50 digits, and against what the paper says of it."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from scipy import special, stats

import dpcore as dp
from dpcore.mechanisms.discrete_gaussian import discrete_noise
from dpcore.mechanisms.exact_noise import exact_discrete_noise

CASES = [(1e-3, 1), (0.2, 1), (0.49, 2), (0.51, 3), (15.9, 1), (16.1, 1), (16.0, 40), (100.0, 300)]
ORDERS = (1.0, 1 + 1e-9, 1.1, 1.5, 2.0, 5.3, 500.7)


def log_sum(sigma: mp.mpf, start: int, factor) -> mp.mpf:
    """log Σ_{x ≥ start} e^{−x²/2σ²} factor(x) term by term, until nothing is added."""
    total, x = mp.mpf(0), start
    while True:
        term = mp.e ** (-(mp.mpf(x) ** 2) / (2 * sigma**2)) * factor(x)
        total += term
        if x > start + 3 and x > 0 and term < total * mp.mpf(10) ** -30:
            return mp.log(total)
        x += 1


def log_delta(sigma: float, shift: int, epsilon: float) -> mp.mpf:
    """From the masses: Σ p(x)(1 − e^{ε − ω(x)}) over losses ω above ε."""
    s, e = mp.mpf(sigma), mp.mpf(epsilon)
    start = int(mp.floor(e * s * s / shift - mp.mpf(shift) / 2)) + 1
    loss = lambda x: (mp.mpf(x) + mp.mpf(shift) / 2) * shift / s**2  # noqa: E731
    total = mp.log(2 * mp.e ** log_sum(s, 1, lambda x: 1) + 1)
    return log_sum(s, start, lambda x: 1 - mp.e ** (e - loss(x))) - total


@pytest.mark.parametrize(("sigma", "shift"), CASES)
def test_log_delta_to_the_last_digits_down_to_the_kinks(sigma, shift):
    mechanism, width = dp.DiscreteGaussian(sigma, sensitivity=shift), shift / sigma
    losses = (np.array([0, 2]) + shift / 2) * mechanism.lattice.step
    spread = np.array([0.0, 1e-9, width * width / 2, 3 * width, 37 * width])
    with mp.workdps(50):
        for epsilon in np.concatenate([spread, losses, np.nextafter(losses, 0.0)]):
            exact = log_delta(sigma, shift, epsilon)
            error = abs(mp.mpf(float(mechanism.log_delta(epsilon))) - exact)
            assert error < 2e-14 * max(1, abs(exact)), (epsilon, exact)


@pytest.mark.parametrize(("sigma", "shift"), [(0.05, 1), (0.3, 2), (0.6, 1), (20.0, 3)])
def test_renyi_against_the_masses_and_the_gaussian(sigma, shift):
    mechanism, gaussian = dp.DiscreteGaussian(sigma, shift), dp.Gaussian(sigma, shift)
    with mp.workdps(40):
        s = mp.mpf(sigma)
        reach = int(14 * sigma) + 14
        theta = lambda a: mp.fsum(mp.e ** (-((x + a - mp.nint(a)) ** 2) / (2 * s * s)) for x in range(-reach, reach))  # noqa: E731
        for alpha in ORDERS[1:]:
            order = mp.mpf(alpha) - 1
            exact = mp.mpf(alpha) * shift**2 / (2 * s * s) + mp.log(theta(order * shift) / theta(mp.mpf(0))) / order
            assert float(mechanism.renyi(alpha)) == pytest.approx(float(exact), rel=1e-13)
    whole = np.arange(2, 40)
    np.testing.assert_allclose(mechanism.renyi(whole), gaussian.renyi(whole), rtol=1e-14)
    assert (mechanism.renyi(ORDERS) <= gaussian.renyi(ORDERS) * (1 + 1e-15)).all()
    assert mechanism.renyi(1.0) == pytest.approx(0.5 * (shift / sigma) ** 2, rel=1e-15)


@pytest.mark.parametrize("sigma", [1e-6, 1e6, 1e20])
def test_extreme_noise(sigma):
    mechanism, gaussian = dp.DiscreteGaussian(sigma), dp.Gaussian(sigma)
    if sigma > 1:
        epsilon = np.array([0.0, 1 / sigma, 10 / sigma, 1e3, 1e30])
        np.testing.assert_allclose(mechanism.log_delta(epsilon), gaussian.log_delta(epsilon), rtol=1e-9)
    else:
        assert mechanism.epsilon(1e-5) == pytest.approx(0.5 / sigma**2, rel=1e-12)
    assert np.isfinite(mechanism.epsilon(log_delta=-690.0))
    assert mechanism.delta(mechanism.epsilon(1e-300)) <= 1e-300


@pytest.mark.parametrize(("draw", "count"), [(discrete_noise, 40_000), (exact_discrete_noise, 1_500)])
@pytest.mark.parametrize("sigma", [0.3, 1.0, 4.5])
def test_draws_have_the_masses(sigma, draw, count):
    found = draw(sigma, count, np.random.default_rng(1))
    x = np.arange(-int(4 * sigma) - 1, int(4 * sigma) + 2)
    mass = np.exp(-0.5 * (x / sigma) ** 2)
    expected = count * mass / mass.sum()
    seen = np.array([(found == one).sum() for one in x])
    often = expected > 5
    chi_square = ((seen - expected)[often] ** 2 / expected[often]).sum()
    assert stats.chi2.sf(chi_square, often.sum() - 1) > 1e-3
    assert np.array_equal(found, np.round(found))


@pytest.mark.parametrize("theta", [0.2, 1.5, 30.0])
@pytest.mark.parametrize("sigma", [0.3, 0.8, 6.0])
def test_moments_on_the_complex_plane(sigma, theta):
    """Also whole periods away, where the moment of an odd sensitivity has turned round."""
    mechanism = dp.DiscreteGaussian(sigma, 3)
    x = np.arange(-int(20 * sigma) - 40 - int(3 * theta), int(20 * sigma) + 40 + int(3 * theta))
    exponent = -0.5 * (x / sigma) ** 2
    loss = (x + 1.5) * mechanism.lattice.step
    s = theta + 1j * np.array([0.0, 0.3, 7.0, -50.0])
    largest = (exponent + theta * loss).max()
    summed = np.exp(exponent + s[:, None] * loss - largest).sum(axis=1)
    expected = np.exp(largest - np.log(np.exp(exponent).sum()) - 0.5 * theta * (theta + 1) * 9 / sigma**2) * summed
    moment, _ = mechanism.log_moment("add")
    found = np.exp(moment(s) - 0.5 * theta * (theta + 1) * 9 / sigma**2)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("sigma", "rate", "order"), [(1.0, 0.2, 19.0), (0.3, 1e-3, 0.5), (30.0, 0.5, 2.0), (1.0, 0.2, 1e-9)]
)
def test_renyi_of_a_subsampled_count_is_the_sum_over_its_masses(sigma, rate, order):
    mechanism = dp.Subsampled(dp.DiscreteGaussian(sigma), rate)
    laws, x = mechanism.pair().densities, np.arange(-2000, 2001)
    absent, present = laws.log_absent(x), laws.log_present(x)
    for direction, p, q in (("add", absent, present), ("remove", present, absent)):
        grown = special.logsumexp(p + order * (p - q))
        if grown < 1:
            grown = np.log1p(np.exp(p) @ np.expm1(np.minimum(order * (p - q), 700.0)))
        expected = grown / order
        rough = 1e-12 if order > 1e-3 else 1e-5
        assert mechanism.renyi(1 + order, direction=direction) == pytest.approx(expected, rel=rough, abs=1e-12)
