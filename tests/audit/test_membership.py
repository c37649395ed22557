"""The audit refutes what is broken, never raises a false alarm too often, and agrees with quadrature."""

import dataclasses

import numpy as np
import pytest
from scipy import integrate, stats

import dpcore as dp
from dpcore.audit import ATTACKS, PAYMENTS, Claim, Game, Limit, Pair, audit, exact_audit, judge, mechanism_game
from dpcore.audit.attacks import available
from dpcore.audit.cross_check import hockey_stick_of
from dpcore.audit.evidence import gather
from dpcore.audit.membership import roc

REPEATS, ALPHA = 200, 0.05


def false_alarms(game, payment, runs, seed, attack="likelihood_ratio"):
    claim, rng = Claim.of(game.claim), np.random.default_rng(seed)
    refuted = 0
    for _ in range(REPEATS):
        absent, present = game.play(False, runs, rng), game.play(True, runs, rng)
        score = game.score_by(attack)
        found = gather(score(absent), score(present), payment, claim, ALPHA)
        refuted += bool(claim.excess(found.rates(ALPHA)).max() > 0)
    return refuted


@pytest.mark.parametrize("key", dp.MECHANISMS)
@pytest.mark.parametrize("payment", PAYMENTS)
def test_correct_mechanisms_are_not_refuted_more_often_than_alpha(key, payment):
    game = mechanism_game(dp.MECHANISMS[key].default())
    assert false_alarms(game, payment, 300, seed=7) <= ALPHA * REPEATS


@pytest.mark.parametrize("payment", PAYMENTS)
def test_stretches_of_equal_likelihood_are_ties_not_evidence(payment):
    assert false_alarms(mechanism_game(dp.Laplace(1.0)), payment, 2000, seed=1) <= ALPHA * REPEATS


@pytest.mark.parametrize("claimed", [dp.Gaussian(1.0), dp.Subsampled(dp.Gaussian(0.8), 0.5)], ids=repr)
@pytest.mark.parametrize("payment", PAYMENTS)
def test_half_the_noise_is_refuted(claimed, payment):
    """The others of the registry: `test_match`."""
    for seed in range(2):
        result = audit(mechanism_game(claimed.with_noise(0.5), claim=claimed), 4000, seed, payment=payment)
        assert result.refuted, (seed, result.p_value)
        assert result.verdict.startswith("refuted (p <")


@pytest.mark.parametrize("attack", ATTACKS)
def test_each_attack_finds_a_broken_gaussian(attack):
    game = mechanism_game(dp.Gaussian(0.5), claim=dp.Gaussian(1.0))
    assert audit(game, 2000, 1, attack=attack).refuted


def test_a_classifier_raises_no_false_alarms():
    game, rng = mechanism_game(dp.Gaussian(1.0)), np.random.default_rng(0)
    claim = Claim.of(game.claim)
    refuted = 0
    for _ in range(25):
        outputs = game.play(False, 100, rng), game.play(True, 100, rng)
        refuted += judge(game, *outputs, "classifier", claim=claim).refuted
    assert refuted <= 2


def test_p_value_is_the_level_at_which_the_verdict_turns():
    game = mechanism_game(dp.Gaussian(0.75), claim=dp.Gaussian(1.0))
    claim, rng = Claim.of(game.claim), np.random.default_rng(4)
    score = game.score_by("threshold")
    found = gather(score(game.play(False, 1500, rng)), score(game.play(True, 1500, rng)), "all", claim, 0.05)
    p = found.p_value(claim)
    assert 1e-12 < p < 0.05
    assert claim.excess(found.rates(p * 0.99)).max() <= 0 < claim.excess(found.rates(p * 1.01)).max()


@pytest.mark.parametrize(("p", "said"), [
    (0.0104, "0.011"), (0.05, "0.051"), (0.00123, "0.0013"), (7.8e-8, "10⁻⁷"), (1e-12, "10⁻¹²"), (9.9e-4, "10⁻³"),
])  # fmt: skip
def test_verdicts_never_understate_p(p, said):
    found = dataclasses.replace(audit(mechanism_game(dp.Gaussian(1.0)), 20, 0), p_value=p, alpha=0.06)
    assert found.verdict == f"refuted (p < {said})"


