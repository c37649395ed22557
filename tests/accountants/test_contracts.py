"""Every accountant on several pipelines, against the contract of answers and against the certified bracket."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import dpcore as dp
from dpcore.accountants import METHODS
from tests.contracts import accountant

PIPELINES = {
    "gaussian": [(dp.Gaussian(5.0), 10)],
    "laplace": [(dp.Laplace(20.0), 5)],
    "discrete_gaussian": [(dp.DiscreteGaussian(3.0, 2), 4)],
    "subsampled": [(dp.Subsampled(dp.Gaussian(1.0), 0.1), 20)],
    "exponential": [(dp.ExponentialMechanism(0.3), 5)],
    "responses": [(dp.RandomizedResponse(0.5), 6)],
    "counts_and_numbers": [(dp.DiscreteGaussian(4.0), 6), (dp.Gaussian(8.0), 10)],
}
REFUSED = {
    ("laplace", "saddle"),
    ("responses", "saddle"),
    *((name, "optimal") for name in PIPELINES if name not in ("laplace", "exponential", "responses")),
}
DEAR = {("subsampled", "advanced"), ("counts_and_numbers", "advanced")}  # ten seconds each, and nothing new
ANSWERED = [(name, method) for name in PIPELINES for method in METHODS if (name, method) not in REFUSED | DEAR]


@cache
def answer(name: str, method: str) -> dp.Bracket:
    return dp.compose(PIPELINES[name], method)


@pytest.mark.parametrize("check", accountant.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(("name", "method"), ANSWERED)
def test_contract(name, method, check):
    check(answer(name, method))


@pytest.mark.parametrize(("name", "method"), sorted(REFUSED))
def test_what_does_not_apply_is_refused_in_words(name, method):
    at = accountant.grid(answer(name, "pld"))
    with pytest.raises(dp.UnsupportedError, match=r"[Uu]se method='pld'"):
        dp.compose(PIPELINES[name], method).estimate.delta(at)


@pytest.mark.parametrize(("name", "method"), [one for one in ANSWERED if one[1] != "pld"])
def test_no_upper_side_is_below_what_is_certified(name, method):
    certified, other = answer(name, "pld"), answer(name, method)
    points = np.linspace(0.0, float(certified.upper.epsilon(1e-9)), 6)
    low, high = (np.asarray(getattr(certified, side).delta(points)) for side in ("lower", "upper"))
    assert (np.asarray(other.upper.delta(points)) >= low * (1 - 1e-9)).all()
    assert (np.asarray(other.lower.delta(points)) <= high * (1 + 1e-9)).all()
    if method == "saddle":
        estimate = np.asarray(other.estimate.delta(points))
        assert ((low * (1 - 1e-8) <= estimate) & (estimate <= high * (1 + 1e-8))).all()


def lattice_sum(sigma: float, shift: int, count: int, epsilon: float) -> float:
    """δ(ε) of `count` discrete Gaussians, by convolving their masses."""
    reach = int(40 * sigma) + 3
    one = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    mass = np.array([1.0])
    for _ in range(count):
        mass = np.convolve(mass, one / one.sum())
    x = np.arange(mass.size) - (mass.size - 1) // 2
    loss = x * shift / sigma**2 + count * shift**2 / (2 * sigma**2)
    return float((mass * np.maximum(-np.expm1(np.minimum(epsilon - loss, 0.0)), 0.0)).sum())


@pytest.mark.parametrize(("sigma", "shift", "count"), [(1.0, 1, 3), (0.3, 1, 2), (0.7, 2, 5), (20.0, 3, 10)])
def test_discrete_gaussians_are_composed_to_the_last_digits(sigma, shift, count):
    mechanism = dp.DiscreteGaussian(sigma, shift)
    saddle, certified = (dp.compose([(mechanism, count)], method) for method in ("saddle", "pld"))
    for epsilon in np.array([0.0, 0.3, 1.0, 2.0]) * shift / sigma * count**0.5:
        exact = lattice_sum(sigma, shift, count, epsilon)
        assert float(saddle.estimate.delta(epsilon)) == pytest.approx(exact, rel=1e-12)
        low, high = certified.delta(epsilon)
        assert low / (1 + 1e-12) <= exact <= high / (1 - 1e-12)
        assert high - low < 1e-6 * exact


def test_rare_large_losses_of_a_narrow_lattice_are_certified():
    low, high = dp.compose([(dp.DiscreteGaussian(0.2), 10)]).epsilon(1e-5)
    assert high - low < 1e-6 * high
