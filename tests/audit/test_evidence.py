"""What counts prove: the bounds on ε and δ rest on the worst corner of the binomial bounds, here by statsmodels."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from dpcore.audit.bounds import clopper_pearson
from dpcore.audit.evidence import Evidence

LEVEL = 0.05


def corner(alarms, found, runs):
    """Most false alarms and fewest hits, each wrong with probability at most LEVEL/2."""
    most = proportion_confint(alarms, runs, LEVEL, method="beta")[1]
    fewest = proportion_confint(found, runs, LEVEL, method="beta")[0]
    return most, fewest


def evidence(alarms, found, runs):
    return Evidence(np.array([alarms]), np.array([found]), (runs, runs), clopper_pearson)


@pytest.mark.parametrize(("alarms", "found"), [(20, 700), (300, 980)])
def test_both_bounds_follow_from_the_most_false_alarms_and_the_fewest_hits(alarms, found):
    most, fewest = corner(alarms, found, 1000)
    proven = evidence(alarms, found, 1000)
    for delta in (0.0, 0.05):
        remove, add = np.log((fewest - delta) / most), np.log((1 - most - delta) / (1 - fewest))
        assert (remove > add) == (alarms == 20)  # either direction decides once
        assert proven.epsilon_lower(delta, LEVEL) == pytest.approx(max(remove, add), rel=1e-12)
    for epsilon in (0.0, 0.7):
        remove, add = fewest - np.exp(epsilon) * most, 1 - most - np.exp(epsilon) * (1 - fewest)
        assert proven.delta_lower(epsilon, LEVEL) == pytest.approx(max(remove, add, 0.0), abs=1e-12)


def test_counts_that_do_not_differ_prove_nothing():
    assert [evidence(count, count, 1000).epsilon_lower(0.0, LEVEL) for count in (0, 500)] == [0, 0]
    assert evidence(500, 500, 1000).delta_lower(0.0, LEVEL) == 0


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_the_bound_on_epsilon_fails_no_more_often_than_its_level(delta):
    """Rates ½e^{−0.4} and ½ + δ, whose ε at δ is 0.4: the share of draws in which the bound passes it."""
    rng = np.random.default_rng(1)
    rates = 0.5 * np.exp(-0.4), 0.5 + delta
    alarms, found = (rng.binomial(400, rate, 3000) for rate in rates)
    bounds = [evidence(a, f, 400).epsilon_lower(delta, 0.2) for a, f in zip(alarms, found, strict=True)]
    wrong = np.mean(np.array(bounds) > 0.4)
    assert 0 < wrong <= 0.2
