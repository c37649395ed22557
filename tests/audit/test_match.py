"""Games in pieces, guesses, rows: the same laws, the same verdicts, and no verdict before its time."""

from math import comb

import numpy as np
import pytest
from scipy.stats import norm

import dpcore as dp
from dpcore.audit import Game, GuessingGame, Match, Pair, learner_game, mechanism_game, row_game
from tests.audit.test_membership import SILENT


def test_a_match_gives_no_verdict_before_the_last_run():
    match = Match(mechanism_game(dp.Gaussian(0.5), claim=dp.Gaussian(1.0)), 900, seed=1)
    match.play(10)
    assert match.curve() is None
    while not match.done:
        assert match.verdict() is None
        match.play(250)
    assert match.played == 900
    match.play(100)
    assert match.played == 900
    assert match.verdict().refuted
    assert match.curve().hit[-1] == 1.0


def test_a_match_refuses_an_attack_that_does_not_exist():
    with pytest.raises(dp.ParameterError, match="attack"):
        Match(SILENT, 100)
    match = Match(SILENT, 100, "classifier", seed=0)
    match.play(100)
    assert not match.verdict().refuted


@pytest.mark.parametrize("key", dp.MECHANISMS)
def test_weakened_mechanisms_lose_their_game(key):
    claimed = dp.MECHANISMS[key].default()
    run = claimed.with_noise(0.25)
    assert float(run.delta(0.5)) > float(claimed.delta(0.5))
    match = Match(mechanism_game(run, claim=claimed), 3000, seed=5)
    match.play(3000)
    if key != "subsampled_gaussian":  # sampled one time in ten: too faint for 3000 runs
        assert match.verdict().refuted
    assert claimed.with_noise(1.0) == claimed


def test_weakened_needs_a_noise_level():
    with pytest.raises(dp.UnsupportedError, match="noise"):
        dp.PosteriorSampling(gamma=1.0, lam=1.0).worst_case(dp.Domain(), 10).with_noise(0.5)


def test_a_learner_run_with_less_noise_is_refuted():
    data = dp.Dataset.from_arrays([[1.0], [0.0]], [20.0, 1.0], domain=dp.Domain(target_bound=20.0))
    of = dp.LEARNERS["output_perturbation"]("squared", epsilon=1.0, delta=0.01, clip=1.0)
    for share, refuted in ((1.0, False), (0.3, True)):
        match = Match(learner_game(of, data, 0, noise_share=share), 400, seed=2)
        match.play(400)
        assert match.verdict().refuted == refuted


def test_guessing_right_is_bounded_by_the_claim():
    game = GuessingGame(mechanism_game(dp.Gaussian(1.0)), seed=3)
    threshold = 0.5
    for _ in range(1500):
        game.guess(game.shown > threshold)
    best = 0.5 * (1 + float(dp.Gaussian(1.0).delta(0.0)))
    assert game.limit == pytest.approx(best)
    assert game.rounds == 1500
    assert game.correct == game.optimal_correct  # x > ½ is the likelihood-ratio rule
    assert game.correct / 1500 == pytest.approx(best, abs=4 * np.sqrt(0.25 / 1500))


def test_the_score_so_far_and_how_lucky_it_is():
    game = GuessingGame(mechanism_game(dp.Gaussian(1.0)), seed=4)
    assert (game.rounds, game.streak, game.luck) == (0, 0, 1.0)
    rights = [game.guess(game.shown > 0.5) for _ in range(30)]
    assert [one.right for one in game.history] == rights
    shares = game.running()
    assert shares[0][-1] == game.correct / 30
    assert shares[1][9] == sum(one.optimal for one in game.history[:10]) / 10
    after_last_miss = rights[::-1].index(False)
    assert game.streak == after_last_miss
    tail = sum(comb(30, k) * game.limit**k * (1 - game.limit) ** (30 - k) for k in range(game.correct, 31))
    assert game.luck == pytest.approx(tail)


def test_the_threshold_of_the_best_rule_is_the_best():
    """N(0, ½²) against N(1, ½²) without their densities: the middle is right Φ(1) of the time."""
    pair = Pair(
        lambda n, rng: rng.normal(0.0, 0.5, (n, 1)), lambda n, rng: rng.normal(1.0, 0.5, (n, 1)),
        statistic=lambda x: x[:, 0],
    )  # fmt: skip
    right = 0
    for seed in range(8):
        game = GuessingGame(Game("plain", pair, dp.Gaussian(0.5)), seed=seed)
        for _ in range(150):
            game.guess(True)
        right += game.optimal_correct
    assert right / 1200 == pytest.approx(norm.cdf(1.0), abs=0.03)


def test_a_row_is_looked_for_by_how_closely_it_is_fitted():
    data = dp.Dataset.from_arrays([[0.6, 0.0], [0.0, 1.0], [0.5, 0.5]], [0.3, -1.0, 0.2], domain=dp.Domain())
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0), delta=1e-6)
    score = row_game(data, result, 0).pair.statistic
    on, above, below, far = score(np.array([[0.5, 9.0], [1.0, 0.0], [0.0, 0.0], [-0.5, 0.0]]))
    assert on > above
    assert above == pytest.approx(below)
    assert below > far


@pytest.mark.parametrize(
    "release", [dp.OutputPerturbation(sigma=0.5, lam=1.0), dp.PosteriorSampling(gamma=3.0, lam=1.0)], ids=repr
)
def test_rows_are_looked_for_in_any_release_with_a_known_law(release):
    data = dp.load_sample("diabetes")
    result = dp.individual_privacy(data, release, delta=1e-6)
    row = int(result.most_exposed(1)[0])
    pair, rng = row_game(data, result, row).pair, np.random.default_rng(3)
    for side, sign, direction in ((pair.present, 1, "remove"), (pair.absent, -1, "add")):
        divergence = float(result.profile(row).renyi(1.0, direction=direction))
        ratios = sign * pair.log_ratio(side(20_000, rng))
        assert ratios.mean() == pytest.approx(divergence, abs=5 * ratios.std() / 20_000**0.5)
