"""Certified composition: exact cases, peers, and what must hold whatever is composed."""

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as peer

import dpcore as dp
from dpcore.accountants.parts import LargestPart
from dpcore.accountants.pld.composed import Direction
from tests.accountants import oracles

_MIX = [(dp.Gaussian(20.0), 20), (dp.Laplace(10.0), 20), (dp.Subsampled(dp.Gaussian(1.0), 0.02), 100)]


@pytest.mark.parametrize(("count", "width"), [(2, 1e-3), (2, 1e-6), (1_000, 1e-4), (1_000, 1e-5), (1_000_000, 1e-4)])
def test_gaussians_compose_to_a_gaussian(count, width):
    sigma = 2.0 * count**0.5
    bracket, exact = dp.compose([(dp.Gaussian(sigma), count)], width=width), dp.Gaussian(2.0)
    for delta in (1e-2, 1e-9, 1e-15):
        low, high = bracket.epsilon(delta)
        assert low <= exact.epsilon(delta) <= high
        assert bracket.width(high) <= width


def test_both_sides_are_close_however_small_delta_is():
    bracket = dp.compose([(dp.Gaussian(30.0), 100), (dp.Laplace(30.0), 100)])
    low, high = bracket.epsilon(1e-300)
    assert low <= high <= low * (1 + 1e-5)
    moments = [(oracles.gaussian_moment(30.0), 100), (oracles.laplace_moment(30.0), 100)]
    under, over = bracket.log_delta(high)
    assert under - 1e-9 <= oracles.contour_log_delta(moments, float(high), digits=9) <= over + 1e-9


def test_the_trade_off_of_gaussians_composed_is_that_of_one():
    fpr = np.array([0.01, 0.3, 0.9, 0.99])
    composed = dp.compose([(dp.Gaussian(2.0), 4)]).upper
    for direction in ("both", "add"):
        assert composed.tradeoff(fpr, direction=direction) == pytest.approx(dp.Gaussian(1.0).tradeoff(fpr), abs=1e-5)


def test_order_and_splitting_do_not_matter():
    shuffled = [_MIX[2], (dp.Gaussian(20.0), 5), _MIX[1], (dp.Gaussian(20.0), 15)]
    assert dp.compose(shuffled).log_delta(1.0) == dp.compose(_MIX).log_delta(1.0)


@pytest.mark.parametrize("pessimistic", [True, False])
def test_brackets_meet_those_of_dp_accounting(pessimistic):
    options = {"value_discretization_interval": 1e-3, "pessimistic_estimate": pessimistic}
    sampled = peer.from_gaussian_mechanism(1.0, sampling_prob=0.02, **options).self_compose(100)
    other = sampled.compose(peer.from_laplace_mechanism(10.0, **options).self_compose(20)).get_delta_for_epsilon(1.0)
    low, high = dp.compose([(dp.Laplace(10.0), 20), (dp.Subsampled(dp.Gaussian(1.0), 0.02), 100)]).delta(1.0)
    assert low <= other if pessimistic else other <= high


def test_bad_lists_and_options_get_a_sentence():
    one = dp.Gaussian(1.0)
    for mechanisms, sentence in (([], "at least one mechanism"), (one, "needs a list"), ([3.0], "must be a mechanism")):
        with pytest.raises(dp.ParameterError, match=sentence):
            dp.compose(mechanisms)
    for count, sentence in ((0, "count"), (2.5, "count"), (10**10, "at most")):
        with pytest.raises(dp.ParameterError, match=sentence):
            dp.compose([(one, count)])
    for name, value in (("width", 0.0), ("width", 2.0), ("max_points", 7), ("method", "fft")):
        with pytest.raises(dp.ParameterError, match=name):
            dp.compose([one], **{name: value})


@pytest.mark.thorough
def test_many_tiny_losses_beside_large_ones_keep_the_bracket_narrow():
    parts = [(dp.Subsampled(dp.Gaussian(100.0), 1e-4), 20_000), (dp.Laplace(20.0), 100)]
    bracket = dp.compose(parts)
    low, high = bracket.epsilon(1e-5)
    assert high - low <= 1e-5 * high
    low, high = bracket.log_delta(1.93)  # between the lattice points of the large losses, where the curve is smooth
    large = oracles.residue_log_delta([(lambda: oracles.laplace_terms(20.0), 100)], 1.93)
    assert low - 1e-5 <= large <= high + 1e-5  # the tiny losses' variance of 2e-8 moves log δ by less


def test_a_single_part_is_itself():
    bracket = dp.compose([dp.Gaussian(1.5)])
    assert bracket.lower == bracket.upper == dp.Gaussian(1.5)


def test_calibration_through_a_pipeline_never_under():
    def pipeline(noise):
        return dp.compose([(dp.Gaussian(noise), 30), (dp.Laplace(noise), 10)]).upper

    noise = dp.calibrate(pipeline, epsilon=1.0, delta=1e-6, bracket=(1.0, 1e3))
    moments = [(oracles.gaussian_moment(noise), 30), (oracles.laplace_moment(noise), 10)]
    exact = oracles.contour_log_delta(moments, 1.0, digits=9)
    assert np.log(1e-6) - 1e-3 <= exact <= np.log(1e-6)


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


def test_a_tail_far_beyond_where_it_matters_takes_nothing_from_the_upper_side():
    """Tilted losses up to e^1300 beside each other; the sampled Gaussian, adding, is bounded, so that the contour holds."""
    normal, sampled, rate = 5.129187386397931, 0.6774205262147295, 0.0018391975882164394
    upper = dp.compose([(dp.Gaussian(normal), 10), (dp.Subsampled(dp.Gaussian(sampled), rate), 1000)]).upper
    moments = [(oracles.gaussian_moment(normal), 10), (oracles.subsampled_gaussian_moment(sampled, rate, "add"), 1000)]
    for epsilon in (21.2, 21.42):
        found = upper.log_delta(epsilon, direction="add")
        assert 0 <= found - oracles.contour_log_delta(moments, epsilon, digits=10) < 1e-4


@pytest.mark.parametrize("misled", [False, True])
def test_the_direction_that_does_not_decide_gets_a_coarse_grid_and_is_never_missed(misled, monkeypatch):
    """If the other direction is guessed to decide, the search begins with it, and must notice it."""
    parts = [(dp.Subsampled(dp.Gaussian(1.0 + 0.1 * place), 0.01 * (1 + place)), 20) for place in range(3)]
    added, removed = (float(dp.compose(parts).upper.epsilon(1e-6, direction=way)) for way in ("add", "remove"))
    assert added < 0.9 * removed
    right = Direction.guess

    def guess(self, log_delta):
        place, step = right(self, log_delta)
        return place + 3.0 * (misled and self.name == "add"), step

    monkeypatch.setattr(Direction, "guess", guess)
    bracket = dp.compose(parts)
    assert bracket.upper.epsilon(1e-6) == pytest.approx(removed, rel=1e-9)
    assert bracket.lower.epsilon(1e-6) == pytest.approx(removed, rel=1e-4)
    ways = bracket.upper.accountant.directions
    fine = [way for way in ways if any("trial" in vars(panel) for panel in ways[way].panels.values())]
    assert fine == (["add", "remove"] if misled else ["remove"])
