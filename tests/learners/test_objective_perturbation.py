"""Objective perturbation as learners: what they promise holds by another computation, and what they release has its law."""

from itertools import cycle

import numpy as np
import pytest

import dpcore as dp
from dpcore.learners import LEARNERS, RULES, ObjectivePerturbationLearner, rules
from tests.refusals import refuses

FACTS = dp.PublicFacts(n_samples=8000, n_features=40, domain=dp.Domain())
LOSSES = ("logistic", "squared", "poisson", "smoothed_hinge", "huber")


@pytest.mark.parametrize(("loss", "rule"), [*(("logistic", rule) for rule in RULES), *zip(LOSSES[1:], cycle(RULES))])
def test_every_rule_meets_the_target_and_so_does_every_loss(rule, loss):
    plan = dp.AMP(loss, epsilon=1.0, delta=1e-5, rule=rule).plan(FACTS)
    assert plan.profile.delta(1.0) <= 1e-5
    chosen = plan.parameters
    constants = dp.LOSSES[loss].constants(FACTS.domain, chosen["clip"])
    stated = dp.ApproximateMinimaPerturbation(
        chosen["sigma"], chosen["lam"], constants.lipschitz, constants.smoothness, chosen["tau"], chosen["sigma_out"],
        monotone=constants.monotone,
    )  # fmt: skip
    assert stated.delta(1.0) == plan.profile.delta(1.0)


@pytest.mark.parametrize("epsilon", [0.01, 8.0])
def test_target_is_met_and_little_is_wasted(epsilon):
    plan = dp.AMP("logistic", epsilon=epsilon, delta=1e-5).plan(FACTS)
    assert 0.99e-5 <= plan.profile.delta(epsilon) <= 1e-5
    assert plan.profile.second_shift == pytest.approx(1e-4 * min(1.0, epsilon))


@pytest.mark.thorough
@pytest.mark.parametrize(("tau", "sigma_out"), [(0.01, 0.02), (0.05, 0.15)])
def test_what_the_solver_does_not_need_is_left_to_the_minimiser(tau, sigma_out):
    """Also where the second release takes a visible part of ε: at the target δ nearly all of ε is used."""
    plan = dp.AMP("logistic", epsilon=1.0, tau=tau, sigma_out=sigma_out).plan(FACTS)
    assert plan.profile.second_shift > 0.1
    assert 0.97 <= plan.profile.epsilon(1e-5) <= 1.0


@pytest.mark.thorough
def test_a_solver_that_gives_away_the_budget_is_refused():
    refuses(dp.CalibrationError, "reveals more", dp.AMP("logistic", epsilon=0.1, tau=10.0, sigma_out=1e-9).plan, FACTS)


def ridge_excess(sigma, lam, n, d, theta_norm):
    """Mean excess of a ridge fit with the noise σ, of coefficients drawn at random, by matrices; C = .4 and β = .24."""
    h = 0.24 * n / np.arange(1, d + 1) / np.sum(1 / np.arange(1, d + 1))
    shrink = np.linalg.inv(np.diag(h) + lam * np.eye(d))
    error = (
        shrink @ (lam**2 * theta_norm**2 / d * np.eye(d) + sigma**2 * np.eye(d) + np.diag(h) * 0.1**2 / 0.24) @ shrink
    )
    return np.trace(np.diag(h) @ error)


@pytest.mark.parametrize(("epsilon", "n"), [(0.1, 200), (0.1, 8000), (8.0, 200)])
def test_best_rule_has_the_least_predicted_risk_of_all_that_is_private(epsilon, n):
    """Of λ at the smallest private value and above; the learner looks on a coarse contour."""
    facts = dp.PublicFacts(n, 40, FACTS.domain)
    found = ObjectivePerturbationLearner("logistic", epsilon=epsilon).plan(facts).parameters
    assert found["clip"] == pytest.approx(0.4)
    sigmas = 0.4 * dp.calibrate(dp.Gaussian, epsilon, 1e-5, bracket=(1e-3, 1e3)) * (1 + np.geomspace(1e-5, 2, 120))
    least = dp.smallest_lambda(epsilon, 1e-5, sigmas, lipschitz=0.4, smoothness=0.24)
    best = min(
        ridge_excess(sigma, up * lam, n, 40, 40**0.5)
        for sigma, lam in zip(sigmas, least, strict=True) if np.isfinite(lam) for up in (1.0, 1.5, 4.0)
    )  # fmt: skip
    assert ridge_excess(found["sigma"], found["lam"], n, 40, 40**0.5) <= 1.003 * best


