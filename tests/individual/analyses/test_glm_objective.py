"""The expansion of objective perturbation of a GLM: the closed form of the squared loss, and quadrature over the noise."""

import numpy as np
import pytest
from scipy import integrate, stats

import dpcore as dp
from dpcore.glm import LOSSES, Clipped, Squared
from dpcore.individual.analyses.glm_objective import GlmObjective
from dpcore.individual.analyses.objective_perturbation import LinearObjective
from dpcore.individual.fit.glm import Records
from dpcore.profiles import Bound

LOG_DELTA = np.log([1e-3, 1e-6, 1e-12])


def squared_records(n=300, seed=0):
    """Records of the squared loss from hidden to glaring, and the same for the closed form."""
    rng = np.random.default_rng(seed)
    mu, shift = 10 ** rng.uniform(-5, 0.3, n), 10 ** rng.uniform(-3, 1, n)
    spread, norm, sigma = mu * 10 ** rng.uniform(-3, 0.7, n), rng.uniform(0.2, 3.0, n), 2.0
    y = rng.normal(size=n)
    margin = y + rng.choice([-1.0, 1.0], n) * shift * sigma / norm
    records = Records(margin, mu, norm, spread / norm, y, np.full(n, np.inf))
    return GlmObjective(records, Squared(), sigma), LinearObjective(mu, shift, spread)


def test_the_squared_loss_gives_the_closed_form():
    ours, closed = squared_records()
    for log_delta in LOG_DELTA:
        np.testing.assert_allclose(ours.epsilon(log_delta), closed.epsilon(log_delta), rtol=2e-7, atol=1e-11)
    for epsilon in (0.0, 0.1, 1.0):
        expected = closed.log_delta(np.full(300, epsilon))
        seen = expected > -40
        np.testing.assert_allclose(ours.log_delta(epsilon)[seen], expected[seen], rtol=0, atol=1e-6)


def test_endless_noise_leaves_what_the_closed_form_says_no_noise_hides():
    ours, closed = (exposures.with_noise(np.inf) for exposures in squared_records(100))
    np.testing.assert_allclose(ours.epsilon(LOG_DELTA[1]), closed.epsilon(LOG_DELTA[1]), rtol=1e-8, atol=1e-10)


def test_no_finite_epsilon_has_delta_zero_and_a_record_of_zeros_has_no_loss():
    ours, _ = squared_records(3)
    ours.norm[1] = 0.0
    assert list(ours.epsilon(-np.inf)) == [np.inf, 0.0, np.inf]
    assert ours.epsilon(LOG_DELTA[0])[1] == 0
    assert ours.log_delta(0.0)[1] == -np.inf


@pytest.mark.parametrize("way", ["add", "remove"])
def test_divergences_of_the_squared_loss_are_the_closed_form(way):
    ours, closed = squared_records(60)
    alpha = np.array([1.0, 1.5, 2.0, 8.0, 40.0])
    np.testing.assert_allclose(ours.renyi(alpha, way), closed.renyi(alpha, way), rtol=1e-7)


CASES = {
    "logistic": (LOSSES["logistic"], np.inf, 1.0, 0.3),
    "logistic, clipped": (LOSSES["logistic"], 0.4, -1.0, 0.3),
    "poisson": (LOSSES["poisson"], np.inf, 3.0, 0.1),
    "poisson, clipped": (LOSSES["poisson"], 0.8, 0.0, 0.7),
    "huber": (LOSSES["huber"], np.inf, 1.3, 0.2),
    "smoothed hinge": (LOSSES["smoothed_hinge"], np.inf, 1.0, 0.6),
    "smoothed hinge, clipped": (LOSSES["smoothed_hinge"], 0.5, -1.0, -0.8),
    "pseudo-Huber": (LOSSES["pseudo_huber"], np.inf, -0.5, 0.2),
    "squared, clipped": (LOSSES["squared"], 0.7, 0.9, 0.1),
}


def plane(loss, limit, y, margin, *, epsilon, direction, leverage=0.4, norm=1.5, spread=0.2, sigma=1.2, bend=None):
    """δ by brute force: the masses of small cells under both laws, at each z; `bend` is (origin, κ)."""
    f = loss if np.isinf(limit) else Clipped(loss, np.array(limit))
    T, z = np.meshgrid(np.linspace(-9, 9, 3001), np.linspace(-7, 7, 281), indexing="ij")
    m = margin + sigma * spread * z - sigma * leverage / norm * T
    if bend is not None:
        m = bend[0] + np.log1p(bend[1] * (m - bend[0])) / bend[1]
    t = T - norm / sigma * f.derivative(m, np.array(y))
    absent, present = (np.diff(stats.norm.cdf(v), axis=0) for v in (T, t))
    first, second = (absent, present) if direction == "add" else (present, absent)
    inner = np.maximum(first - np.exp(epsilon) * second, 0.0).sum(axis=0)
    return integrate.trapezoid(inner * stats.norm.pdf(z[0]), z[0])


