"""One attack in three views, against tests of two laws written down with mpmath and scipy."""

import mpmath
import numpy as np
import pytest
from scipy.stats import laplace, norm

import dpcore as dp
from dpcore.profiles import curves, marks
from tests.accountants.homemade import WaitingTime, waiting_time_log_delta


@pytest.mark.parametrize("sigma", [0.5, 1.0, 30.0])
def test_the_attack_on_gaussian_noise_is_a_threshold_on_the_likelihood_ratio(sigma):
    """Accuse where the log likelihood ratio (x − 1/2)/σ² exceeds ε; the trade-off is Φ(Φ⁻¹(1 − α) − 1/σ)."""
    epsilon = np.array([0.0, 0.7, 2.5]) / min(sigma, 4.0)
    found = marks.attacks(dp.Gaussian(sigma), epsilon)
    np.testing.assert_allclose(found.false_alarms, norm.sf(sigma * epsilon + 0.5 / sigma), rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(found.misses, norm.cdf(sigma * epsilon - 0.5 / sigma), rtol=1e-6)
    for e, delta, alpha, miss in zip(epsilon, found.delta, found.false_alarms, found.misses, strict=True):
        if alpha < 1e-9:
            continue
        slope = mpmath.diff(lambda a: mpmath.ncdf(mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * a) - 1 / sigma), alpha)
        assert float(slope) == pytest.approx(-np.exp(e), rel=1e-5)
        assert delta == pytest.approx(1 - miss - np.exp(e) * alpha, abs=1e-15)


def test_a_corner_and_what_lies_beyond_a_pure_edge():
    """Laplace noise of scale 2: the loss ends at 1/2, after which nobody is accused."""
    found = marks.attacks(dp.Laplace(2.0), [0.0, 0.3, 0.8])
    cut = 0.5 + 2.0 * 0.3 / 2  # the log likelihood ratio (2x − 1)/2 exceeds 0.3
    np.testing.assert_allclose(found.false_alarms[:2], [laplace.sf(0.5, scale=2), laplace.sf(cut, scale=2)], rtol=1e-7)
    np.testing.assert_allclose(found.misses[1], laplace.cdf(cut, 1, 2), rtol=1e-7)
    assert (found.delta[2], found.false_alarms[2], found.misses[2]) == (0, 0, 1)


@pytest.mark.parametrize("before", [1e-5, 1e-3, 1.4e-3, 3e-3])
def test_close_to_its_edge_a_coin_is_marked_at_its_corner(before):
    """A coin of budget 1 errs with probability 1/(1 + e) both ways, whatever ε < 1."""
    found = marks.attacks(dp.RandomizedResponse(1.0), [1 - before])
    if before > 1e-4:
        assert found.false_alarms == pytest.approx(1 / (1 + np.e), rel=1e-9)
    else:  # so near, a point of the straight piece before the corner
        assert 0 < found.false_alarms[0] < 1 / (1 + np.e)
        assert found.misses == pytest.approx(1 - np.e * found.false_alarms, abs=1e-5)


@pytest.mark.parametrize("direction", ["add", "remove"])
def test_one_direction_touches_the_curve_with_its_errors_exchanged(direction):
    rate = 2.0
    wait, epsilon = WaitingTime(rate), 0.4
    found = marks.attacks(wait, [epsilon], direction)
    alpha, miss = found.false_alarms[0], found.misses[0]
    truth = 1 - alpha ** (1 / rate) if direction == "add" else (1 - alpha) ** rate
    assert miss == pytest.approx(truth, abs=1e-7)
    slope = -(alpha ** (1 / rate - 1)) / rate if direction == "add" else -rate * (1 - alpha) ** (rate - 1)
    assert slope == pytest.approx(-np.exp(-epsilon), rel=1e-6)
    delta = np.exp(waiting_time_log_delta(rate, 1, epsilon, direction))
    assert 1 - alpha - np.exp(epsilon) * miss == pytest.approx(delta, rel=1e-9)
    lines = curves.pin(epsilon, delta, one_sided=True)
    assert np.interp(alpha, *lines[0]) == pytest.approx(miss, abs=1e-12)


def test_the_order_is_where_the_conversion_no_longer_gains():
    sigma, epsilon = 1.5, np.array([0.5, 2.0])
    mechanism = dp.Gaussian(sigma)
    alpha, divergence = marks.best_order(curves.renyi_curve("g", mechanism, 64.0), mechanism, epsilon)
    for e, order, value in zip(epsilon, alpha, divergence, strict=True):
        assert value == pytest.approx(order / (2 * sigma**2), rel=1e-12)

        def bound(a, e=e):
            return (a - 1) * (a / (2 * sigma**2) - e + mpmath.log(1 - 1 / a)) - mpmath.log(a)

        assert float(mpmath.diff(bound, order)) == pytest.approx(0, abs=1e-4)
        assert float(mpmath.diff(bound, order, 2)) > 0


def test_sampled_orders_serve_where_there_is_no_closed_form_and_none_beyond_the_curve():
    mechanism = WaitingTime(2.0)
    drawn = curves.renyi_curve("wait", mechanism, 64.0, direction="add")
    (alpha, none), (divergence, _) = marks.best_order(drawn, mechanism, [0.2, 50.0], "add")
    assert np.isnan(none)
    assert divergence == drawn.y[drawn.x == alpha]
    orders = drawn.x[1:]
    bounds = (orders - 1) * (drawn.y[1:] - 0.2 + np.log(1 - 1 / orders)) - np.log(orders)
    assert alpha == orders[bounds.argmin()]
