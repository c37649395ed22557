"""AdaOPS: its guarantee against the profiles of records it admits, its parameters, its error against theory."""

import numpy as np
import pytest
from scipy import optimize, stats

import dpcore as dp
from dpcore.exhibits.paper_figures.efficiency import posterior_sample_error, simulate_efficiency
from dpcore.learners.adaops import AdaOPS, AdaptiveGuarantee
from dpcore.mechanisms.bounded_leverage import BoundedLeverageSample
from dpcore.mechanisms.posterior_sampling import PosteriorSampleRecord
from tests.errata.oracles import four_phis, gaussian_delta
from tests.learners.data import numbers
from tests.refusals import refuses

FACTS = dp.PublicFacts(20_000, 4, dp.Domain())


@pytest.mark.parametrize(("gamma", "h", "r"), [(0.05, 300.0, 3.0), (1.0, 20.0, 2.0), (1e-6, 5.0, 4.0)])
def test_the_worst_case_dominates_every_admitted_record_and_is_attained(gamma, h, r):
    worst = BoundedLeverageSample(gamma, h, r)
    epsilon = np.array([0.0, 0.05, 0.3, 1.0])
    for direction in ("add", "remove"):
        records = [
            PosteriorSampleRecord(mu, np.sqrt(gamma) * r).log_delta(epsilon, direction)
            for mu in np.geomspace(1e-6, 1, 400) / h
        ]
        highest = np.max(records, axis=0)
        found = worst.log_delta(epsilon, direction)
        assert (found >= highest - 1e-9).all()
        seen = highest > -500
        assert found[seen] == pytest.approx(highest[seen], rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("name", ["gamma", "curvature", "residual"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan])
def test_a_worst_case_of_impossible_numbers_is_refused(name, value):
    with pytest.raises(dp.ParameterError, match=name):
        BoundedLeverageSample(**({"gamma": 1.0, "curvature": 2.0, "residual": 3.0} | {name: value}))


def test_the_plan_meets_its_target_and_gamma_is_the_largest():
    learner = AdaOPS(epsilon=1.0, delta=1e-5)
    plan = learner.plan(FACTS)
    assert float(plan.profile.delta(1.0)) <= 1e-5
    chosen = plan.parameters
    sample = plan.profile.sample
    assert float(sample.delta(0.5)) == pytest.approx(1e-5 / 3, rel=1e-6)
    more = BoundedLeverageSample(sample.gamma * 1.01, sample.curvature, sample.residual)
    assert float(more.delta(0.5)) > 1e-5 / 3

    # the noise of the eigenvalue solves the analytic Gaussian equation for (ε/2, δ/3)
    root = optimize.brentq(lambda s: gaussian_delta(0.5, 1 / s) - 1e-5 / 3, 1, 100)
    assert chosen["sigma_eigenvalue"] == pytest.approx(root, rel=1e-6)
    assert chosen["offset"] == pytest.approx(chosen["sigma_eigenvalue"] * stats.norm.isf(1e-5 / 3) + 1)


def test_the_guarantee_adds_the_best_split_of_epsilon_and_what_may_be_wrong():
    """Lemma 18: the worst record with μ ≤ 1/h and |r| ≤ r̄ by closed forms, the eigenvalue's Gaussian, and a third δ."""
    gamma, h, residual, noise, wrong = 0.05, 60.0, 3.0, 4.0, 1e-4
    whole = AdaptiveGuarantee(dp.Gaussian(noise), BoundedLeverageSample(gamma, h, residual), wrong)
    for epsilon in (0.4, 1.2):
        splits = [
            gaussian_delta(share * epsilon, 1 / noise)
            + max(four_phis(mu, residual, gamma, (1 - share) * epsilon) for mu in np.geomspace(1e-2, 1, 40) / h)
            for share in np.linspace(0.02, 0.98, 49)
        ]
        assert float(whole.delta(epsilon)) == pytest.approx(min(splits) + wrong, rel=0.01)
    assert float(whole.delta(50.0)) == pytest.approx(wrong)
    assert float(AdaptiveGuarantee(dp.Gaussian(noise), whole.sample, 2.0).delta(0.1)) == 1


def test_the_formula_of_the_source_never_allows_more_than_the_exact_worst_case():
    for n, d, epsilon in ((20_000, 4, 1.0), (200_000, 10, 0.5), (50_000, 2, 2.0)):
        facts = dp.PublicFacts(n, d, dp.Domain())
        source = AdaOPS(epsilon=epsilon, kappa=1.5, method="source").plan(facts).parameters["gamma"]
        exact = AdaOPS(epsilon=epsilon, kappa=1.5).plan(facts).parameters["gamma"]
        assert source <= exact


def test_the_condition_of_the_source_is_kept_to_the_row():
    """κd(½ + log(6/δ))/n ≤ ε/8 with κ = 2, d = 4: one row fewer, and there is no plan."""
    least = int(np.ceil(8 * 2 * 4 * (0.5 + np.log(6 / 1e-5)) / 0.7))
    learner = AdaOPS(epsilon=0.7, delta=1e-5, kappa=2.0, method="source")
    assert learner.plan(dp.PublicFacts(least, 4, dp.Domain())).parameters["gamma"] > 0
    refuses(dp.CalibrationError, "use a smaller kappa", learner.plan, dp.PublicFacts(least - 1, 4, dp.Domain()))


def test_it_regularises_only_where_the_data_need_it():
    ds = numbers(20_000, 3)
    assert AdaOPS(kappa=2.0).fit(ds, 0).parameters["lam"] == 0
    X = ds.X.copy()
    X[:, 2] = 0.0
    poor = dp.Dataset.from_arrays(X, ds.y, domain=dp.Domain())
    release = AdaOPS(kappa=2.0).fit(poor, 0)
    chosen = release.parameters
    target, released, offset = (chosen[name] for name in ("target_eigenvalue", "released_eigenvalue", "offset"))
    assert chosen["lam"] >= target - 0.1
    assert chosen["lam"] == pytest.approx(target - released + offset)


def test_error_formula_is_the_mean_of_simulated_errors():
    rng = np.random.default_rng(3)
    X, theta = rng.normal(size=(50, 3)), np.array([0.5, -1.0, 0.2])
    gram, lam, gamma, sigma = X.T @ X, 20.0, 0.4, 0.7
    H = gram + lam * np.eye(3)
    y = X @ theta + sigma * rng.normal(size=(20_000, 50))
    noise = rng.normal(size=(20_000, 3)) @ np.linalg.inv(np.linalg.cholesky(H)) / gamma**0.5
    sample = np.linalg.solve(H, X.T @ y.T).T + noise
    errors = np.square(sample - theta).sum(axis=1)
    expected = posterior_sample_error(gram, lam, gamma, sigma**2, theta)
    assert errors.mean() == pytest.approx(expected, abs=4 * errors.std() / np.sqrt(20_000))


@pytest.mark.thorough
def test_efficiency_approaches_the_cramer_rao_bound_with_more_data():
    few, many = (simulate_efficiency(AdaOPS(epsilon=4.0, kappa=1.5), n, repeats=30, rng=1) for n in (1_000, 100_000))
    assert many.ratio < few.ratio
    for result in (few, many):
        assert result.measured == pytest.approx(result.predicted, abs=5 * result.standard_error)
        assert result.not_private == pytest.approx(result.cramer_rao, rel=0.6)


def test_what_cannot_be_met_is_refused_with_the_reason():
    refuses(dp.CalibrationError, "smaller kappa", AdaOPS(kappa=1e3).plan, dp.PublicFacts(50, 4, dp.Domain()))
    refuses(dp.ParameterError, "kappa must be > 0", AdaOPS, kappa=0.0)
    assert AdaOPS().plan(dp.PublicFacts(50, 4, dp.Domain())).parameters["kappa"] < 4


@pytest.mark.parametrize(("n", "d", "epsilon"), [(1000, 10, 1.0), (20_000, 4, 0.3)])
def test_the_assumed_condition_is_the_best_of_all(n, d, epsilon):
    """Of every κ that can be planned alone, the one with the least d/(2γ) + n/(2dκ)."""
    facts, found = dp.PublicFacts(n, d, dp.Domain()), {}
    for kappa in 4.0 * 0.5 ** np.arange(16):
        try:
            gamma = AdaOPS(epsilon, kappa=float(kappa)).plan(facts).parameters["gamma"]
        except dp.CalibrationError:
            continue
        found[d / (2 * gamma) + n / (2 * d * kappa)] = float(kappa)
    assert AdaOPS(epsilon).plan(facts).parameters["kappa"] == found[min(found)]
