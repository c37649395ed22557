"""DP-SGD: its accounting against another library, its steps against plain loops, its tuning against the published formula."""

from dataclasses import replace

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant
from scipy import stats

import dpcore as dp
from dpcore.exhibits import training
from dpcore.learners import NoPrivacy, Plan, dp_sgd
from dpcore.learners.dp_sgd import ClaimedProfile, noise_multiplier, runs_for, training_profile
from tests.learners.data import classes, numbers, replaced

FACTS = dp.PublicFacts(n_samples=2000, n_features=5, domain=dp.Domain())


def _event(chosen):
    step = dp_event.PoissonSampledDpEvent(chosen["sampling_rate"], dp_event.GaussianDpEvent(chosen["noise_multiplier"]))
    return dp_event.SelfComposedDpEvent(step, int(chosen["steps"]))


@pytest.mark.parametrize("epsilon", [0.3, 8.0])
def test_noise_meets_the_target_by_another_library(epsilon):
    chosen = dp.DPSGD("logistic", epsilon=epsilon, epochs=10, batch=100).plan(FACTS).parameters
    assert (chosen["sampling_rate"], chosen["steps"]) == (0.05, 200)
    other = PLDAccountant(value_discretization_interval=1e-3).compose(_event(chosen))
    assert other.get_epsilon(1e-5) == pytest.approx(epsilon, rel=0.01)


@pytest.mark.thorough
def test_renyi_noise_meets_the_target_by_another_library():
    chosen = dp.DPSGD("logistic", epsilon=1.0, epochs=10, batch=100, accountant="renyi").plan(FACTS).parameters
    other = RdpAccountant(orders=[1 + x / 10 for x in range(1, 400)]).compose(_event(chosen))
    assert other.get_epsilon(1e-5) == pytest.approx(1.0, rel=0.01)


@pytest.mark.thorough
def test_honest_tuning_pays_the_published_price():
    """Papernot and Steinke's bound by hand, from dp-accounting's Rényi curve of one run and its noisy score."""
    learner = dp.DPSGD("logistic", epsilon=2.0, epochs=4, batch=100, tuning="honest")
    plan = learner.plan(FACTS)
    chosen = plan.parameters
    assert chosen["mean_runs"] == pytest.approx(15.4, abs=0.05)
    assert stats.poisson.sf(10, chosen["mean_runs"]) == pytest.approx(0.9, abs=1e-9)
    orders = np.linspace(1.5, 120.0, 238)
    accountant = RdpAccountant(orders=list(orders)).compose(_event(chosen))
    accountant.compose(dp_event.GaussianDpEvent(chosen["score_sigma"]))
    curve = np.array(accountant._rdp)
    best = np.inf
    for k in range(len(orders)):
        at = np.log(orders[k] / (orders[k] - 1))
        delta_hat = min(1.0, np.exp(np.min((orders - 1) * (curve - at + np.log1p(-1 / orders)) - np.log(orders))))
        tuned = curve[k] + chosen["mean_runs"] * delta_hat + np.log(chosen["mean_runs"]) / (orders[k] - 1)
        best = min(best, tuned + np.log1p(-1 / orders[k]) - (np.log(1e-5) + np.log(orders[k])) / (orders[k] - 1))
    assert best == pytest.approx(2.0, rel=0.01)
    assert plan.profile.delta(2.0) <= 1e-5


@pytest.mark.thorough
def test_the_price_of_honest_tuning_is_noise_or_budget():
    """Of the plan above, which is known by now: its calibration is seconds of quadrature."""
    cost = training.tuning_cost(dp.DPSGD("logistic", epsilon=2.0, epochs=4, batch=100), FACTS)
    assert cost.mean_runs == pytest.approx(15.4, abs=0.05)
    assert cost.noise_honest > 1.5 * cost.noise_one_run
    assert cost.epsilon_one_run < 2.0 < cost.epsilon_all_runs


def test_dishonest_tuning_is_a_claim():
    plan = dp.DPSGD("logistic", epsilon=1.0, tuning="dishonest").plan(FACTS)
    single = dp.DPSGD("logistic", epsilon=1.0).plan(FACTS)
    assert plan.profile.bound is dp.Bound.CLAIMED
    assert isinstance(plan.profile, ClaimedProfile)
    assert plan.parameters["noise_multiplier"] == single.parameters["noise_multiplier"]
    assert plan.profile.delta(0.7) == single.profile.delta(0.7)
    assert "claim" in plan.notes[0]


