"""Cases where public accountants, or earlier versions of this one, gave a wrong side."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.accountants.pld.convolve import ComposedDelta
from tests.accountants import oracles
from tests.accountants.homemade import Outcomes


@pytest.mark.parametrize("delta", [1e-12, 1e-15])
def test_small_delta_where_dp_accounting_rounds_below_or_above_the_truth(delta):
    """Which of both depends on the processor."""
    exact = float(dp.Gaussian(1.0).epsilon(delta))
    low, high = dp.compose([(dp.Gaussian(1000**0.5), 1000)]).epsilon(delta)
    assert low <= exact <= high <= exact * (1 + 1e-4)


@pytest.mark.parametrize(
    ("sigma", "rate", "count", "epsilon"),
    [
        (0.7528730924267509, 0.00016698197852260926, 100_000, 0.3689263326418357),
        (0.8107130599926486, 0.005457114111898497, 10_000, 8.58075561890504),
    ],
)
def test_near_the_boundary_of_two_very_unequal_ranges(sigma, rate, count, epsilon):
    moments = [(oracles.subsampled_gaussian_moment(sigma, rate, "remove"), count)]
    exact = oracles.contour_log_delta(moments, epsilon, digits=10)
    low, high = dp.compose([(dp.Subsampled(dp.Gaussian(sigma), rate), count)]).log_delta(epsilon, direction="remove")
    assert low <= exact <= high
    assert high - low <= 1e-2


def test_small_losses_narrower_than_a_step_beside_rare_large_ones():
    low, high = dp.compose([(dp.Subsampled(dp.Gaussian(0.3), 1e-4), 1000)]).log_delta(10.2, direction="remove")
    assert high - low <= 1e-4


def test_bounded_small_losses_cut_off_close_to_their_largest():
    sigma, rate, count, epsilon = 2.909937837501392, 0.0016760971625775967, 10_000, 0.10140194736499099
    low, high = dp.compose([(dp.Subsampled(dp.Gaussian(sigma), rate), count)]).log_delta(epsilon, direction="add")
    exact = oracles.contour_log_delta([(oracles.subsampled_gaussian_moment(sigma, rate, "add"), count)], epsilon)
    assert low <= exact <= high
    assert high - low <= 1e-4


def test_an_answer_at_the_cap_is_not_rounded_below_it():
    parts = [(dp.RandomizedResponse(2.050521282527407), 1), (dp.Laplace(0.7253922241875215), 2)]
    terms = [
        (lambda: oracles.randomized_response_terms(2.050521282527407), 1),
        (lambda: oracles.laplace_terms(0.7253922241875215), 2),
    ]
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


@pytest.mark.parametrize(
    ("present", "without", "count"),
    [
        (
            (0.6684511757253021, 0.159130848221243, 0.1724179760534549),
            (0.1441966839930529, 0.3788989341329367, 0.4769043818740104),
            2,
        ),
        (
            (0.3284410226430792, 0.36094673150711154, 0.3106122458498093),
            (0.5316385168427367, 0.05655513275736124, 0.411806350399902),
            3,
        ),
    ],
)
def test_one_atom_inside_the_support_is_not_moved_up_on_the_lower_side(present, without, count):
    p, q = np.ones(1), np.ones(1)
    for _ in range(count):
        p, q = np.outer(p, present).ravel(), np.outer(q, without).ravel()
    for epsilon in (0.0, 0.3, 1.0):
        exact = float(np.log(np.maximum(p - np.exp(epsilon) * q, 0.0).sum()))
        low, high = dp.compose([(Outcomes(present, without), count)]).log_delta(epsilon, direction="remove")
        assert exact - 1e-3 <= low <= exact <= high <= exact + 1e-3


@pytest.mark.parametrize("width", [1e-4, 1e-2])
@pytest.mark.parametrize(
    ("present", "without"),
    [((0.388, 0.05, 0.562), (0.629, 0.029, 0.342)), ((0.519, 0.19, 0.291), (0.165, 0.794, 0.041))],
)
def test_a_large_atom_beside_a_node_is_not_moved_up_on_the_lower_side(present, without, width):
    """Four answers, at every ε where the curve bends; the loss inside the support is negative."""
    p, q = np.ones(1), np.ones(1)
    for _ in range(4):
        p, q = np.outer(p, without).ravel(), np.outer(q, present).ravel()
    epsilon = np.unique(np.round(np.log(p / q), 12))
    epsilon = epsilon[epsilon > 0][:-1]
    exact = np.log(np.maximum(p - np.exp(epsilon)[:, None] * q, 0.0).sum(axis=1))
    low, high = dp.compose([(Outcomes(present, without), 4)], width=width).log_delta(epsilon, direction="add")
    assert np.all(low <= exact)
    assert np.all(exact <= high)
    assert np.all(high - low <= 1.5 * width)


def test_a_lower_side_with_nothing_left_in_its_window_is_zero():
    side = ComposedDelta(
        start=0.0,
        step=1.0,
        values=np.array([1e-4, 0.0, 0.0]),
        total=1e-4,
        log_total=700.0,
        outside=0.0,
        round_off=0.0,
        end=2.0,
        tilt=1.0,
        shift=0.0,
        slack=0.0,
    )
    assert np.isneginf(side.log_value(np.array([1.0, 1.5, 2.0, 3.0]), -1.0)).all()
