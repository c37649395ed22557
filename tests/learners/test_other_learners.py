"""Output perturbation, posterior sampling and the baseline against independent computations."""

import numpy as np
import pytest
from scipy import optimize

import dpcore as dp
from dpcore.learners import NonPrivate, NoPrivacy, OutputPerturbationLearner, PosteriorSamplingLearner
from tests.learners.data import classes

FACTS = dp.PublicFacts(n_samples=8000, n_features=40, domain=dp.Domain())


def test_lambda_of_output_perturbation_has_the_least_predicted_risk():
    chosen = OutputPerturbationLearner("logistic", epsilon=1.0).plan(FACTS).parameters
    unit, norm = chosen["sigma_out"] * chosen["lam"], 2.4 * np.sqrt(40)

    def risk(lam):
        return lam * norm**2 / 2 + (8000 * 0.24 + lam) * 40 * (unit / lam) ** 2 / 2

    assert risk(chosen["lam"]) < min(risk(0.99 * chosen["lam"]), risk(1.01 * chosen["lam"]))


def test_lambda_of_a_posterior_sample_has_the_least_predicted_excess_of_its_grid():
    facts = dp.PublicFacts(2000, 6, dp.Domain())
    best = PosteriorSamplingLearner(epsilon=1.0).plan(facts).parameters["lam"]

    def excess(lam):
        return 6 / (2 * PosteriorSamplingLearner(epsilon=1.0, lam=lam).plan(facts).parameters["gamma"]) + lam / 2

    assert excess(best) < min(excess(best / 10**0.25), excess(best * 10**0.25))


def test_posterior_sample_refuses_a_lambda_whose_covariance_shows_too_much():
    with pytest.raises(dp.CalibrationError, match="too small: the covariance"):
        PosteriorSamplingLearner(epsilon=1.0, lam=0.5).plan(FACTS)
    given = PosteriorSamplingLearner(epsilon=1.0, lam=400.0).plan(FACTS)
    assert given.parameters["lam"] == 400.0


def test_baseline_is_the_plain_fit_and_promises_nothing():
    data = classes(200, 3)
    release = NonPrivate("logistic", lam=0.5).fit(data, 0)

    def gradient(theta):
        return -(data.y / (1 + np.exp(data.y * (data.X @ theta)))) @ data.X + 0.5 * theta

    assert release.theta == pytest.approx(optimize.root(gradient, np.zeros(3), tol=1e-12).x, abs=1e-6)
    assert (np.asarray(release.profile.delta([0.0, 1.0, 100.0])) == 1).all()
    assert (release.profile.epsilon(0.5), release.profile.tradeoff(0.3)) == (np.inf, 0)
    assert release.profile.renyi(2.0) == np.inf
    assert isinstance(release.profile, NoPrivacy)