def test_the_fewer_the_rows_the_larger_the_penalty():
    """With hardly any rows the release is the public constant: its noise predicts nothing."""
    lam = [dp.AMP("squared", 0.1).plan(dp.PublicFacts(n, 12, dp.Domain())).parameters for n in (20, 200, 20_000)]
    assert lam[0]["lam"] > 4 * lam[1]["lam"] > 4 * lam[2]["lam"]
    assert lam[0]["sigma"] / lam[0]["lam"] * 12**0.5 < 0.2


def test_given_numbers_that_miss_the_target_by_little_are_refused():
    chosen = ObjectivePerturbationLearner("logistic", epsilon=1.0).plan(FACTS).parameters
    given = {name: chosen[name] for name in ("sigma", "lam", "clip")}
    near = ObjectivePerturbationLearner("logistic", epsilon=1.001, **given).plan(FACTS)
    assert near.parameters["lam"] == chosen["lam"]
    with pytest.raises(dp.CalibrationError, match="above the target"):
        ObjectivePerturbationLearner("logistic", epsilon=0.99, **given).plan(FACTS)


@pytest.mark.parametrize("loss", LOSSES)
def test_natural_scale_is_the_largest_gradient_at_zero(loss):
    domain = dp.Domain(row_norm=1.7, target_bound=1.0)
    targets = {"logistic": [-1, 1], "smoothed_hinge": [-1, 1], "poisson": np.linspace(0, 1, 50)}
    y = np.asarray(targets.get(loss, np.linspace(-1, 1, 50)), dtype=float)
    h = 1e-6
    slopes = (dp.LOSSES[loss].value(np.full_like(y, h), y) - dp.LOSSES[loss].value(np.full_like(y, -h), y)) / (2 * h)
    assert rules.gradient_at_zero(dp.LOSSES[loss], domain) == pytest.approx(1.7 * np.abs(slopes).max(), rel=1e-4)


@pytest.mark.parametrize("bound", ["renyi", "hockey_stick"])
def test_too_small_lambda_is_refused_with_the_reason(bound):
    with pytest.raises(dp.CalibrationError, match="needs λ > β"):
        dp.AMP("logistic", epsilon=1.0, sigma=10.0, lam=0.1, bound=bound).plan(FACTS)


def test_explicit_noise_below_the_target_is_refused_with_what_would_do():
    small = dp.AMP("logistic", epsilon=1.0, sigma=2.0, lam=0.01)
    least = float(refuses(dp.CalibrationError, "the smallest λ at this σ is", small.plan, FACTS).rsplit(" ", 1)[1])
    assert dp.AMP("logistic", epsilon=1.0, sigma=2.0, lam=1.02 * least).plan(FACTS).profile.delta(1.0) <= 1e-5
    refuses(dp.CalibrationError, "raise sigma", dp.AMP("logistic", epsilon=1.0, sigma=0.5, lam=5.0).plan, FACTS)


def test_explicit_noise_without_a_target_states_what_it_gives():
    plan = ObjectivePerturbationLearner("logistic", sigma=4.0, lam=1.0, clip=1.0).plan(FACTS)
    same = dp.ObjectivePerturbation(4.0, 1.0, 1.0, 0.25)
    assert plan.profile.epsilon(1e-5) == pytest.approx(float(same.epsilon(1e-5)), rel=1e-12)


@pytest.mark.parametrize("name", ["amp", "objective_perturbation", "output_perturbation"])
def test_traps(name):
    kind = LEARNERS[name]
    tuned = {"epsilon": 1.0, "lam": "cv"} | ({} if name == "output_perturbation" else {"sigma": 1.0})
    refuses(
        dp.UnsupportedError, "intercept has no privacy guarantee", kind, "logistic", 1.0, regularise_intercept=False
    )
    refuses(dp.ParameterError, "without looking at the data", kind, "logistic", **tuned)


def test_bad_parameters_are_named():
    for options, word in (
        ({}, "epsilon is missing"),
        ({"epsilon": 1.0, "sigma": 1.0}, "sigma and lam together"),
        ({"epsilon": 1.0, "rule": "guess"}, "rule"),
        ({"epsilon": 1.0, "bound": "lower"}, "bound"),
        ({"epsilon": 1.0, "tau": 0.0}, "tau"),
        ({"epsilon": 1.0, "loss": "absolute"}, "loss"),
    ):
        refuses(dp.ParameterError, word, dp.AMP, **options)
    refuses(dp.UnsupportedError, "kifer", dp.AMP(epsilon=1.0, sigma=100.0, lam=100.0, bound="kifer").plan, FACTS)
