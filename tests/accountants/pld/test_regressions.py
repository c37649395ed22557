"""Cases where public accountants, or earlier versions of this one, gave a wrong side."""

from functools import partial

import numpy as np
import pytest

import dpcore as dp
from dpcore.accountants.pld.convolve import ComposedDelta
from tests.accountants import oracles
from tests.accountants.homemade import Outcomes


@pytest.mark.parametrize(
    ("sigma", "rate", "count", "epsilon", "direction", "width"),
    [
        (0.7528730924267509, 0.00016698197852260926, 100_000, 0.3689263326418357, "remove", 1e-2),
        (0.8107130599926486, 0.005457114111898497, 10_000, 8.58075561890504, "remove", 1e-2),
        (2.909937837501392, 0.0016760971625775967, 10_000, 0.10140194736499099, "add", 1e-4),
    ],
)
def test_near_the_boundary_of_unequal_ranges_and_the_largest_loss(sigma, rate, count, epsilon, direction, width):
    moments = [(oracles.subsampled_gaussian_moment(sigma, rate, direction), count)]
    exact = oracles.contour_log_delta(moments, epsilon, digits=10)
    low, high = dp.compose([(dp.Subsampled(dp.Gaussian(sigma), rate), count)]).log_delta(epsilon, direction=direction)
    assert low <= exact <= high
    assert high - low <= width


def test_small_losses_narrower_than_a_step_beside_rare_large_ones():
    low, high = dp.compose([(dp.Subsampled(dp.Gaussian(0.3), 1e-4), 1000)]).log_delta(10.2, direction="remove")
    assert high - low <= 1e-4


def test_an_answer_at_the_cap_is_not_rounded_below_it():
    parts = [(dp.RandomizedResponse(2.050521282527407), 1), (dp.Laplace(0.7253922241875215), 2)]
    terms = [(partial(oracles.randomized_response_terms, 2.050521282527407), 1)]
    terms += [(partial(oracles.laplace_terms, 0.7253922241875215), 2)]
    upper = dp.compose(parts).upper
    for log_delta in (-25.0, -31.5, -33.9, -np.inf):
        epsilon = float(upper.epsilon(log_delta=log_delta))
        assert oracles.residue_log_delta(terms, epsilon) <= max(log_delta, -1e300)
        assert epsilon <= (2.050521282527407 + 2 / 0.7253922241875215) * (1 + 1e-14)


def test_an_epsilon_a_rounding_error_below_the_cap_has_a_positive_upper_side():
    parts = [(dp.RandomizedResponse(0.06674014877788094), 1), (dp.RandomizedResponse(0.7011200245481426), 7)]
    epsilon = 4.974580320614879  # the cap is 1.4e-17 above; δ there is 4e-19
    for method in ("pld", "renyi"):
        assert dp.compose(parts, method).upper.log_delta(epsilon) >= -42.296278


RARE = (np.array([2e-4, 0.98779, 2e-5, 0.01199]), np.array([-0.18, -0.0087, 0.116, 1.1]))  # masses and losses
LAWS = {  # with the record and without it, how often, and the width
    "an atom inside the support": ((0.66845, 0.15913, 0.17242), (0.1442, 0.3789, 0.4769), 2, 1e-3),
    "another": ((0.32844, 0.36095, 0.31061), (0.53164, 0.05655, 0.41181), 3, 1e-3),
    "a large atom beside a node": ((0.388, 0.05, 0.562), (0.629, 0.029, 0.342), 4, 1e-4),
    "another, coarse": ((0.519, 0.19, 0.291), (0.165, 0.794, 0.041), 4, 1e-2),
    "a rare loss beyond a frequent one": (RARE[0], RARE[0] * np.exp(-RARE[1]), 2, 1e-4),
}


@pytest.mark.parametrize("case", LAWS)
def test_atoms_are_not_moved_up_on_the_lower_side(case):
    """At every ε where the curve bends, and between."""
    *laws, count, width = LAWS[case]
    laws = [np.array(law) / np.sum(law) for law in laws]
    bracket = dp.compose([(Outcomes(*map(tuple, laws)), count)], width=width)
    for direction, (first, second) in (("remove", laws), ("add", laws[::-1])):
        p, q = np.ones(1), np.ones(1)
        for _ in range(count):
            p, q = np.outer(p, first).ravel(), np.outer(q, second).ravel()
        epsilon = np.unique(np.round([0.0, 0.05, 0.3, *np.log(p / q)], 12))
        epsilon = epsilon[epsilon >= 0][:-1]
        exact = np.log(np.maximum(p - np.exp(epsilon)[:, None] * q, 0.0).sum(axis=1))
        low, high = bracket.log_delta(epsilon, direction=direction)
        assert np.all((low <= exact) & (exact <= high))
        assert np.all(high - low <= max(0.01, 2 * width))  # more than the width at an atom, where that is of ε


def test_a_lower_side_with_nothing_left_in_its_window_is_zero():
    side = ComposedDelta(0.0, 1.0, np.array([1e-4, 0.0, 0.0]), 1e-4, 700.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0)
    assert np.isneginf(side.log_value(np.array([1.0, 1.5, 2.0, 3.0]), -1.0)).all()
