import numpy as np
import pytest

import dpcore as dp
from dpcore.individual.analyses.posterior_sampling import PosteriorSample
from dpcore.mechanisms.two_normals import log_two_normals
from tests.individual.oracles import posterior_log_delta, refit_without

DIRECTIONS = ("add", "remove")


def cases(seed, count):
    """Leverage, residual and γ over many decades, ε where something happens."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        mu, gamma = 10 ** rng.uniform(-12, 6), 10 ** rng.uniform(-6, 6)
        r = 10 ** rng.uniform(-6, 6) * np.sqrt(mu / gamma)
        edge = 0.5 * (np.log1p(mu) + gamma * r * r / (1 + mu))
        shift = np.sqrt(gamma * mu) * r
        beyond = shift * rng.uniform(0, 38) + mu * rng.uniform(0, 700)
        epsilon = (0.0, beyond, edge * rng.uniform(0, 1), 10 ** rng.uniform(-10, 3))
        yield DIRECTIONS[k % 2], float(epsilon[rng.integers(4)]), mu, r, gamma


def check(direction, epsilon, mu, r, gamma):
    """log δ to 1e-10 (relative below e^-690); beside the edge of "remove", where log δ dives, for an ε a few ulp away."""
    value = float(log_two_normals(epsilon, mu, np.sqrt(gamma) * r, direction))
    truth = float(posterior_log_delta(epsilon, mu, r, gamma, direction))
    if value == truth or abs(value - truth) <= 1e-10 * max(1.0, abs(truth) / 690):
        return
    edge = 0.5 * (np.log1p(mu) + gamma * r * r / (1 + mu))
    ulp = 8 * np.finfo(float).eps * edge
    assert (direction, epsilon > edge * (1 - 1e-6)) == ("remove", True), (epsilon, mu, r, gamma, value, truth)
    least = float(posterior_log_delta(epsilon + ulp, mu, r, gamma, direction))
    most = float(posterior_log_delta(max(epsilon - ulp, 0.0), mu, r, gamma, direction))
    assert least - 1e-9 <= value <= most + 1e-9, (epsilon, mu, r, gamma, value, truth)


@pytest.mark.parametrize("seed", range(3))
def test_profile_equals_the_closed_form_in_high_precision(seed):
    for case in cases(seed, 160):
        check(*case)


@pytest.mark.parametrize("delta", [1e-300, 1e-12, 1e-6, 1e-2, 0.5, 0.99])
def test_published_bound_is_never_below_the_exact_value(delta):
    rng = np.random.default_rng(7)
    mu = 10 ** rng.uniform(-8, 4, 4_000)
    shift = 10 ** rng.uniform(-4, 4, 4_000) * np.sqrt(mu)
    shift[:100] = 0.0
    rows = PosteriorSample(mu, shift)
    bound = rows.bound_epsilon(np.log(delta))
    assert (bound >= rows.epsilon(np.log(delta)) * (1 - 1e-12)).all()
    np.testing.assert_allclose(rows.bound_log_delta(bound), np.log(delta), rtol=1e-9, atol=1e-9)
    for epsilon in (0.0, 0.01, 1.0, 30.0):
        at = np.array(epsilon)
        assert (rows.bound_log_delta(at) >= rows.log_delta(at) - 1e-12).all()


def test_bound_formula(small):
    gamma, lam, delta = 3.0, 0.5, 1e-5
    result = dp.individual_privacy(small, dp.PosteriorSampling(gamma=gamma, lam=lam), delta=delta, method="bound")
    log = np.log(2 / delta)
    for row in (0, 11, 42):
        t = refit_without(small.X, small.y, lam, row)
        seven = 0.5 * abs(-np.log(1 + t.mu) + gamma * t.mu * t.r**2 / (1 + t.mu))
        seven += t.mu * log + abs(t.r) * np.sqrt(2 * gamma * t.mu * log)
        eight = 0.5 * (-np.log(1 - t.mu_in) + gamma * t.mu_in * t.r_in**2 / (1 - t.mu_in))
        eight += t.mu_in * log + abs(t.r_in) * np.sqrt(2 * gamma * t.mu_in * log)
        assert result.epsilon[row] == pytest.approx(max(seven, eight), rel=1e-9)


@pytest.mark.parametrize(
    "bad", [{"gamma": 0.0, "lam": 1.0}, {"gamma": 1.0, "lam": -1.0}, {"gamma": np.inf, "lam": 1.0}]
)
def test_parameters_are_checked(bad):
    with pytest.raises(dp.ParameterError, match="must be"):
        dp.PosteriorSampling(**bad)
