"""Certified composition: exact cases, peers, and what must hold whatever is composed."""

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as peer

import dpcore as dp
from dpcore.accountants.parts import LargestPart
from tests.accountants import oracles
from tests.accountants.homemade import HalfNormal, WaitingTime, waiting_time_log_delta

_MIX = [(dp.Gaussian(20.0), 20), (dp.Laplace(10.0), 20), (dp.Subsampled(dp.Gaussian(1.0), 0.02), 100)]


@pytest.mark.parametrize(("count", "width"), [(2, 1e-4), (2, 1e-5), (1_000, 1e-4), (1_000, 1e-5), (100_000, 1e-4)])
def test_gaussians_compose_to_a_gaussian(count, width):
    sigma = 2.0 * count**0.5
    bracket, exact = dp.compose([(dp.Gaussian(sigma), count)], width=width), dp.Gaussian(2.0)
    for delta in (1e-2, 1e-9, 1e-15):
        low, high = bracket.epsilon(delta)
        assert low <= exact.epsilon(delta) <= high
        assert bracket.width(high) <= width


@pytest.mark.parametrize("width", [1e-3, 1e-4, 1e-5, 1e-6])
def test_brackets_nest_around_the_exact_answer(width):
    exact = oracles.residue_log_delta([(lambda: oracles.laplace_terms(4.0), 12)], 1.5)
    low, high = dp.compose([(dp.Laplace(4.0), 12)], width=width).log_delta(1.5)
    assert low <= exact <= high
    assert high - low <= 1.1 * width


def test_the_trade_off_of_gaussians_composed_is_that_of_one():
    fpr = np.array([0.01, 0.3, 0.9, 0.99])
    composed = dp.compose([(dp.Gaussian(2.0), 4)]).upper
    for direction in ("both", "add"):
        assert composed.tradeoff(fpr, direction=direction) == pytest.approx(dp.Gaussian(1.0).tradeoff(fpr), abs=1e-5)


def test_order_and_splitting_do_not_matter():
    shuffled = [_MIX[2], (dp.Gaussian(20.0), 5), _MIX[1], (dp.Gaussian(20.0), 15)]
    assert dp.compose(shuffled).log_delta(1.0) == dp.compose(_MIX).log_delta(1.0)


def test_directions_are_composed_separately():
    bracket = dp.compose([(dp.Subsampled(dp.Gaussian(1.0), 0.3), 20)])
    upper = {one: bracket.upper.log_delta(1.0, direction=one) for one in ("add", "remove", "both")}
    assert upper["add"] < upper["remove"] - 0.01
    assert upper["both"] == max(upper["add"], upper["remove"])
    for direction in ("add", "remove"):
        moments = [(oracles.subsampled_gaussian_moment(1.0, 0.3, direction), 20)]
        low, high = bracket.log_delta(1.0, direction=direction)
        assert low <= oracles.contour_log_delta(moments, 1.0, digits=10) <= high


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("rate", "sigma", "count", "delta"),
    [(1e-4, 2.0, 10, 1e-15), (1e-4, 1.0, 10, 1e-12), (1e-4, 1.0, 1_000, 1e-15), (1e-4, 0.5, 1_000, 1e-9)],
)
def test_rare_large_losses_keep_the_bracket_narrow(rate, sigma, count, delta):
    bracket = dp.compose([(dp.Subsampled(dp.Gaussian(sigma), rate), count)])
    epsilon = float(bracket.upper.epsilon(delta, direction="remove"))
    assert bracket.width(epsilon, direction="remove") <= 1e-4


@pytest.mark.parametrize("direction", ["add", "remove"])
def test_a_mechanism_given_by_log_delta_alone_composes(direction):
    bracket = dp.compose([(WaitingTime(1.4), 30)])
    for delta in (1e-3, 1e-8):
        epsilon = float(bracket.upper.epsilon(delta, direction=direction))
        low, high = bracket.log_delta(epsilon, direction=direction)
        assert low <= waiting_time_log_delta(1.4, 30, epsilon, direction) <= high
        assert high - low <= 1e-4


