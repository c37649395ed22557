"""The expansion of objective perturbation of a GLM: the closed form of the squared loss, and quadrature over the noise."""

import numpy as np
import pytest
from scipy import stats

import dpcore as dp
from dpcore.glm import Squared
from dpcore.individual.analyses.glm_objective import GlmObjective
from dpcore.individual.analyses.objective_perturbation import LinearObjective
from dpcore.individual.exact.hockey_stick import log_hockey_stick
from dpcore.individual.fit.glm import Records
from tests.individual.conftest import labelled

LOG_DELTA = np.log([1e-3, 1e-6, 1e-12])


def squared_records(n=300, seed=0):
    """Records of the squared loss from hidden to glaring, and the same for the closed form."""
    rng = np.random.default_rng(seed)
    mu, shift = 10 ** rng.uniform(-5, 0.3, n), 10 ** rng.uniform(-3, 1, n)
    spread, norm, sigma = mu * 10 ** rng.uniform(-3, 0.7, n), rng.uniform(0.2, 3.0, n), 2.0
    y = rng.normal(size=n)
    margin = y + rng.choice([-1.0, 1.0], n) * shift * sigma / norm
    records = Records.straight(margin, mu, norm, spread / norm, y, np.full(n, np.inf))
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
    ours.known.norm[1] = 0.0
    assert list(ours.epsilon(-np.inf)) == [np.inf, 0.0, np.inf]
    assert ours.epsilon(LOG_DELTA[0])[1] == 0
    assert ours.log_delta(0.0)[1] == -np.inf


@pytest.mark.parametrize("way", ["add", "remove"])
def test_divergences_of_the_squared_loss_are_the_closed_form(way):
    ours, closed = squared_records(60)
    alpha = np.array([1.0, 1.5, 2.0, 8.0, 40.0])
    np.testing.assert_allclose(ours.renyi(alpha, way), closed.renyi(alpha, way), rtol=1e-7)


@pytest.mark.thorough
def test_the_expansion_is_near_exact_rows():
    """Straight lines are off by 0.8 to 2 % here."""
    mechanism = dp.ObjectivePerturbation(sigma=2.0, lam=1.0, loss="logistic")
    result = dp.individual_privacy(labelled(0, 200, 3, noise=0.6), mechanism)
    found = result.exact(result.most_exposed(1), 1e-3)
    assert (found.error < 1e-3).all()
    assert found.expansion_error < 0.005


def test_a_row_that_only_large_noise_shows_is_not_hidden():
    data = dp.load_sample("breast_cancer")
    release = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, loss="smoothed_hinge", domain=data.domain)
    exposures = dp.individual_privacy(data, release, 1e-6).exposures.take([17, 58, 153])
    z = np.tile(np.linspace(-9, 9, 1281), (3, 1))
    epsilon = np.repeat(exposures.epsilon(np.log(1e-6)), z.shape[1])
    log_delta = log_hockey_stick(exposures.expansion.lines(z).traced(), epsilon, "add")[0].reshape(z.shape)
    np.testing.assert_allclose((np.exp(log_delta) * stats.norm.pdf(z)).sum(axis=1) * 18 / 1280, 1e-6, rtol=1e-2)
