"""Selection mechanisms against enumeration of permutations, adaptive quadrature, and the definition of privacy."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from dpcore.mechanisms.selection import SELECTION_MECHANISMS, excess_error_bound, select, selection_probabilities

LISTS = [[3, 5, 4, 3], [0, 1, 2, 10, 40], [2.0, 2.5, 2.25, 9.0, 2.0]]


def permute_and_flip_by_enumeration(errors, epsilon):
    """Walk every order of the candidates, flipping a coin at each: the algorithm as published."""
    accept = np.exp(-epsilon * (np.array(errors) - min(errors)))
    result = np.zeros(len(errors))
    for order in itertools.permutations(range(len(errors))):
        alive = 1.0
        for i in order:
            result[i] += alive * accept[i]
            alive *= 1 - accept[i]
    return result / math.factorial(len(errors))


def noisy_max_by_quadrature(errors, epsilon):
    def below(x):  # of Laplace noise
        return 0.5 * math.exp(epsilon * x) if x < 0 else 1 - 0.5 * math.exp(-epsilon * x)

    def win(i):
        def integrand(t):
            density = 0.5 * epsilon * math.exp(-epsilon * abs(t + errors[i]))
            return density * math.prod(below(t + e) for j, e in enumerate(errors) if j != i)

        kinks = sorted({-float(e) for e in errors})
        edges = [kinks[0] - 60 / epsilon, *kinks, kinks[-1] + 60 / epsilon]
        return sum(quad(integrand, a, b, epsabs=1e-13, limit=400)[0] for a, b in itertools.pairwise(edges))

    return [win(i) for i in range(len(errors))]


@pytest.mark.parametrize("epsilon", [0.1, 4.0])
@pytest.mark.parametrize("errors", LISTS, ids=str)
def test_probabilities_against_enumeration_and_quadrature(errors, epsilon):
    weights = np.exp(-epsilon * (np.array(errors) - min(errors)))
    np.testing.assert_allclose(selection_probabilities(errors, epsilon), weights / weights.sum(), rtol=1e-13)
    flipped, noisy = (selection_probabilities(errors, epsilon, method) for method in ("permute_and_flip", "noisy_max"))
    np.testing.assert_allclose(flipped, permute_and_flip_by_enumeration(errors, epsilon), rtol=1e-10)
    np.testing.assert_allclose(noisy, noisy_max_by_quadrature(errors, epsilon), rtol=1e-7, atol=1e-11)


@pytest.mark.parametrize("method", SELECTION_MECHANISMS)
@pytest.mark.parametrize("count", [1, 3_000])
def test_candidates_alike_are_chosen_alike(method, count):
    np.testing.assert_allclose(selection_probabilities([2] * count, 1.0, method), 1 / count, rtol=1e-9)


@pytest.mark.parametrize("method", SELECTION_MECHANISMS)
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_every_neighbour_keeps_the_promise(method, epsilon):
    """A record added raises any subset of the counts by one: every subset of five candidates, both directions."""
    errors = np.array([2, 3, 2, 6, 4])
    before = selection_probabilities(errors, epsilon, method)
    worst = 0.0
    for change in itertools.product((0, 1), repeat=5):
        after = selection_probabilities(errors + np.array(change), epsilon, method)
        worst = max(worst, float(np.abs(np.log(after / before)).max()))
    assert 0.5 * epsilon < worst <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize("method", SELECTION_MECHANISMS)
def test_draws_follow_the_probabilities(method):
    errors = [3, 5, 4, 3, 9]
    chosen = select(errors, 0.7, np.random.default_rng(11), method, size=40_000)
    expected = 40_000 * selection_probabilities(errors, 0.7, method)
    assert stats.chisquare(np.bincount(chosen, minlength=5), expected).pvalue > 1e-4


@pytest.mark.parametrize("beta", [0.5, 0.05, 1e-6])
def test_the_tail_bound_holds_exactly(beta):
    """|H| − 1 candidates exactly at the bound's edge are the hard case; probabilities are exact, so no slack is needed."""
    for size, epsilon in ((10, 0.5), (1000, 1.0), (3, 4.0)):
        edge = excess_error_bound(size, epsilon, beta)
        errors = np.concatenate([[0.0], np.full(size - 1, edge * (1 + 1e-9))])
        missed = 1 - selection_probabilities(errors, epsilon)[0]
        assert 0.2 * beta * (1 - 1 / size) < missed <= beta
