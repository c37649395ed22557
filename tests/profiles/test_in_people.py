"""What a curve means in people, against the likelihood-ratio test itself: by quadrature, by hand, by drawing."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, optimize, stats

import dpcore as dp
from dpcore.mechanisms import MECHANISMS
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.profiles.in_people import implied, of_people
from tests.every import each

ALARMS = (1e-4, 0.01, 0.05, 0.3, 0.9)


def likelihood_ratio_test(absent, present, alpha, low, high):
    """Share of the law `present` where the ratio is above the level that a share α of the law `absent` exceeds; π = ½ guesses.

    Both laws have densities with an increasing ratio, so the level is a place on the line.
    """
    at = optimize.brentq(lambda x: integrate.quad(absent.pdf, x, high, limit=200)[0] - alpha, low, high, xtol=1e-12)
    crossing = optimize.brentq(lambda x: present.logpdf(x) - absent.logpdf(x), low, high)
    right = integrate.quad(absent.pdf, low, crossing)[0] + integrate.quad(present.pdf, crossing, high)[0]
    return integrate.quad(present.pdf, at, high, limit=200)[0], right / 2


@pytest.mark.parametrize("alpha", ALARMS)
@pytest.mark.parametrize("sigma", [0.4, 1.0, 8.0])
def test_gaussian_noise_by_quadrature_of_the_test_itself(alpha, sigma):
    absent, present = stats.norm(0, sigma), stats.norm(1, sigma)
    found = dp.in_people(dp.Gaussian(sigma), alpha)
    detected, guess = likelihood_ratio_test(absent, present, alpha, -12 * sigma, 1 + 12 * sigma)
    assert found.detected == pytest.approx(detected, rel=1e-8)
    assert found.guess == pytest.approx(guess, rel=1e-9)
    assert found.bound is Bound.EXACT


@pytest.mark.parametrize("alpha", ALARMS)
def test_laplace_noise_by_quadrature_of_the_neyman_pearson_test(alpha):
    """The ratio is flat beyond both centres, where the test draws lots; a threshold is one such test."""
    at = stats.laplace(0, 2.0).isf(alpha)
    expected = integrate.quad(stats.laplace(1, 2.0).pdf, at, 90, points=[1.0], limit=200)[0]
    assert dp.in_people(dp.Laplace(2.0), alpha).detected == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(
    ("alpha", "detected"), [(0.0, 0.0), (0.1, 0.3), (0.25, 0.75), (0.5, 0.8333333333333334), (1.0, 1.0)]
)
def test_randomized_response_by_hand(alpha, detected):
    """Truth three times in four: says "in" to a yes, and from α = ¼ on also to some of those who say no."""
    found = dp.in_people(dp.RandomizedResponse(math.log(3)), alpha, prior=0.1)
    assert found.detected == pytest.approx(detected, rel=1e-7, abs=1e-15)
    assert found.guess == pytest.approx(0.75)
    accused = 0.1 * detected + 0.9 * alpha
    assert found.posterior == pytest.approx(0.1 * detected / accused if accused else 0.1, rel=1e-7)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.5])
def test_a_sampled_gaussian_is_tested_in_the_right_direction(alpha):
    """Absent: N(0, 1). Present: in one of five runs N(1, 1). The two directions differ, and the attacker is in one."""
    at = stats.norm.isf(alpha)
    expected = 0.8 * stats.norm.sf(at) + 0.2 * stats.norm.sf(at - 1)
    assert dp.in_people(dp.Subsampled(dp.Gaussian(1.0), 0.2), alpha).detected == pytest.approx(expected, rel=1e-8)


def test_people_drawn_are_accused_as_often_as_is_said():
    found, rng = dp.in_people(dp.Gaussian(0.7), 0.05, prior=0.3), np.random.default_rng(5)
    inside = rng.random(400_000) < 0.3
    answers = inside + 0.7 * rng.standard_normal(400_000)
    accused = answers > 0.7 * stats.norm.isf(0.05)
    assert accused[inside].mean() == pytest.approx(found.detected, abs=0.006)
    assert accused[~inside].mean() == pytest.approx(0.05, abs=0.003)
    assert inside[accused].mean() == pytest.approx(found.posterior, abs=0.006)


@each(MECHANISMS)
def test_no_sampled_attack_beats_what_is_said_of_any_mechanism(key):
    """A threshold on the likelihood ratio of the hardest pair, at the level that the first half of the draws sets."""
    mechanism = MECHANISMS[key].build(**{p.name: p.default for p in MECHANISMS[key].parameters})
    pair = mechanism.pair()
    rng, count = np.random.default_rng(11), 20_000
    absent, present = (np.ravel(pair.log_ratio(draw(count, rng))) for draw in (pair.absent, pair.present))
    for level in np.quantile(absent, [0.5, 0.9, 0.97]):
        alarms, hits = np.mean(absent > level), np.mean(present > level)
        assert hits <= dp.in_people(mechanism, min(alarms + 0.014, 1.0)).detected + 0.014


PAIRS = [(0.0, 0.0), (0.0, 0.2), (0.5, 1e-6), (1.0, 1e-300), (3.0, 0.1), (40.0, 0.0), (math.inf, 0.0), (0.3, 1.0)]


@pytest.mark.parametrize(("epsilon", "delta"), PAIRS)
@pytest.mark.parametrize("alpha", [0.0, 1e-300, 1e-6, 0.05, 0.5, 1.0])
def test_a_pair_alone_is_as_good_as_its_four_outcomes(epsilon, delta, alpha):
    """The mechanism that reveals most (Kairouz et al. 2015) has four outcomes, tested in the order of their ratio.

    Its outcomes: certainly in (δ), likely in, likely out, certainly out (δ).
    """
    likely = (1 - delta) / (1 + math.exp(-epsilon)) if epsilon < math.inf else 1 - delta
    present = [delta, likely, (1 - delta) - likely if epsilon < 30 else (1 - delta) * math.exp(-epsilon), 0.0]
    absent = present[::-1]
    if epsilon == math.inf:
        present, absent = [1.0, 0.0], [0.0, 1.0]
    left, expected = alpha, 0.0
    for p, q in zip(present, absent, strict=True):
        share = 1.0 if q <= left else left / q
        expected, left = expected + share * p, left - share * q
    found = dp.in_people((epsilon, delta), alpha)
    assert found.detected == pytest.approx(min(expected, 1.0), rel=1e-9, abs=1e-320)
    assert found.guess == pytest.approx((1 + sum(max(p - q, 0.0) for p, q in zip(present, absent, strict=True))) / 2)
    assert found.bound is Bound.UPPER
    assert found.detected >= alpha


def test_a_pair_is_above_every_curve_through_it():
    for mechanism in (
        dp.Gaussian(1.0),
        dp.Laplace(1.0),
        dp.RandomizedResponse(1.0),
        dp.Subsampled(dp.Gaussian(0.8), 0.1),
    ):
        epsilon = mechanism.epsilon([0.2, 1e-2, 1e-6])
        for alpha in ALARMS:
            whole = dp.in_people(mechanism, alpha)
            detected, guess = implied(epsilon, [0.2, 1e-2, 1e-6], alpha)
            assert (detected >= whole.detected * (1 - 1e-7)).all()
            assert (guess >= whole.guess - 1e-12).all()


def test_an_upper_side_is_never_below_the_truth_nor_above_the_looser_one():
    parts = [(dp.Gaussian(10.0), 9), (dp.Laplace(20.0), 4)]
    tight, loose = dp.in_people(dp.compose(parts), 0.02), dp.in_people(dp.compose(parts, method="basic"), 0.02)
    gaussian = dp.in_people(dp.Gaussian(10.0 / 3), 0.02)
    assert gaussian.detected < tight.detected < loose.detected
    assert tight.bound is Bound.UPPER
    single = dp.in_people(dp.compose([(dp.Gaussian(10.0), 9)]), 0.02)
    assert single.detected >= gaussian.detected * (1 - 1e-12)


class Leak(PrivacyProfile):
    """Tells the truth for certain with probability δ, in or out, else nothing."""

    def __init__(self, log_delta: float) -> None:
        self.known = log_delta

    def _log_delta(self, epsilon, direction):
        return np.full(np.shape(epsilon), self.known)


@pytest.mark.parametrize("delta", [1.0, 0.25, 1e-300])
def test_what_is_never_a_false_alarm_is_the_mass_of_certainty(delta):
    found = dp.in_people(Leak(math.log(delta)), 0.0)
    assert found.detected == pytest.approx(delta)
    assert found.posterior == 1.0
    assert dp.in_people(Leak(math.log(delta)), 0.5).detected == pytest.approx(min(delta + 0.5, 1.0))
    assert dp.in_people(Leak(math.log(delta)), 1.0).detected == 1.0


def test_nothing_released_is_a_coin():
    found = dp.in_people(Leak(-math.inf), 0.05, 0.2)
    assert (found.detected, found.posterior, found.guess) == (pytest.approx(0.05, rel=1e-14), pytest.approx(0.2), 0.5)
    assert "recognises about 5 of 100" in found.said


def test_tiny_false_alarms_keep_their_digits():
    """Near α = 0, 1 − T has none left."""
    found = dp.in_people(dp.Gaussian(2.0), 1e-40)
    assert found.detected == pytest.approx(stats.norm.sf(stats.norm.isf(1e-40) - 0.5), rel=1e-8)


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "0 of 100"), (1.0, "100 of 100"), (0.26, "26 of 100"), (0.003, "3 of 1 000"), (0.9996, "more than 99 of 100"),
     (1e-6, "1 of 1 000 000"), (1e-300, "fewer than 1 of 1 000 000"), (0.994, "99 of 100")],
)  # fmt: skip
def test_nobody_and_everybody_are_said_only_where_that_is_so(share, said):
    assert of_people(share).replace("\u202f", " ") == said


def numbers(said):
    return [int(word.replace("\u202f", "")) for word in re.findall(r"\d+(?:\u202f\d{3})*", said)]


def test_the_sentence_says_the_numbers_to_the_side_that_is_known():
    """26.5, 84.1 and 69.2 of 100: rounded where exact, rounded up where it is a bound."""
    found = dp.in_people(dp.Gaussian(1.0), 0.05)
    assert numbers(found.said) == [5, 100, 26, 100, 5, 50, 100, 84, 100, 69, 100, 50]
    assert found.said.count("about") == 3
    above = dp.in_people((1.0, 0.0), 0.05)  # 13.59, 73.1, 73.1
    assert numbers(above.said) == [5, 100, 14, 100, 5, 50, 100, 74, 100, 74, 100, 50]
    assert above.said.count("at most") == 3
    assert "people like row 7 whose record is not" in found.told("people like row 7")


def test_a_small_difference_is_said_of_more_people_and_both_numbers_of_equally_many():
    """5.2 of 100 beside 5 would be 5 beside 5."""
    said = dp.in_people(dp.Gaussian(50.0), 0.05).said
    assert numbers(said)[:5] == [50, 1000, 52, 1000, 50]


def test_nothing_is_said_about_what_is_certain():
    assert "recognises more than 99 of 100 whose" in dp.in_people(dp.Gaussian(0.15)).said
    assert "recognises at most 100 of 100 whose" in dp.in_people((7.0, 0.0)).said
    assert "recognises fewer than 1 of 1\u202f000\u202f000 whose" in dp.in_people((1.0, 0.0), 1e-9).said


def test_a_lower_side_is_rounded_down():
    assert (
        "at least 25 of 100 whose" in replace(dp.in_people(dp.Gaussian(1.0)), detected=0.2599, bound=Bound.LOWER).said
    )


def test_whom_nobody_accuses_is_not_said_to_be_in():
    assert "accuses nobody" in dp.in_people(dp.Laplace(1.0), 0.0).said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [((dp.Gaussian(1.0), 1.5), "false_alarms must be in"), ((dp.Gaussian(1.0), 0.1, -0.1), "prior must be in"),
     ((3.0,), "profile must be a privacy profile"), (((1.0, 2.0),), "delta must"), (((-1.0, 0.1),), "epsilon must"),
     ((dp.Gaussian(1.0), math.nan), "false_alarms must be finite")],
)  # fmt: skip
def test_what_cannot_be_is_refused(arguments, words):
    with pytest.raises(dp.ParameterError, match=words):
        dp.in_people(*arguments)
