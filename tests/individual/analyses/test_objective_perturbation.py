"""Objective perturbation of linear regression: the law of one record, at extremes; against laws in all dimensions see the contract."""

import mpmath as mp
import numpy as np
import pytest

import dpcore as dp
from dpcore.data import Domain
from dpcore.individual.analyses.objective_perturbation import LinearObjective
from dpcore.mechanisms.objective_perturbation.linear_record import LinearRecord, log_mixed_normals
from tests.individual.conftest import random_data


@pytest.mark.thorough
@pytest.mark.parametrize(("epsilon", "mu", "m", "tau"), [(3.1, 0.023, 0.05, 0.06), (1.1, 0.11, 0.4, 0.035)])
def test_mixture_against_quadrature_with_many_digits(epsilon, mu, m, tau):
    """The mean over c where the integrand has two peaks, a threshold, or a far peak."""
    with mp.workdps(40):
        e, a, mean, spread = mp.mpf(epsilon), 1 + mp.mpf(mu), mp.mpf(m), mp.mpf(tau)
        tail = lambda t: mp.erfc(t / mp.sqrt(2)) / 2  # noqa: E731
        for sign, direction in ((1, "add"), (-1, "remove")):

            def given(c, sign=sign):
                square = c * c + 2 * (a * a - 1) * (mp.log(a) + sign * e)
                if square <= 0:
                    return mp.mpf(0)
                low, high = ((-a * abs(c) + side * mp.sqrt(square)) / (a * a - 1) for side in (-1, 1))
                z = tail(high) + tail(-low), tail(a * high + abs(c)) + tail(-a * low - abs(c))
                if sign == 1:
                    return z[0] - mp.exp(e) * z[1]
                return (1 - z[1]) - mp.exp(e) * (1 - z[0])

            edge = mp.sqrt(max(mp.mpf(0), 2 * (a * a - 1) * (e - mp.log(a)))) if sign == -1 else mp.mpf(0)
            cuts = {mp.mpf(-16) + 4 * k for k in range(9)} | {(edge - mean) / spread, (-edge - mean) / spread}
            total = mp.quad(
                lambda z, given=given: mp.npdf(z) * given(mean + spread * z), sorted(c for c in cuts if abs(c) < 17)
            )
            found = float(log_mixed_normals(epsilon, mu, m, tau, direction))
            assert found == pytest.approx(float(mp.log(total)), abs=1e-9)


def test_without_spread_and_leverage_it_is_the_gaussian_mechanism():
    epsilon = np.array([0.0, 0.1, 1.0, 3.0])
    gaussian = dp.Gaussian(sigma=2.0).delta(epsilon)
    assert LinearRecord(0.0, 0.5, 0.0).delta(epsilon) == pytest.approx(gaussian, rel=1e-9)


def test_the_stated_constant_is_not_a_worst_case_and_no_bound_was_published():
    mechanism = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, loss="squared")
    result = dp.individual_privacy(random_data(1, 20, 2, domain=Domain()), mechanism)
    with pytest.raises(dp.UnsupportedError, match="no worst-case guarantee"):
        result.worst_case  # noqa: B018
    with pytest.raises(dp.UnsupportedError, match="no bound"):
        dp.individual_privacy(result.dataset, mechanism, method="bound")
    logistic = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, loss="logistic")
    assert logistic.worst_case(Domain(), 10) == logistic


def test_a_record_has_a_positive_epsilon_where_its_delta_at_zero_exceeds_the_target():
    mu, shift, spread = (
        part.ravel() for part in np.meshgrid([1e-7, 0.01, 0.5], [0.0, 1e-5, 1e-3, 0.5], [0.0, 1e-4, 0.3])
    )
    records = LinearObjective(mu, shift, spread)
    at_zero = records.log_delta(np.zeros(()))
    for log_delta in np.log([1e-6, 1e-3]):
        epsilon = records.epsilon(float(log_delta))
        np.testing.assert_array_equal(epsilon > 0, at_zero > log_delta)
        assert 0 < np.count_nonzero(epsilon) < epsilon.size