def test_noise_multiplier_is_within_its_tolerance_and_one_full_step_is_gaussian():
    assert noise_multiplier(1.0, 1e-5, 1.0, 1) == pytest.approx(3.730632, rel=1.1e-3)
    least = noise_multiplier(50.0, 1e-2, 1e-3, 2)  # no noise reaches this δ: the least that is searched
    assert least == pytest.approx(0.2)
    z = noise_multiplier(3.0, 1e-6, 0.1, 30)
    assert training_profile(z, 0.1, 30, 0.0, 0.0, "pld").delta(3.0) <= 1e-6
    assert training_profile(z * 0.998, 0.1, 30, 0.0, 0.0, "pld").delta(3.0) > 1e-6
    assert runs_for(1) < runs_for(10)


@pytest.mark.parametrize("loss", ["logistic", "squared", "poisson", "huber", "smoothed_hinge"])
def test_clipped_gradients_against_a_loop(loss):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3))
    X[0] = 0
    y = np.abs(np.sign(X @ np.ones(3))) if loss == "poisson" else np.where(rng.random(50) < 0.5, 1.0, -1.0)
    theta, clip, total = rng.standard_normal(3), 0.4, np.zeros(3)
    for row, target in zip(X, y, strict=True):
        gradient = float(dp.LOSSES[loss].derivative(np.array(row @ theta), np.array(target))) * row
        total += gradient * min(1, clip / max(np.linalg.norm(gradient), 1e-300))
    found = dp_sgd.Descent(dp.LOSSES[loss], X, y, clip, "sgd").clipped_sum(theta, np.arange(50))
    assert found == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_steps_without_noise_against_a_loop(optimizer):
    data = classes(60, 3)
    descent = dp_sgd.Descent(dp.LOSSES["logistic"], data.X, data.y, 0.5, optimizer)
    *_, found = descent.path(0.1, 25, 1.0, 0.0, np.random.default_rng(0))
    theta, m, v = np.zeros(3), np.zeros(3), np.zeros(3)
    for t in range(1, 26):
        slope = np.clip(-data.y / (1 + np.exp(data.y * (data.X @ theta))), -0.5, 0.5)
        g = slope @ data.X / 60
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        step = g if optimizer == "sgd" else (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        theta = theta - 0.1 * step
    assert found == pytest.approx(theta, abs=1e-10)


def test_one_noisy_step_has_its_law():
    """From θ = 0 a step with rate q adds Bernoulli(q) records and Gaussian noise: mean and covariance are known."""
    data = numbers(40, 2)
    descent = dp_sgd.Descent(dp.LOSSES["squared"], data.X, data.y, 0.3, "sgd")
    rng = np.random.default_rng(5)
    q, noise = 0.25, 1.5
    draws = np.array([-q * 40 * list(descent.path(1.0, 1, q, noise, rng))[-1] for _ in range(4000)])
    each = np.clip(-data.y, -0.3, 0.3)[:, None] * data.X
    mean, covariance = q * each.sum(axis=0), q * (1 - q) * each.T @ each + noise**2 * np.eye(2)
    assert np.abs(draws.mean(axis=0) - mean).max() < 4 * noise / np.sqrt(4000)
    assert np.cov(draws.T) == pytest.approx(covariance, abs=0.2)
    white = np.linalg.solve(np.linalg.cholesky(covariance), (draws - mean).T)
    assert stats.kstest(white.ravel(), "norm").pvalue > 1e-3


@pytest.mark.parametrize("loss", ["logistic", "squared", "poisson", "huber", "smoothed_hinge"])
def test_one_record_changes_the_score_by_at_most_its_width(loss):
    """Which is the most that a record's loss can fall below that at θ = 0."""
    kind, labels = dp.LOSSES[loss], loss in ("logistic", "smoothed_hinge")
    for bound in (1.0,) if labels else (1.0, 3.0):
        width = dp_sgd.score_width(kind, bound)
        reached = 0.0
        for y in [-1.0, 1.0] if labels else [0.0, 0.4 * bound, bound]:
            for u in np.linspace(-30, 30, 481):
                change = dp_sgd.public_score(kind, np.array([u]), np.array([y]), width)
                assert abs(change) <= width
                reached = max(reached, -float(np.diff(kind.value(np.array([0.0, u]), np.array([y, y])))[0]))
        assert width == pytest.approx(reached, rel=0.01)


def test_honest_tuning_draws_as_many_rates_as_it_pays_for():
    """A Poisson number of mean μ, each log-uniform."""
    learner = dp.DPSGD("logistic", tuning="honest", rates=(1e-3, 1e1))
    drawn = [learner._rates(np.random.default_rng(seed)) for seed in range(1000)]
    counts = np.array([len(rates) for rates in drawn])
    assert counts.mean() == pytest.approx(15.4, abs=4 * np.sqrt(15.4 / 1000))
    assert counts.var() == pytest.approx(15.4, rel=4 * np.sqrt(2 / 1000))
    assert stats.kstest((np.log10(np.concatenate(drawn)) + 3) / 4, "uniform").pvalue > 1e-3


def test_honest_runs_learn_and_no_run_gives_zero():
    data = classes(400, 3)
    learner = dp.DPSGD("logistic", epsilon=8.0, epochs=5, batch=50, tuning="honest", rates=(1e-2, 1.0), candidates=1)
    chosen = {"clip": 1.0, "noise_multiplier": 1.0, "sampling_rate": 0.125, "steps": 40, "score_sigma": 2.0}
    counts = [np.random.default_rng(seed).poisson(learner.mean_runs) > 0 for seed in range(400)]
    nothing, something = (
        learner._release(data, Plan(NoPrivacy(), chosen), np.random.default_rng(counts.index(some)))
        for some in (False, True)
    )
    assert (nothing.theta == 0).all()
    assert np.mean((data.X @ something.theta > 0) == (data.y > 0)) > 0.6
    assert 1e-2 <= something.parameters["learning_rate"] <= 1.0


def test_the_noise_of_a_score_is_in_units_of_what_one_record_changes():
    """Two runs without noise in their steps: the better one wins as often as noise of 4.5 score_sigma says, 4.5 = 3²/2."""
    data, rates = numbers(40, 2, bound=3.0), np.array([0.5, 0.1])
    learner = replaced(dp.DPSGD, _rates=lambda self, rng: rates)("squared", optimizer="sgd", tuning="honest")
    u = np.outer(rates, data.X.T @ data.y / 40) @ data.X.T
    scores = np.clip((data.y**2 - (data.y - u) ** 2) / 2, -4.5, 4.5).sum(axis=1)
    sigma = (scores[0] - scores[1]) / np.sqrt(2) / 4.5
    chosen = {"clip": 100.0, "noise_multiplier": 0.0, "sampling_rate": 1.0, "steps": 1, "score_sigma": sigma}
    plan = Plan(NoPrivacy(), chosen)
    won = [
        learner._release(data, plan, np.random.default_rng(s)).parameters["learning_rate"] == 0.5 for s in range(400)
    ]
    assert np.mean(won) == pytest.approx(stats.norm.cdf(1.0), abs=4 * np.sqrt(0.84 * 0.16 / 400))


def test_bad_parameters_are_named():
    for options, word in (
        ({"optimizer": "lion"}, "optimizer"),
        ({"tuning": "secret"}, "tuning"),
        ({"rates": (1.0, 0.1)}, "low <= high"),
        ({"batch": 2.5}, "batch"),
        ({"accountant": "basic"}, "accountant"),
    ):
        with pytest.raises(dp.ParameterError, match=word):
            dp.DPSGD("logistic", **options)


def test_of_all_rates_the_model_of_the_best_score_is_released(monkeypatch):
    data, seen = classes(60, 3), []

    def path(self, rate, steps, share, noise, rng):
        seen.append(noise)
        yield 2.0 * rate * self.X.T @ self.y / 60 - rate**2 * np.ones(3)

    monkeypatch.setattr(dp_sgd.Descent, "path", path)
    learner = dp.DPSGD("logistic", tuning="dishonest", rates=(1e-2, 1e2), clip=0.5)
    plan = learner.plan(dp.PublicFacts(n_samples=60, n_features=3, domain=dp.Domain()))
    chosen = {**plan.parameters, "noise_multiplier": 3.0, "score_sigma": 0.0}
    found = learner._release(data, replace(plan, parameters=chosen), np.random.default_rng(0))
    models = [2.0 * rate * data.X.T @ data.y / 60 - rate**2 * np.ones(3) for rate in learner._rates(None)]
    gained = [np.log(2) - np.logaddexp(0, -data.y * (data.X @ theta)) for theta in models]
    best = int(np.argmax([np.clip(one, -np.log(2), np.log(2)).sum() for one in gained]))
    assert 0 < best < len(models) - 1
    assert found.parameters["learning_rate"] == pytest.approx(learner._rates(None)[best])
    assert found.theta == pytest.approx(models[best])
    assert set(seen) == {3.0 * chosen["clip"]}
