"""The regularised exponential mechanism against 50-digit arithmetic, brute-force densities and its own optimum."""

from functools import partial
from itertools import product

import mpmath as mp
import numpy as np
import pytest
from scipy.optimize import minimize

import dpcore as dp
from dpcore.mechanisms.regularized_exponential import gaussian_shift
from tests.errata.oracles import gaussian_delta
from tests.mechanisms.densities import hockey_stick_of_potentials


@pytest.mark.parametrize(("k", "mu", "lipschitz", "n"), [(50, 0.02, 1, 100), (1, 1, 3, 7), (1e4, 1e-3, 0.2, 5000)])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 4.0])
def test_profile_is_the_gaussian_one_at_the_theorems_shift(k, mu, lipschitz, n, epsilon):
    mechanism = dp.RegularizedExponential(k=k, mu=mu, lipschitz=lipschitz, n=n)
    shift = mp.mpf(2) * lipschitz * mp.sqrt(k) / (n * mp.sqrt(mu))
    assert mechanism.delta(epsilon) == pytest.approx(gaussian_delta(epsilon, float(shift)), rel=1e-10)


@pytest.mark.parametrize(("radius", "centre"), [(0.3, 0.0), (3.0, 0.4)])
def test_absolute_losses_never_exceed_it(radius, centre):
    """Median on an interval: n records, f the mean of |x − z|, one of them replaced or removed."""
    k, mu, n = 40.0, 0.5, 11
    mechanism = dp.RegularizedExponential(k=k, mu=mu, lipschitz=1.0, n=n)
    z = centre + np.linspace(-0.5, 0.5, n)

    def potential(data, x):
        return k * (np.abs(x[:, None] - data).mean(axis=1) + mu / 2 * x**2)

    for other in (np.append(z[:-1], -2.0), z[1:]):
        breaks, pair = np.union1d(np.union1d(z, other), [-2.0]), [partial(potential, data) for data in (z, other)]
        for epsilon, way in product((0.0, 0.5), (pair, pair[::-1])):
            found = hockey_stick_of_potentials(*way, epsilon, -radius, radius, breaks)
            assert found <= mechanism.delta(epsilon) + 1e-12


def test_linear_losses_on_a_wide_interval_attain_it():
    k, mu, n = 30.0, 0.5, 9
    mechanism = dp.RegularizedExponential(k=k, mu=mu, lipschitz=1.0, n=n)
    all_up, one_down = (lambda x, slope=slope: k * (slope * x + mu / 2 * x**2) for slope in (1.0, 1 - 2 / n))
    for epsilon in (0.0, 0.5, 2.0):
        found = hockey_stick_of_potentials(all_up, one_down, epsilon, -12.0, 12.0)
        assert found == pytest.approx(mechanism.delta(epsilon), rel=1e-8)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.1), (1.0, 1e-5), (0.1, 1e-12), (10.0, 1e-3), (1.0, 1e-280)])
def test_shift_of_a_budget_inverts_the_profile(epsilon, delta):
    shift = gaussian_shift(epsilon, delta)
    assert gaussian_delta(epsilon, float(shift)) == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize(("n", "d", "lipschitz", "radius"), [(100, 1, 1.0, 1.0), (5000, 20, 0.5, 3.0)])
def test_calibrated_meets_the_budget_with_least_bound(n, d, lipschitz, radius):
    epsilon, delta = 1.0, 1e-5
    found = dp.RegularizedExponential.calibrated(epsilon, delta, n=n, dimension=d, lipschitz=lipschitz, radius=radius)
    assert delta * (1 - 1e-6) <= found.delta(epsilon) <= delta
    shift = dp.Gaussian(dp.calibrate(lambda s: dp.Gaussian(s), epsilon, delta)).shift

    def bound(log_k):
        k = float(np.exp(log_k[0]))
        return d / k + radius**2 / 2 * 4 * lipschitz**2 * k / (n * shift) ** 2

    direct = minimize(bound, [np.log(found.k) + 1], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-14})
    assert found.excess_risk(d, radius) == pytest.approx(direct.fun, rel=1e-6)
    assert found.excess_risk(d, radius) == pytest.approx(2**1.5 * lipschitz * radius * d**0.5 / (n * shift), rel=1e-6)
