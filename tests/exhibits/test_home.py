"""The game's ceiling and a threshold's errors against the normal law and simulation."""

import math

import numpy as np
import pytest
from mpmath import mp
from scipy import integrate
from scipy.stats import norm

import dpcore as dp
from dpcore.exhibits.home import study as home

NOISES = (0.4, 1.0, 2.8, 10.0)


def nearer(game):
    """What the most accurate rule says: she was counted where the answer is nearer to the count with her."""
    return tuple(answer > 100.5 for answer in game.answers)


@pytest.mark.parametrize("sigma", NOISES)
def test_ceiling_is_the_share_of_right_guesses_of_the_best_rule(sigma):
    """∫ max(p, q)/2 by quadrature on both sides of the middle."""
    wrong = 2 * integrate.quad(lambda x: norm.pdf(x, 0, sigma) / 2, 0.5, math.inf)[0]
    assert home.ceiling(dp.Gaussian(sigma)) == pytest.approx(1 - wrong, rel=1e-9)


@pytest.mark.parametrize("sigma", NOISES)
@pytest.mark.parametrize("at", [95.0, 100.3, 106.0])
def test_errors_of_a_threshold_against_mpmath(sigma, at):
    found = home.threshold(sigma, at)
    assert found.false_alarms == pytest.approx(float(mp.ncdf((100 - mp.mpf(at)) / sigma)), rel=1e-12)
    assert found.misses == pytest.approx(float(mp.ncdf((mp.mpf(at) - 101) / sigma)), rel=1e-12)
    assert found.misses == pytest.approx(float(dp.Gaussian(sigma).tradeoff(found.false_alarms)), rel=1e-9)
    assert 1 - (found.false_alarms + found.misses) / 2 <= home.ceiling(dp.Gaussian(sigma)) + 1e-12


def test_games_are_fair_noisy_counts_and_repeat_with_their_seed():
    games = [home.deal(2.0, seed) for seed in range(400)]
    assert games[3] == home.deal(2.0, 3)
    present = np.array([game.present for game in games])
    noise = (np.array([game.answers for game in games]) - 100 - present) / 2.0
    assert abs(present.mean() - 0.5) < 4 * 0.5 / math.sqrt(present.size)
    assert abs(noise.mean()) < 4 / math.sqrt(noise.size)
    assert abs(noise.std() - 1) < 4 / math.sqrt(2 * noise.size)
    best = np.mean([game.score(nearer(game)) for game in games]) / home.ROUNDS
    assert abs(best - home.ceiling(dp.Gaussian(2.0))) < 4 * 0.5 / math.sqrt(present.size)


def test_a_score_counts_only_rounds_that_were_played_and_who_was_found_and_blamed():
    game = home.CountGame((100.0, 101.0, 100.0), (True, False, True))
    assert (game.score(()), game.score((True,)), game.score((True, True, True))) == (0, 1, 2)
    assert nearer(game) == (False, True, False)
    game = home.CountGame((100.0,) * 4, (True, False, True, False))
    assert (game.outcome((True, True, False, False)), game.outcome((True, False, True))) == ((1, 1), (2, 0))


@pytest.mark.parametrize("sigma", NOISES)
def test_what_a_count_tells_is_bayes_rule(sigma):
    for answer in (97.0, 100.5, 103.2):
        without, including = norm.pdf(answer, 100, sigma), norm.pdf(answer, 101, sigma)
        assert home.belief(sigma, answer) == pytest.approx(including / (without + including), rel=1e-9)