def test_quadrature_equals_the_profile_and_another_quadrature():
    for key in ("gaussian", "laplace", "subsampled_gaussian"):
        result = exact_audit(mechanism_game(dp.MECHANISMS[key].default()))
        assert not result.refuted
        assert result.excess == pytest.approx(0.0, abs=1e-12)
    less_noise = mechanism_game(dp.Gaussian(0.9), claim=dp.Gaussian(1.0))
    broken = exact_audit(less_noise)
    second = integrate.quad(
        lambda x: max(0.0, stats.norm.pdf(x, 1, 0.9) - np.e * stats.norm.pdf(x, 0, 0.9)), 0.5, 12, limit=400
    )[0]
    assert hockey_stick_of(less_noise.pair.densities, "remove", 1.0) == pytest.approx(second, rel=1e-6)
    assert broken.excess >= second - dp.Gaussian(1.0).delta(1.0) > 0
    assert (broken.refuted, broken.verdict) == (True, "refuted (by quadrature)")


def test_roc_band_contains_the_true_curve():
    truth = dp.Gaussian(1.0)
    result = audit(mechanism_game(truth), 1500, 2)
    assert result.verdict == "not refuted at level 0.05"
    assert result.epsilon_lower <= float(truth.epsilon(1e-5))
    alarm = np.linspace(0.001, 0.999, 50)
    hit = 1 - truth.tradeoff(alarm)
    low = np.interp(alarm, result.roc.low[0], result.roc.low[1])
    high = np.interp(alarm, result.roc.high[0], result.roc.high[1])
    assert ((low <= hit) & (hit <= high)).all()
    assert [*result.roc.low[:, -1], *result.roc.high[:, 0]] == [1, 1, 0, 0]
    assert np.all(np.diff(result.roc.false_alarm) >= 0)
    assert result.roc.hits_at(0.3) == pytest.approx(1 - truth.tradeoff(0.3), abs=0.06)


def normal(n, rng):
    return rng.normal(size=(n, 1))


SILENT = Game("Mystery", Pair(normal, normal), dp.Gaussian(1.0))  # its laws are not known


def test_what_cannot_be_attacked_is_said_in_words():
    assert available(SILENT) == ("classifier",)
    endless = Game("Endless", Pair(lambda n, rng: np.full((n, 1), np.nan), normal), dp.Gaussian(1.0))
    undefined = Game("Undefined", Pair(normal, normal, lambda x: np.full(len(x), np.nan)), dp.Gaussian(1.0))
    objective = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, smoothness=1.0)
    for call, kind, sentence in (
        (lambda: audit(SILENT, 50, 0), dp.UnsupportedError, "classifier"),
        (lambda: audit(SILENT, 50, 0, attack="threshold"), dp.UnsupportedError, "statistic"),
        (lambda: exact_audit(SILENT), dp.UnsupportedError, "density"),
        (lambda: mechanism_game(objective), dp.UnsupportedError, "hardest pair"),
        (lambda: audit(mechanism_game(dp.Gaussian(1.0)), 19, 0), dp.ParameterError, "runs must be >= 20"),
        (lambda: audit(endless, 50, 0, attack="classifier"), dp.ConvergenceError, "not finite"),
        (lambda: audit(undefined, 50, 0), dp.DataError, "not a number"),
    ):
        with pytest.raises(kind, match=sentence):
            call()


@pytest.mark.parametrize(
    "mechanism", [dp.Gaussian(1.0), dp.Laplace(0.7), dp.Subsampled(dp.Gaussian(0.5), 0.3)], ids=repr
)
def test_the_limit_drawn_is_the_trade_off_curve(mechanism):
    limit = Limit.of(Claim.of(mechanism))
    exact = 1 - mechanism.tradeoff(limit.false_alarm, direction="add")
    assert (limit.hit >= exact - 1e-12).all()
    assert limit.hit == pytest.approx(exact, abs=4e-3)


def test_areas_are_the_shares_of_pairs_put_in_order():
    absent, present = np.random.default_rng(5).normal([[0.0], [1.0]], size=(2, 60)).round(1)
    found = stats.mannwhitneyu(present, absent).statistic / (absent.size * present.size)
    assert roc(absent, present, None, 0.05).area == pytest.approx(found)
    limit = Limit.of(Claim.of(dp.Gaussian(1.0)))
    assert limit.area == pytest.approx(stats.norm.cdf(1 / np.sqrt(2)), abs=2e-3)
