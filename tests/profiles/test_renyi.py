"""The conversion from Rényi curves against brute force over orders, and on the safe side of the truth."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore as dp
from dpcore.profiles.renyi import epsilon_from_renyi, log_delta_from_renyi

FINE = np.geomspace(1e-6, 1e6, 400_001)  # α − 1


def gaussian(shift):
    return lambda alpha: 0.5 * alpha * shift**2


def capped(alpha):
    """A curve that ends: infinite from α = 3 on."""
    return np.where(alpha < 3, 0.3 + 0.1 * alpha / np.maximum(3 - alpha, 1e-12), np.inf)


@pytest.mark.parametrize("curve", [gaussian(0.1), gaussian(2.0), capped], ids=["small", "large", "ends"])
def test_against_brute_force_over_orders(curve):
    alpha, divergence = 1 + FINE, curve(1 + FINE)
    keep = np.isfinite(divergence)
    alpha, order, divergence = alpha[keep], FINE[keep], divergence[keep]
    gained = np.log1p(-1 / alpha) - np.log(alpha) / order
    for epsilon in (0.05, 0.7, 3.0, 9.0):
        brute = (order * (divergence - epsilon + gained)).min()
        got = float(log_delta_from_renyi(curve, epsilon))
        assert got <= min(brute, 0.0) + 1e-9
        assert got == pytest.approx(min(brute, 0.0), rel=1e-6, abs=1e-9)
    for delta in (0.3, 1e-5, 1e-40):
        brute = (divergence + gained - np.log(delta) / order).min()
        got = float(epsilon_from_renyi(curve, np.log(delta)))
        assert got <= max(brute, 0.0) + 1e-9
        assert got == pytest.approx(max(brute, 0.0), rel=1e-6, abs=1e-9)


def test_extremes():
    assert log_delta_from_renyi(gaussian(1.0), np.inf) == -np.inf
    assert log_delta_from_renyi(gaussian(1.0), 0.0) <= 0
    assert log_delta_from_renyi(lambda alpha: np.full(alpha.shape, np.inf), [0.0, 5.0, np.inf]).max() == 0
    np.testing.assert_array_equal(epsilon_from_renyi(gaussian(1.0), np.array([-np.inf, 0.0])), [np.inf, 0.0])
    assert epsilon_from_renyi(lambda alpha: np.full(alpha.shape, np.inf), np.log(1e-5)) == np.inf
    assert np.isfinite(epsilon_from_renyi(gaussian(1e-6), np.log(1e-300)))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("mechanism", "count"),
    [
        (dp.Subsampled(dp.Gaussian(1.0), 0.01), 1000),
        (dp.Subsampled(dp.Gaussian(0.5), 0.3), 3),
        (dp.ObjectivePerturbation(sigma=8.0, lam=10.0, lipschitz=1.0, smoothness=1.0), 10),
    ],
)
def test_no_order_however_large_undercuts_the_truth(mechanism, count):
    """Divergences by quadrature lose their peak at extreme orders; the conversion searches those too."""
    orders = 1 + np.geomspace(1e-9, 1e12, 211)
    for direction in ("add", "remove"):
        curve = mechanism.renyi(orders, direction=direction)
        finite = np.isfinite(curve)
        assert (np.diff(curve[finite]) >= -1e-9 * curve[finite][1:]).all()
        assert finite[: finite.sum()].all()
        truth = dp.compose([(mechanism, count)], "pld").lower.epsilon([1e-3, 1e-5, 1e-9], direction=direction)
        implied = dp.compose([(mechanism, count)], "renyi").upper.epsilon([1e-3, 1e-5, 1e-9], direction=direction)
        assert (implied >= truth).all()
        assert (implied <= 2.0 * truth + 0.2).all()
