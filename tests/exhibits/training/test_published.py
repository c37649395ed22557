"""The source's own settings against its formulas, and verdicts on its printed numbers."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

import dpcore as dp
from dpcore.exhibits import training
from dpcore.exhibits.training.published import PublishedTable, algorithm_1, dp_sgd, printed_beside
from tests.errata.oracles import gaussian_delta
from tests.learners.data import classes

LENGTH, DELTA = 2**0.5, 1e-5
FACTS = dp.PublicFacts(8000, 41, dp.Domain(row_norm=LENGTH, rows="normalize"))
ORDERS = 1 + np.geomspace(1e-2, 1e5, 20_001)


def amp_delta(sigma, lam, epsilon):
    """Theorem 3.2 with L = √2 and β = ½, the second release of Theorem 4.1 added, turned into δ at the best order."""
    t, s = ORDERS - 1, LENGTH / sigma
    exact = -np.log1p(-0.5 / lam) + s**2 / 2 + (np.log(2) + (s * t) ** 2 / 2 + norm.logcdf(s * t)) / t
    whole = exact + 2 * 0.01**2 * ORDERS / (0.15 * lam) ** 2
    return np.exp((t * (whole - epsilon) + t * np.log1p(-1 / ORDERS) - np.log(ORDERS)).min())


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_algorithm_1_runs_at_the_source_s_settings(epsilon):
    chosen = algorithm_1("logistic", epsilon).plan(FACTS).parameters
    sigma = 1.3 * brentq(lambda s: gaussian_delta(epsilon, LENGTH / s) - DELTA, 1e-2, 1e4)
    lam = brentq(lambda lam: np.log(amp_delta(sigma, lam, epsilon) / DELTA), 0.51, 1e4)
    expected = {"clip": LENGTH, "sigma": sigma, "tau": 0.01, "sigma_out": 0.15}
    assert {name: chosen[name] for name in expected} == pytest.approx(expected, rel=1e-6)
    assert lam * (1 - 1e-4) <= chosen["lam"] <= lam * 1.0012
    assert amp_delta(chosen["sigma"], chosen["lam"], epsilon) <= DELTA * (1 + 1e-6)


def test_dp_sgd_runs_at_the_source_s_settings():
    for tuning in ("honest", "dishonest"):
        learner = dp_sgd(tuning)
        assert (learner.epochs, learner.batch, learner.rates, learner.candidates) == (60, 256, (1e-8, 1e-1), 10)
        assert (learner.optimizer, learner.accountant, learner.tuning) == ("adam", "renyi", tuning)
        assert learner.clip is None  # the bound of the rows: √2 where they have a column of 1
        assert learner.loss.slope_bound(1.0) * FACTS.domain.row_norm == pytest.approx(LENGTH)


def series(name, means, errors, count=10):
    grid = np.array([0.1, 1.0, 8.0])
    return training.Series(name, "accuracy", grid, np.array(means), np.array(errors), np.full(3, count))


def test_a_verdict_looks_at_both_sides_and_at_both_means_noise():
    """A printed mean of ten trials has an error of its own: 0.5 % a trial is 0.16 %, so with ten splits here 0.44 % are allowed."""
    table = PublishedTable("", "", {"A": (90.0, 90.0, 90.0), "B": (1.0, 1.0, 1.0)}, ())
    one = 0.005 / np.sqrt(10)
    found = printed_beside(table, [series("a", [0.9043, 0.9045, 0.8955], [one] * 3)], {"A": "a"})
    assert [entry.verdict for entry in found] == ["reproduced", "printed lower", "printed higher"]
    assert found[0].tolerance == pytest.approx(1.96 * np.sqrt(2) * one)
    more = printed_beside(table, [series("a", [0.9043] * 3, [0.005 / np.sqrt(40)] * 3, 40)], {"A": "a"})
    assert more[0].tolerance == pytest.approx(1.96 * 0.005 * np.sqrt(1 / 10 + 1 / 40))
    assert more[0].verdict == "printed lower"
    assert printed_beside(table, [series("a", [0.9] * 3, [np.nan] * 3, 1)], {"A": "a"}) == []
    assert printed_beside(table, [series("a", [0.9] * 3, [one] * 3)], {"A": "another"}) == []


def test_the_best_of_a_grid_that_changes_nothing_is_better_than_its_mean():
    data = classes(300, 3)
    learner = dp.AMP("logistic", epsilon=0.5)
    found = training.best_of_grid(data, learner, trials=4, candidates=6)
    scores = np.array([training.live(data, learner, draws=6, repeat=trial).scores["accuracy"] for trial in range(4)])
    assert (found.mean, found.deviation) == (pytest.approx(scores.mean()), pytest.approx(scores.std()))
    columns = [sum(scores[trial][k] for trial in range(4)) / 4 for k in range(6)]
    assert found.best_average == pytest.approx(max(columns))
    assert found.average_best == pytest.approx(sum(max(row) for row in scores) / 4)
    assert found.mean < found.best_average < found.average_best
