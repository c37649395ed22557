"""Centred training: what it promises is composed, what it releases is a predictor in the units of the data."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.audit import audit, learner_game
from dpcore.audit.attacks import available
from dpcore.learners import AMP, Centred, centred
from tests.contracts import learner as contracts
from tests.errata.oracles import gaussian_delta
from tests.refusals import refuses

FACTS = dp.PublicFacts(600, 5, dp.Domain(row_norm=2.0, target_bound=3.0))


def shifted(move, n=600, seed=0):
    """Rows around a point, up to 1.2 from it, then a constant column of 1; a linear target with little noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.3, 0.3, (n, 4))
    y = np.clip(0.4 + X @ [1.0, -2.0, 0.5, 0.0] + 0.02 * rng.standard_normal(n), -3, 3)
    return dp.Dataset.from_arrays(np.column_stack([X + move, np.ones(n)]), y, domain=FACTS.domain)


CONTRACTS = [one for one in contracts.CHECKS if one.__name__ in (
    "check_with_noise_keeps_the_claim", "check_plan_sees_public_facts_only", "check_target_is_never_exceeded",
    "check_release_holds_nothing_else_of_the_data", "check_says_what_it_is", "check_profile_is_a_profile",
    "check_choices_are_frozen_and_bad_targets_are_named",
)]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("check", CONTRACTS, ids=lambda check: check.__name__)
def test_contract(check):
    check(Centred)


@pytest.mark.parametrize(("loss", "epsilon", "others"), [("squared", 2.0, 3), ("logistic", 8.0, 2)])
def test_means_and_fit_together_cost_what_was_promised(loss, epsilon, others):
    """Above two Gaussian mechanisms of these σ, of which a fit costs at least one, and nearly all of δ is used."""
    plan = Centred(loss, epsilon, constant=0.5).plan(FACTS)
    lipschitz = plan.parameters["clip"]
    signal = np.sqrt(others / plan.parameters["sigma_means"] ** 2 + (lipschitz / plan.parameters["sigma"]) ** 2)
    assert gaussian_delta(epsilon, signal) <= plan.profile.delta(epsilon) <= 1e-5
    assert plan.profile.delta(epsilon) >= 0.9e-5
    assert others / plan.parameters["sigma_means"] ** 2 == pytest.approx(0.1 / gaussian(epsilon) ** 2, rel=1e-6)


def gaussian(epsilon):
    return dp.calibrate(dp.Gaussian, epsilon, 1e-5, bracket=(1e-3, 1e3))


def test_the_means_have_the_noise_that_is_accounted_for(monkeypatch):
    data, seen = shifted(0.3), []
    learner = Centred("squared", 2.0, constant=0.5)
    plan = learner.plan(FACTS)
    monkeypatch.setattr(centred, "_shrunk", lambda means, k, error: (seen.append(means), centred_at_zero(k))[1])
    for seed in range(40):
        learner._release(data, plan, np.random.default_rng(seed))
    exact = np.column_stack([data.X[:, :4] / 3**0.5, np.sum(data.X[:, :4] ** 2, axis=1) / 3, data.y / 3]).mean(axis=0)
    noise = (np.array(seen) - exact) * 600 / plan.parameters["sigma_means"]
    assert abs(noise.mean()) < 4 / 240**0.5
    assert 0.85 < noise.std() < 1.15


def centred_at_zero(columns):
    return np.zeros(columns), 0.0, 1.0


def test_without_noise_where_the_rows_lie_does_not_matter():
    """The predictor is that of least squares, wherever rows and targets are centred."""
    learner = Centred("squared", 8.0, constant=0.5)
    plan = learner.plan(FACTS).with_noise(1e-6)
    theta = [learner._release(shifted(move), plan, np.random.default_rng(1)).theta for move in (0.0, 0.5)]
    assert theta[0][:4] == pytest.approx(theta[1][:4], abs=1e-3)
    assert theta[0][:4] == pytest.approx([1.0, -2.0, 0.5, 0.0], abs=0.1)
    assert [one[4] + move * one[:4].sum() for one, move in zip(theta, (0.0, 0.5), strict=True)] == pytest.approx(
        [0.4] * 2, abs=0.01
    )


def test_it_pays_where_rows_are_off_centre():
    test = shifted(0.5, seed=1)
    errors = {
        kind: np.mean([np.mean((test.X @ kind("squared", 1.0, **more).fit(shifted(0.5), seed).theta - test.y) ** 2) for seed in range(5)])
        for kind, more in ((AMP, {}), (Centred, {"constant": 0.5}))
    }  # fmt: skip
    assert errors[Centred] < 0.7 * errors[AMP]


def test_at_a_hopeless_budget_a_number_is_predicted_by_its_mean():
    learner, facts = Centred("squared", 0.1, constant=0.5), dp.PublicFacts(200, 5, FACTS.domain)
    plan = learner.plan(facts)
    assert plan.profile.epsilon(0.0) == pytest.approx(0.1)
    found = np.array(
        [learner._release(shifted(0.0, 200), plan, np.random.default_rng(seed)).theta for seed in range(400)]
    )
    assert not found[:, :4].any()
    scale = 3.0 / 0.1 / 200
    kept = 0.75**2 / (0.75**2 + 2 * scale**2)
    assert found[:, 4].mean() == pytest.approx(shifted(0.0, 200).y.mean() * kept, abs=0.04)
    assert found[:, 4].std() == pytest.approx(2**0.5 * scale * kept, rel=0.2)


def test_labels_at_a_hopeless_budget_are_left_to_the_plain_learner():
    facts = dp.PublicFacts(200, 5, dp.Domain())
    assert Centred("logistic", 0.1).plan(facts) == AMP("logistic", 0.1).plan(facts)


def test_estimators_need_their_constant_column():
    refuses(
        dp.UnsupportedError, "fit_intercept", dp.sklearn.PrivateRidge(method="centred", fit_intercept=False)._learner
    )
    refuses(dp.ParameterError, "constant", Centred, constant=1.0)


@pytest.mark.thorough
@pytest.mark.parametrize("rows", [12, 150])
def test_an_attack_on_a_record_far_off_refutes_only_a_twin_with_less_noise(rows):
    """Of few rows the release is the mean; of more the record moves the centre, the radius and the fit."""
    data = shifted(0.0, rows)
    X, y = data.X.copy(), data.y.copy()
    X[0], y[0] = [1.7, 0.0, 0.0, 0.0, 1.0], 3.0
    data = dp.Dataset.from_arrays(X, y, domain=FACTS.domain)
    learner = Centred("squared", 3.0, 0.05, constant=0.5)
    assert ("scale_sum" in learner.plan(dp.PublicFacts.of(data)).parameters) == (rows == 12)

    class Broken(Centred):
        def _release(self, dataset, plan, rng):
            less = plan.with_noise(0.1)
            return super()._release(dataset, less, rng)

    for kind, refuted in ((Centred, False), (Broken, True)):
        game = learner_game(kind("squared", 3.0, 0.05, constant=0.5), data, 0)
        result = audit(game, 300, 2026, attack=available(game)[0], delta=0.05)
        assert result.refuted == refuted, (kind, result.p_value)
