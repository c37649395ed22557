"""The release itself: its budget, its sensitivity, what it refuses, and that attacks do not refute it."""

from dataclasses import replace

import numpy as np
import pytest

import dpcore as dp
from dpcore.audit import Game, Pair, judge
from dpcore.individual.publication.plan import (
    publication_plan,
    publish_exposure,
    publish_with_own_bounds,
    worst_case_statement,
)
from dpcore.individual.publication.terms import Terms
from tests.individual.conftest import labelled, passes, random_data

RIDGE = dp.PosteriorSampling(gamma=1.0, lam=2.0)
LOGISTIC = dp.PosteriorSampling(gamma=1.0, lam=2.0, loss="logistic")


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("mechanism", [RIDGE, LOGISTIC], ids=["fit and counts", "counts alone"])
def test_budget_is_met_and_used(epsilon, mechanism):
    plan = planned(labelled(0, 30, 2), mechanism, epsilon=epsilon, publication_delta=1e-5)
    shifts = 1 / plan.count_sigma**2 + (0.0 if plan.fit_sigma is None else 1 / plan.fit_sigma**2)
    spent = float(dp.Gaussian(1 / np.sqrt(shifts), 1.0).epsilon(1e-5))
    assert dp.compose(plan.parts).upper.epsilon(1e-5) <= epsilon
    assert spent == pytest.approx(epsilon, rel=0.1 if epsilon > 1 else 0.03)
    assert (plan.fit_sigma is None) == (mechanism is LOGISTIC)
    assert plan.beta == (0.05 if mechanism is RIDGE else 0.0)


@pytest.mark.parametrize("mechanism", [RIDGE, LOGISTIC])
def test_one_row_changes_one_count_by_one(mechanism):
    data = labelled(0, 40, 3)
    plan = planned(data, mechanism, epsilon=1.0)
    bound = plan.bound(passes(data.X, data.y), np.random.default_rng(0))
    edges = plan.edges(bound)
    every = plan.counts(bound, edges, passes(data.X, data.y))
    assert every.sum() == 40
    for i in (0, 7, 39):
        rest = plan.counts(bound, edges, passes(np.delete(data.X, i, axis=0), np.delete(data.y, i)))
        assert sorted(every - rest) == [0] * (plan.terms.bins - 1) + [1]


@pytest.mark.parametrize("mechanism", [RIDGE, LOGISTIC])
def test_equal_released_numbers_give_equal_words(mechanism):
    """−X with −y has the same sums and the same lengths: with the same noise nothing published tells the two apart."""
    data = labelled(3, 50, 2)
    other = dp.Dataset.from_arrays(-data.X[::-1], -data.y[::-1], names=["p", "q"], target="z", domain=dp.Domain())
    first, second = (publish_exposure(one, mechanism, epsilon=2.0, rng=4) for one in (data, other))
    assert first.to_json() == second.to_json()
    assert publish_exposure(data, mechanism, epsilon=2.0, rng=5).counts != first.counts


@pytest.mark.parametrize("mechanism", [RIDGE, LOGISTIC])
def test_each_row_s_own_bound_needs_the_publication_and_that_row_alone(mechanism):
    data = labelled(3, 50, 2)
    found, own = publish_with_own_bounds(data, mechanism, 1e-6, Terms(2.0), rng=4)
    assert found.to_json() == publish_exposure(data, mechanism, 1e-6, epsilon=2.0, rng=4).to_json()
    assert (own >= dp.individual_privacy(data, mechanism, delta=1e-6).epsilon).all()
    assert own.max() <= found.edges[-1] * (1 + 1e-9)
    other = dp.Dataset.from_arrays(-data.X[::-1], -data.y[::-1], domain=dp.Domain())  # other rows with the same sums
    assert publish_with_own_bounds(other, mechanism, 1e-6, Terms(2.0), rng=4)[1][::-1] == pytest.approx(own)


def test_fresh_noise_unless_a_generator_is_given():
    data = labelled(3, 50, 2)
    assert publish_exposure(data, LOGISTIC, epsilon=2.0).counts != publish_exposure(data, LOGISTIC, epsilon=2.0).counts


def test_published_quantiles_are_above_those_of_the_rows():
    for seed in range(5):
        data = random_data(seed, 600, 3, domain=dp.Domain())
        exact = dp.individual_privacy(data, RIDGE)
        found = publish_exposure(data, RIDGE, epsilon=1.0, rng=seed)
        for share in (0.5, 0.9, 0.99):
            assert exact.quantiles(share) <= found.quantile(share)


def planned(data, mechanism, **terms):
    return publication_plan(data.domain, "", mechanism, 1e-6, Terms(**terms))


def log_ratio(plan, X, y, bound, noisy, edges):
    """log p(released | all rows) − log p(released | all but the first), by one who knows every row and the law of the noise."""
    rest = plan.counts(bound, edges, passes(X[1:], y[1:]))
    (own,) = np.flatnonzero(plan.counts(bound, edges, passes(X[:1], y[:1])))
    found = (noisy[own] - rest[own] - 0.5) / plan.count_sigma**2
    if plan.fit_sigma is None:
        return found
    fit, gram, moment = bound.fit, np.outer(X[0], X[0]), X[0] * y[0]
    missed = np.sum((fit.gram - X[1:].T @ X[1:]) * gram) + np.sum((fit.moment - X[1:].T @ y[1:]) * moment)
    return found + (missed - (np.sum(gram**2) + np.sum(moment**2)) / 2) / fit.sigma**2


