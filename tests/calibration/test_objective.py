"""Calibration of objective perturbation: the returned point meets the target, a little less noise or λ does not."""

import numpy as np
import pytest
from scipy.optimize import brentq

import dpcore as dp
from dpcore.calibration import objective as calibration

LOSS = {"lipschitz": 1.0, "smoothness": 0.25}


@pytest.mark.parametrize("bound", calibration.CALIBRATED_BOUNDS)
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-5), (1.0, 1e-5), (8.0, 1e-9)])
def test_contour_is_the_edge(bound, epsilon, delta):
    sigma = calibration.gaussian_sigma(epsilon, delta, 1.0) * np.array([1.01, 1.3, 3.0])
    for s, lam in zip(sigma, dp.smallest_lambda(epsilon, delta, sigma, bound=bound, **LOSS), strict=True):
        if np.isinf(lam):
            most = dp.ObjectivePerturbation(sigma=s, lam=1e7, bound=bound, **LOSS)
            assert most.delta(epsilon) > delta
            continue
        assert dp.ObjectivePerturbation(sigma=s, lam=lam, bound=bound, **LOSS).log_delta(epsilon) <= np.log(delta)
        if lam > 1e-8:
            assert dp.ObjectivePerturbation(sigma=s, lam=lam * (1 - 1e-6), bound=bound, **LOSS).delta(epsilon) > delta


@pytest.mark.thorough
@pytest.mark.parametrize(("epsilon", "factor"), [(0.1, 1.05), (8.0, 1.001)])
def test_contour_of_a_loss_that_is_not_monotone_is_the_edge_of_its_own_curve(epsilon, factor):
    """Found again by a root finder on the mechanism; close to the Gaussian floor a monotone loss needs less."""
    sigma = factor * calibration.gaussian_sigma(epsilon, 1e-5, 1.0)
    least = (dp.smallest_lambda(epsilon, 1e-5, np.array(sigma), monotone=one, **LOSS) for one in (True, False))
    free, bare = map(float, least)

    def excess(log_lam):
        mechanism = dp.ObjectivePerturbation(sigma, np.exp(log_lam), bound="tight", monotone=False, **LOSS)
        return float(mechanism.log_delta(epsilon)) - np.log(1e-5)

    assert bare == pytest.approx(np.exp(brentq(excess, np.log(0.05), np.log(1e4), xtol=1e-12)), rel=1e-6)
    assert bare > 1.2 * free


@pytest.mark.parametrize(("epsilon", "published", "tight"), [(1.0, 2.587, 1.005), (0.1, 25.01, 10.61)])
def test_what_the_tight_profile_buys(epsilon, published, tight):
    loss = {"lipschitz": np.sqrt(2), "smoothness": 0.5}
    for bound, lam in (("hockey_stick", published), ("tight", tight)):
        assert dp.paper_rule(epsilon, 1e-5, bound=bound, **loss).lam == pytest.approx(lam, rel=6e-4)


def test_a_bound_that_cannot_says_so():
    with pytest.raises(dp.CalibrationError, match="kifer bound gives no"):
        dp.paper_rule(1.0, 1e-5, bound="kifer", **LOSS)


def test_gaussian_noise_is_the_floor():
    sigma = calibration.gaussian_sigma(1.0, 1e-5, 1.0)
    below, above = dp.smallest_lambda(1.0, 1e-5, sigma * np.array([0.999, 1.001]), **LOSS)
    assert np.isinf(below)
    assert np.isfinite(above)


@pytest.mark.thorough
@pytest.mark.parametrize("epsilon", [0.1, 8.0])
def test_best_point_is_not_beaten_by_a_search(epsilon):
    public = {"dimension": 40, "theta_norm": 3.0}
    best = dp.best_calibration(epsilon, 1e-5, n=10_000, clip=1.0, **public, **LOSS)
    assert best.mechanism.log_delta(epsilon) <= np.log(1e-5)
    floor = calibration.gaussian_sigma(epsilon, 1e-5, 1.0)

    sigma = floor * (1 + np.geomspace(1e-3, 9.0, 60))
    lam = np.maximum(dp.smallest_lambda(epsilon, 1e-5, sigma, **LOSS), np.sqrt(40) * sigma / 3)
    assert best.predicted_risk <= (40 * sigma**2 / (2 * lam) + lam * 9 / 2).min() * 1.01


def test_clipping_scales_the_noise_and_is_charged():
    public = {"dimension": 40, "theta_norm": 3.0, "n": 100}
    full, half = (dp.best_calibration(1.0, 1e-5, clip=clip, **public, **LOSS) for clip in (1.0, 0.5))
    assert half.sigma == pytest.approx(full.sigma / 2, rel=0.1)
    assert half.predicted_risk < full.predicted_risk
    assert (full.clipping_bias, half.clipping_bias) == (0, pytest.approx(100 * 0.5 * 3.0))
    few = dp.best_calibration(0.05, 1e-5, dimension=40, theta_norm=3.0, n=10, **LOSS)
    assert few.clip < 1  # noise outweighs ten records: clipping hard is the better bet


def test_risk_formulas():
    assert calibration.excess_risk(2.0, 4.0, dimension=3, theta_norm=5.0) == pytest.approx(3 * 4 / 8 + 2 * 25)
    added = calibration.excess_risk(2.0, 4.0, dimension=3, theta_norm=5.0, n=10, lipschitz=1.5, tau=0.2, sigma_out=0.1)
    assert added - 51.5 == pytest.approx(10 * 1.5 * (0.05 + 0.1 * np.sqrt(3)))


def test_glm_risk_bounds_the_ridge_truth():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) / 3
    hessian = 0.25 * X.T @ X + 2.0 * np.eye(3)
    noise = rng.normal(size=(20_000, 3)) * 1.5
    excess = 0.5 * np.einsum("ij,ij->i", noise, np.linalg.solve(hessian, noise.T).T).mean()
    bound = calibration.excess_risk_glm(1.5, 2.0, np.linalg.eigvalsh(X.T @ X), 0.25)
    assert excess == pytest.approx(bound, rel=0.03)
