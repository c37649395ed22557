"""Private tuning against the formulas of Papernot and Steinke written out again, and against exact simulation-free laws."""

import math

import numpy as np
import pytest

import dpcore as dp
from tests.accountants.oracles import gaussian_curve

_SIGMA = 4.0
_ORDERS = np.geomspace(1e-4, 1e4, 20_001) + 1


def _poisson(alpha, mean):
    surcharge = mean * np.exp(gaussian_curve(np.log(alpha / (alpha - 1)), 1 / _SIGMA))
    return alpha / (2 * _SIGMA**2) + surcharge + math.log(mean) / (alpha - 1)


def _negative_binomial(alpha, mean, shape, rate):
    beta = _ORDERS
    price = np.min((1 - 1 / beta) * beta / (2 * _SIGMA**2) + math.log(1 / rate) / beta)
    return alpha / (2 * _SIGMA**2) + (1 + shape) * price + math.log(mean) / (alpha - 1)


@pytest.mark.parametrize("mean", [1.0, 10.0, 100.0])
@pytest.mark.parametrize("alpha", [1.5, 4.0, 30.0])
def test_poisson_number_of_runs(mean, alpha):
    direct = _poisson(alpha * np.geomspace(1, 1e3, 2001), mean).min()
    assert direct * (1 - 1e-4) <= dp.Tuned(dp.Gaussian(_SIGMA), "poisson", mean).renyi(alpha) <= direct * 1.1


def test_poisson_beyond_every_order_of_the_grid():
    """As α → ∞ the condition on ε falls to 0, where randomised response has δ = tanh(ε/2)."""
    tuned = dp.Tuned(dp.RandomizedResponse(0.5), "poisson", 10.0)
    assert tuned.renyi(1e13) == pytest.approx(0.5 + 10 * math.tanh(0.25), rel=1e-6)


@pytest.mark.parametrize(("shape", "mean"), [(1.0, 10.0), (0.0, 10.0), (0.5, 50.0), (-0.5, 5.0)])
@pytest.mark.parametrize("alpha", [1.5, 4.0, 30.0])
def test_truncated_negative_binomial_number_of_runs(shape, mean, alpha):
    tuned = dp.Tuned(dp.Gaussian(_SIGMA), "negative_binomial", mean, shape)
    k = np.arange(1, 400_000)
    log_mass = k * math.log1p(-tuned.rate) + np.cumsum(np.append(0.0, np.log((k[:-1] + shape) / (k[:-1] + 1))))
    mass = np.exp(log_mass - log_mass.max())
    assert np.sum(k * mass) / np.sum(mass) == pytest.approx(mean, rel=1e-6)
    direct = _negative_binomial(alpha * np.geomspace(1, 1e3, 301), mean, shape, tuned.rate).min()
    assert direct * (1 - 1e-4) <= tuned.renyi(alpha) <= direct * 1.01


def test_best_of_a_geometric_number_of_runs_costs_no_more_than_said():
    """Two outcomes, good or bad: the best of K is good unless all are bad, so both output laws are known."""
    budget, mean = 0.5, 6.0
    tuned = dp.Tuned(dp.RandomizedResponse(budget), "negative_binomial", mean, 1.0)
    truth = math.exp(budget) / (1 + math.exp(budget))

    def bad(each):
        return tuned.rate * each / (1 - (1 - tuned.rate) * each)

    p, q = bad(truth), bad(1 - truth)
    for epsilon in (0.1, 0.5, 1.0, 1.4):
        delta = max(p - math.exp(epsilon) * q, 0.0) + max(1 - p - math.exp(epsilon) * (1 - q), 0.0)
        reverse = max(q - math.exp(epsilon) * p, 0.0) + max(1 - q - math.exp(epsilon) * (1 - p), 0.0)
        assert max(delta, reverse) <= tuned.delta(epsilon)


@pytest.mark.parametrize("direction", ["add", "remove"])
def test_each_direction_takes_its_own_divergence(direction):
    base, mean, alpha = dp.Subsampled(dp.Gaussian(0.8), 0.2), 10.0, 1.2
    others = 1 + (alpha - 1) * np.geomspace(1, 1e3, 201)
    surcharge = mean * np.asarray(base.delta(np.log(others / (others - 1))))
    bounds = base.renyi(others, direction=direction) + surcharge + math.log(mean) / (others - 1)
    assert dp.Tuned(base, "poisson", mean).renyi(alpha, direction=direction) == pytest.approx(bounds.min(), rel=0.02)
    assert abs(base.renyi(4.0, direction="add") / base.renyi(4.0, direction="remove") - 1) > 0.2


def test_tuning_of_a_composed_pipeline():
    pipeline = dp.compose([(dp.Gaussian(20.0), 25)], "renyi").upper
    exact = dp.Tuned(dp.Gaussian(4.0), "negative_binomial", 10.0)
    assert dp.Tuned(pipeline, "negative_binomial", 10.0).renyi(8.0) == pytest.approx(float(exact.renyi(8.0)), rel=1e-9)
    by_pipeline, alone = (dp.Tuned(base, "poisson", 10.0).epsilon(1e-6) for base in (pipeline, dp.Gaussian(4.0)))
    assert by_pipeline >= alone


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"base": 3.0}, "base must be a mechanism"),
        ({"mean": 0.5}, "mean must be >= 1"),
        ({"distribution": "negative_binomial", "mean": 1.0}, "mean must be > 1"),
        ({"distribution": "negative_binomial", "shape": -1.0}, "shape must be > -1"),
    ],
)
def test_bad_tuning_gets_a_sentence(options, sentence):
    with pytest.raises(dp.ParameterError, match=sentence):
        dp.Tuned(**{"base": dp.Gaussian(1.0), **options})