def test_infinite_losses_survive_composition():
    bracket = dp.compose([(HalfNormal(0.1), 4)])
    missed = float(np.exp(HalfNormal(0.1).log_delta(1e6, direction="add")))
    truth = -np.expm1(4 * np.log1p(-missed))
    for epsilon in (0.0, 1e6):  # no finite loss is positive, so the curve is flat from 0 on
        low, high = bracket.delta(epsilon, direction="add")
        assert low <= truth <= high
        assert high - low <= 1e-8
    assert bracket.upper.epsilon(0.5 * truth, direction="add") == np.inf


def test_brackets_meet_those_of_dp_accounting():
    options = {"value_discretization_interval": 1e-3}
    sides = []
    for pessimistic in (True, False):
        laws = [
            peer.from_gaussian_mechanism(20.0, pessimistic_estimate=pessimistic, **options).self_compose(20),
            peer.from_laplace_mechanism(10.0, pessimistic_estimate=pessimistic, **options).self_compose(20),
            peer.from_gaussian_mechanism(
                1.0, sampling_prob=0.02, pessimistic_estimate=pessimistic, **options
            ).self_compose(100),
        ]
        sides.append(laws[0].compose(laws[1]).compose(laws[2]))
    bracket = dp.compose(_MIX)
    for epsilon in (0.5, 1.5):
        low, high = bracket.delta(epsilon)
        assert sides[1].get_delta_for_epsilon(epsilon) <= high
        assert low <= sides[0].get_delta_for_epsilon(epsilon)
        assert 1 - low / high < 1 - sides[1].get_delta_for_epsilon(epsilon) / sides[0].get_delta_for_epsilon(epsilon)


@pytest.mark.parametrize(
    ("mechanisms", "sentence"),
    [
        ([], "at least one mechanism"),
        (dp.Gaussian(1.0), "needs a list"),
        ([3.0], "must be a mechanism"),
        ([(dp.Gaussian(1.0), 0)], "count"),
        ([(dp.Gaussian(1.0), 2.5)], "count"),
        ([(dp.Gaussian(1.0), 10**10)], "at most"),
    ],
)
def test_bad_lists_get_a_sentence(mechanisms, sentence):
    with pytest.raises(dp.ParameterError, match=sentence):
        dp.compose(mechanisms)


@pytest.mark.thorough
def test_a_hundred_thousand_tiny_losses_beside_large_ones_keep_the_bracket_narrow():
    parts = [(dp.Subsampled(dp.Gaussian(100.0), 1e-4), 100_000), (dp.Laplace(20.0), 100)]
    bracket = dp.compose(parts)
    low, high = bracket.epsilon(1e-5)
    assert high - low <= 1e-5 * high
    low, high = bracket.log_delta(1.93)  # between the lattice points of the large losses, where the curve is smooth
    large = oracles.residue_log_delta([(lambda: oracles.laplace_terms(20.0), 100)], 1.93)
    assert low - 1e-5 <= large <= high + 1e-5  # the tiny losses' variance of 1e-7 moves log δ by less


@pytest.mark.parametrize(("name", "value"), [("width", 0.0), ("width", 2.0), ("max_points", 7), ("method", "fft")])
def test_bad_options_get_a_sentence(name, value):
    with pytest.raises(dp.ParameterError, match=name):
        dp.compose([dp.Gaussian(1.0)], **{name: value})


def test_a_single_part_is_itself():
    bracket = dp.compose([dp.Gaussian(1.5)])
    assert bracket.lower == bracket.upper == dp.Gaussian(1.5)


def test_a_million_releases():
    sigma = 3.0e3
    low, high = dp.compose([(dp.Gaussian(sigma), 10**6)]).epsilon(1e-6)
    exact = dp.Gaussian(3.0).epsilon(1e-6)
    assert low <= exact <= high
    assert high - low <= 1e-4 * exact