def refutation(plan, claim, data, runs=100):
    """The audit's p-value for the claim, when `plan` is what is run with and without the first row."""

    known = None if plan.fit_sigma else plan.bound(passes(data.X, data.y), np.random.default_rng(0))

    def outputs(rows):
        def run(count, rng):
            found = []
            for _ in range(count):
                bound = known or plan.bound(passes(data.X[rows], data.y[rows]), rng)
                edges = plan.edges(bound)
                noisy = plan.noisy_counts(bound, edges, passes(data.X[rows], data.y[rows]), rng)
                found.append(log_ratio(plan, data.X, data.y, bound, noisy, edges))
            return np.array(found)[:, None]

        return run

    rest, every = np.arange(1, data.n_samples), np.arange(data.n_samples)
    pair = Pair(outputs(rest), outputs(every), log_ratio=lambda seen: seen[:, 0])
    game, rng = Game("a publication", pair, claim), np.random.default_rng(8)
    return judge(game, game.play(False, runs, rng), game.play(True, runs, rng)).p_value


@pytest.mark.thorough
@pytest.mark.parametrize("mechanism", [RIDGE, LOGISTIC])
def test_attack_refutes_half_the_budget_and_not_the_budget(mechanism):
    """A record of full length and target among five: with the noise of twice the budget the claim falls, as it stands not."""
    data = labelled(5, 4, 1)
    X = np.vstack([[1.0], data.X])
    data = dp.Dataset.from_arrays(X, np.append(-1.0, data.y), domain=dp.Domain())
    plan = planned(data, mechanism, epsilon=8.0)
    shifts = 1 / plan.count_sigma**2 + (0.0 if plan.fit_sigma is None else 1 / plan.fit_sigma**2)
    claim = dp.Gaussian(1 / np.sqrt(shifts), 1.0) if plan.fit_sigma else dp.compose(plan.parts).upper
    rigged = replace(
        plan, fit_sigma=plan.fit_sigma and plan.fit_sigma / 2, count_sigma=np.ceil(plan.count_sigma * 32) / 64
    )
    assert refutation(plan, claim, data) > 0.05
    assert refutation(rigged, claim, data) < 0.001


def test_what_has_no_guarantee_is_refused():
    data = labelled(0, 20, 2)
    free = dp.Dataset.from_arrays(data.X, data.y)
    rows = "\n".join(["a,y", *(f"{k % 7},{k % 5}" for k in range(30))]).encode()
    seen = dp.load_csv(rows, "y", domain=dp.Domain(from_data=True))
    objective = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, smoothness=1.0, loss="squared")
    for dataset, mechanism, options, kind, words in (
        (free, RIDGE, {}, dp.ParameterError, "needs a public domain"),
        (seen, RIDGE, {}, dp.UnsupportedError, "read off this file"),
        (data, dp.PosteriorSampling(1.0, 0.0), {}, dp.UnsupportedError, "lam = 0"),
        (data, dp.OutputPerturbation(1.0, 1.0, "gram"), {}, dp.UnsupportedError, "depends on the data"),
        (data, dp.PosteriorSampling(1.0, 1.0, loss="poisson"), {}, dp.DataError, "counts >= 0"),
        (data, objective, {"delta": 0.2}, dp.UnsupportedError, "0.1 only"),
        (data, dp.ObjectivePerturbation(1.0, 1.0, 1.0, 1.0), {}, dp.ParameterError, "names no model"),
        (data, dp.PosteriorSampling(1.0, 1.0, loss="squared", clip=1e-3), {"bins": 1}, dp.ParameterError, "bins"),
        (data, RIDGE, {"public_rows": 19}, dp.ParameterError, "public_rows"),
    ):
        with pytest.raises(kind, match=words):
            publish_exposure(dataset, mechanism, **{"epsilon": 1.0, "rng": 0, **options})


def test_costs_add_up_with_the_release_of_the_model():
    """Two Gaussian mechanisms and counts: shifts add in squares, and the counts by their own exact curve."""
    data = labelled(0, 20, 2)
    plan = planned(data, dp.OutputPerturbation(sigma=2.0, lam=1.0, loss="logistic"), epsilon=1.0)
    _, upper = dp.compose([dp.Gaussian(2.0, 1.0), dp.DiscreteGaussian(plan.count_sigma)]).epsilon(2e-6)
    said = plan.together
    assert upper <= float(said.split("ε = ")[1].split(" ")[0]) <= upper * 1.01
    linear = planned(data, RIDGE, epsilon=1.0)
    assert "number of rows, which is not stated as public" in linear.together
    worst = float(RIDGE.worst_case(dp.Domain(), 25).epsilon(1e-6))
    known = planned(data, RIDGE, epsilon=1.0, public_rows=25)
    total = float(known.together.split("ε = ")[1].split(" ")[0])
    assert total == pytest.approx(worst + 1.0, abs=0.1)
    assert "at most 25 rows" in known.together


def test_no_bound_exceeds_a_worst_case_that_may_be_stated():
    data = random_data(2, 40, 4, domain=dp.Domain())
    worst = float(RIDGE.worst_case(dp.Domain(), 40).epsilon(1e-6))
    free = publish_exposure(data, RIDGE, epsilon=0.5, rng=0)
    known = publish_exposure(data, RIDGE, epsilon=0.5, public_rows=40, rng=0)
    assert free.edges[-1] > worst == pytest.approx(known.edges[-1])


def test_worst_case_is_said_without_the_data():
    said = worst_case_statement(LOGISTIC, dp.Domain(), 1e-6)
    worst = float(LOGISTIC.worst_case(dp.Domain(), 0).epsilon(1e-6))
    assert worst <= float(said.split("ε = ")[1].split(" ")[0]) <= worst * 1.01
    with pytest.raises(dp.UnsupportedError, match="number of rows"):
        worst_case_statement(RIDGE, dp.Domain())
    assert "at most 100 rows" in worst_case_statement(RIDGE, dp.Domain(), public_rows=100)
