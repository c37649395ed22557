"""Sides of sampled runs against integrals that share nothing with them."""

import mpmath
import numpy as np
import pytest

import dpcore as dp
from dpcore.runs.budgets import Concentrated, WithinBudget
from dpcore.runs.sampling import OppositeRecords, ShuffledEpoch


def phi(x):
    return mpmath.ncdf(x)


@pytest.mark.parametrize("others", [0.0, 1.0])
@pytest.mark.parametrize(("sigma", "batches"), [(0.5, 1000), (1.0, 7)])
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 3.0])
def test_the_attack_on_the_largest_step_is_its_formula_at_the_best_threshold(sigma, batches, others, epsilon):
    """One threshold at a time in long arithmetic. More cells than thresholds can only add to what an attack achieves."""

    def gain(c):
        rest = phi(c) ** (batches - 1)
        with_record, without = (1 - rest * phi(c - (others + b) / sigma) for b in (1, 0))
        return with_record - mpmath.exp(epsilon) * without

    best = float(max(gain(mpmath.mpf(c)) for c in np.linspace(-2, 8, 401)))
    found = float(ShuffledEpoch(sigma, batches, others).delta(epsilon, direction="remove"))
    assert found == pytest.approx(best, rel=2e-3)


@pytest.mark.parametrize("direction", ["add", "remove"])
def test_an_attack_on_two_batches_stays_below_the_truth(direction):
    """The whole laws of two steps on a fine grid: the attack sees their maximum alone, so it is below, and not far below."""
    sigma, step = 0.9, 0.02
    x = np.arange(-7, 9, step)
    one, two = np.meshgrid(x, x)

    def law(shift):
        at = [np.exp(-((one - a) ** 2 + (two - b) ** 2) / 2) for a, b in ((shift / sigma, 0), (0, shift / sigma))]
        return sum(at) / (4 * np.pi)

    p, q = law(2.0), law(1.0)
    p, q = (p, q) if direction == "remove" else (q, p)
    for epsilon in (0.1, 0.8, 1.5):
        truth = np.maximum(p - np.exp(epsilon) * q, 0).sum() * step**2
        found = float(ShuffledEpoch(sigma, 2).delta(epsilon, direction=direction))
        assert 0.5 * truth < found < truth


def test_a_shuffled_epoch_is_no_more_than_one_release_without_sampling():
    for sigma in (0.5, 1.0):
        several = dp.compose([(ShuffledEpoch(sigma, 50), 3)]).epsilon(1e-5)[0]
        assert ShuffledEpoch(sigma, 50).epsilon(1e-5) < several < dp.compose([(dp.Gaussian(sigma), 3)]).epsilon(1e-5)[1]


@pytest.mark.parametrize(("sigma", "rate"), [(1.5, 0.05), (0.7, 0.3), (2.0, 1.0)])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_opposite_records_against_an_integral(sigma, rate, epsilon):
    s, q = mpmath.mpf(1) / sigma, mpmath.mpf(rate)
    p, other = (lambda x, m=m: (1 - q) * mpmath.npdf(x) + q * mpmath.npdf(x, m) for m in (s, -s))
    root = mpmath.findroot(lambda x: mpmath.log(p(x) / other(x)) - epsilon, (-0.1, 20), solver="anderson")
    truth = mpmath.quad(lambda x: p(x) - mpmath.exp(epsilon) * other(x), [root, root + 2, root + 6, root + 20])
    found = float(OppositeRecords(sigma, rate).delta(epsilon))
    assert found == pytest.approx(float(truth), rel=1e-6)
    assert found <= float(truth) * (1 + 1e-9)
    above = dp.Gaussian(sigma / 2) if rate == 1 else dp.Subsampled(dp.Gaussian(sigma / 2), rate)
    assert found <= float(above.delta(epsilon)) * (1 + 1e-9)


def test_budgets_are_what_nothing_within_them_exceeds():
    budget, epsilon = WithinBudget(1.0, 1e-3), np.linspace(0, 1.4, 15)
    assert np.all(budget.delta(epsilon) >= dp.RandomizedResponse(1.0).delta(epsilon))
    assert budget.delta(0.0) == pytest.approx(1e-3 + (1 - 1e-3) * np.tanh(0.5), rel=1e-12)
    assert budget.epsilon(1e-3) == pytest.approx(1.0, rel=1e-12)
    assert budget.epsilon(0.9e-3) == np.inf
    for delta in (2e-3, 0.1):
        assert budget.delta(budget.epsilon(delta)) == pytest.approx(delta, rel=1e-9)
    rho = 0.3
    gaussian = dp.Gaussian(1 / np.sqrt(2 * rho))
    assert np.all(Concentrated(rho).delta(epsilon + 0.3) >= gaussian.delta(epsilon + 0.3))
    assert Concentrated(rho).epsilon(1e-6) < 1.2 * float(gaussian.epsilon(1e-6))