def test_calibration_through_a_pipeline_never_under():
    def pipeline(noise):
        return dp.compose([(dp.Gaussian(noise), 30), (dp.Laplace(noise), 10)]).upper

    noise = dp.calibrate(pipeline, epsilon=1.0, delta=1e-6, bracket=(1.0, 1e3))
    moments = [(oracles.gaussian_moment(noise), 30), (oracles.laplace_moment(noise), 10)]
    exact = oracles.contour_log_delta(moments, 1.0, digits=9)
    assert np.log(1e-6) - 1e-3 <= exact <= np.log(1e-6)


DEEP = {
    "gaussians_and_laplace": [(dp.Gaussian(30.0), 100), (dp.Laplace(30.0), 100)],
    "gaussians": [(dp.Gaussian(30.0), 1), (dp.Gaussian(20.0), 1)],
}


@pytest.mark.parametrize("name", DEEP)
def test_both_sides_are_close_however_small_delta_is(name):
    bracket = dp.compose(DEEP[name])
    low, high = bracket.epsilon(1e-300)
    assert low <= high <= low * (1 + 1e-5)
    if name == "gaussians":
        truth = oracles.gaussian_list_log_delta([(30.0, 1), (20.0, 1)], float(high))
    else:
        moments = [(oracles.gaussian_moment(30.0), 100), (oracles.laplace_moment(30.0), 100)]
        truth = oracles.contour_log_delta(moments, float(high), digits=9)
    under, over = bracket.log_delta(high)
    assert under - 1e-9 <= truth <= over + 1e-9


def test_that_all_losses_are_large_at_once_is_a_lower_side_up_to_the_cap():
    part = LargestPart(((dp.RandomizedResponse(1.0), 2), (dp.RandomizedResponse(2.0), 3)))
    for epsilon in (2.5, 6.0, 7.99):
        truth = oracles.response_log_delta([(1.0, 2, 2), (2.0, 2, 3)], epsilon)
        assert -np.inf < part.log_delta(epsilon) <= truth
    assert np.isneginf(part.log_delta(8.0))


def test_a_rare_large_loss_beside_small_ones_has_a_lower_side():
    """The truth in 50 digits: ten answers summed over, one sampled Gaussian in closed form."""
    low, high = dp.compose(
        [(dp.Subsampled(dp.Gaussian(1.333), 5.9e-4), 1), (dp.RandomizedResponse(0.744), 10)]
    ).log_delta(19.529)
    assert low <= -348.036689965149 <= high <= low + 5e-5


def test_many_different_mechanisms_have_a_narrow_bracket():
    """Thirty, with edges that no common grid meets; the truth on a contour."""
    noises = 6 * np.exp(np.linspace(-0.4, 0.4, 30))
    makers = ((dp.Laplace, oracles.laplace_moment), (dp.Gaussian, oracles.gaussian_moment))
    parts = [(makers[i % 2][0](noise), 1 + i % 3) for i, noise in enumerate(noises)]
    moments = [(makers[i % 2][1](noise), 1 + i % 3) for i, noise in enumerate(noises)]
    bracket = dp.compose(parts)
    for delta in (1e-3, 1e-9, 1e-100):
        low, high = bracket.epsilon(delta)
        assert high - low <= 1e-5 * high
        under, over = bracket.log_delta(high)
        assert under - 1e-9 <= oracles.contour_log_delta(moments, float(high), digits=10) <= over + 1e-9


def test_a_tail_far_beyond_where_it_matters_takes_nothing_from_the_upper_side():
    """Tilted losses up to e^1300 beside each other; the sampled Gaussian, adding, is bounded, so that the contour holds."""
    normal, sampled, rate = 5.129187386397931, 0.6774205262147295, 0.0018391975882164394
    upper = dp.compose([(dp.Gaussian(normal), 10), (dp.Subsampled(dp.Gaussian(sampled), rate), 1000)]).upper
    moments = [(oracles.gaussian_moment(normal), 10), (oracles.subsampled_gaussian_moment(sampled, rate, "add"), 1000)]
    for epsilon in (21.2, 21.42):
        found = upper.log_delta(epsilon, direction="add")
        assert 0 <= found - oracles.contour_log_delta(moments, epsilon, digits=10) < 1e-4