@pytest.mark.parametrize(
    ("name", "kappa"),
    [
        *((name, None) for name in CASES),
        *((name, kappa) for name in ("logistic", "logistic, clipped", "poisson", "huber") for kappa in (-0.03, 0.06)),
    ],
)
def test_delta_of_straight_and_bent_lines_by_brute_force_over_the_two_normals(name, kappa):
    loss, limit, y, margin = CASES[name]
    bend = () if kappa is None else (margin + 0.7, kappa)
    values = (np.array([v]) for v in (margin, 0.4, 1.5, 0.2, y, limit, *bend))
    profile = GlmObjective(Records(*values), loss, 1.2).profile(0)
    for epsilon in (0.0, 0.2, 0.8) if kappa is None else (0.0, 0.4):
        for direction in ("add", "remove"):
            expected = plane(loss, limit, y, margin, epsilon=epsilon, direction=direction, bend=bend or None)
            assert float(profile.delta(epsilon, direction)) == pytest.approx(expected, rel=3e-3, abs=1e-9)


@pytest.mark.thorough
def test_the_expansion_is_near_exact_rows():
    """Straight lines are off by 0.8 to 2 % here."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X /= np.maximum(1, np.linalg.norm(X, axis=1))[:, None]
    y = np.where(rng.random(200) < 1 / (1 + np.exp(-3 * X @ rng.normal(size=3))), 1.0, -1.0)
    mechanism = dp.ObjectivePerturbation(sigma=2.0, lam=1.0, loss="logistic")
    result = dp.individual_privacy(dp.Dataset.from_arrays(X, y), mechanism)
    found = result.exact(result.most_exposed(3), 5e-4)
    assert (found.error < 1e-3).all()
    assert found.expansion_error < 0.005


def test_the_profile_is_an_estimate_and_meets_its_target():
    loss, limit, y, margin = CASES["logistic"]
    profile = GlmObjective(Records(*(np.array([v]) for v in (margin, 0.4, 1.5, 0.2, y, limit))), loss, 1.2).profile(0)
    assert profile.bound is Bound.ESTIMATE
    assert float(profile.delta(profile.epsilon(1e-5))) == pytest.approx(1e-5, rel=1e-8)
    assert profile.delta(np.inf) == 0


def test_a_row_that_only_large_noise_shows_is_not_hidden():
    data = dp.load_sample("breast_cancer")
    release = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, loss="smoothed_hinge", domain=data.domain)
    exposures = dp.individual_privacy(data, release, 1e-6).exposures.take([17, 58, 153])
    z = np.tile(np.linspace(-9, 9, 1281), (3, 1))
    rule = exposures.expansion.nodes(z, stats.norm.logpdf(z) + np.log(18 / 1280))
    terms, _ = rule.log_delta(exposures.epsilon(np.log(1e-6)), "add")
    np.testing.assert_allclose(np.exp(terms).sum(axis=1), 1e-6, rtol=1e-2)


def spread_out(y, limit, n=20, seed=0):
    """Records of one loss whose margins and leverages are anything, and z of which moves the margin from hardly to most."""
    rng = np.random.default_rng(seed)
    norm = rng.uniform(0.3, 2.0, n)
    leverage = norm**2 * 10 ** rng.uniform(-3, -0.3, n)
    spread = leverage / norm * 10 ** rng.uniform(-2, 0.5, n)
    parts = rng.normal(size=n), leverage, norm, spread, np.full(n, y), np.full(n, limit)
    return Records(*parts, parts[0] + 0.3, rng.uniform(-0.03, 0.03, n))


@pytest.mark.parametrize("name", sorted(CASES.keys() - {"poisson"}))
@pytest.mark.parametrize("way", ["add", "remove"])
def test_integrals_over_the_margin_are_those_over_the_noise(name, way):
    """But of the Poisson loss, which 321 lines do not follow."""
    loss, limit, y, _ = CASES[name]
    records = spread_out(y, limit)
    expansion = GlmObjective(records, loss, 3.0).expansion
    epsilon = expansion.epsilon(LOG_DELTA[0]) * (1 if way == "add" else 0.9)
    z = np.tile(np.linspace(-8, 8, 321), (20, 1))
    terms, _ = expansion.nodes(z, stats.norm.logpdf(z) + np.log(16 / 320)).log_delta(epsilon, way)
    expected = np.exp(expansion.log_delta(epsilon, way))
    np.testing.assert_allclose(np.exp(terms).sum(axis=1), expected, rtol=2e-3, atol=1e-12)
