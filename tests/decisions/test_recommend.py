"""Rankings: what is planned meets the budget, targets are met and not overshot, and what cannot be done is said."""

from pathlib import Path

import numpy as np
import pytest

import dpcore as dp
from benchmarks.decisions import outcomes, settings, summary
from dpcore.decisions.check import check_once, means_of
from dpcore.decisions.recommend import Ranked, _ordered
from dpcore.errors import ParameterError, UnsupportedError
from dpcore.learners import FitWithNoise

ROOT = Path(__file__).resolve().parents[2]
FACTS = dp.PublicFacts(1500, 8, dp.Domain())


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_every_learner_is_ranked_or_left_out_and_keeps_its_promise(loss):
    answer = dp.recommend(FACTS, loss, 0.7, 1e-6)
    private = {one.title for key, one in dp.LEARNERS.items() if key != "non_private"}
    assert {one.learner.title for one in answer.ranking} | {title for title, _ in answer.left_out} == private
    assert not {title for title, _ in answer.left_out} & {one.learner.title for one in answer.ranking}
    for one in answer.ranking:
        plan = one.learner.plan(FACTS)
        assert plan.profile.delta(0.7) <= 1e-6 * (1 + 1e-9)
        assert one.low <= one.predicted <= one.high <= answer.without_privacy + 0.05
        assert "(0.7, 10⁻⁶)-differentially private" in one.guarantee
    assert all("squared loss only" in why for _, why in answer.left_out)


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_the_code_makes_the_learner(loss):
    for one in dp.recommend(FACTS, loss, 1.5).ranking:
        made = {"dp": dp, "np": np}
        exec(next(line for line in one.code.splitlines() if line.startswith("learner")), made)
        ours, copied = (vars(learner) for learner in (one.learner, made["learner"]))
        for name, value in ours.items():
            expected = pytest.approx(value, rel=1e-5) if isinstance(value, float) else value
            assert copied[name] == expected


@pytest.mark.parametrize("key", ["amp", "objective_perturbation"])
def test_what_is_predicted_from_is_the_plan_to_a_thousandth(key):
    learner = dp.LEARNERS[key]("logistic", 0.8)
    plan, fit = learner.plan(FACTS).parameters, learner.noisy_fit(FACTS, 0.0)
    wanted = FitWithNoise(plan["lam"], plan["clip"], plan["sigma"], plan.get("sigma_out", 0.0))
    for name, value in vars(wanted).items():
        assert getattr(fit, name) == pytest.approx(value, rel=2e-3), name


def test_explicit_noise_is_predicted_from():
    fit = dp.AMP("logistic", sigma=3.0, lam=7.0, clip=0.5).noisy_fit(FACTS, 0.0)
    assert (fit.lam, fit.clip, fit.pull) == (7.0, 0.5, 3.0)


@pytest.mark.parametrize(("loss", "target"), [("logistic", 0.85), ("squared", 0.4), ("poisson", 0.25)])
def test_the_smallest_budget_meets_the_target_and_less_does_not(loss, target):
    facts = dp.PublicFacts(1500, 8, dp.Domain(target_bound=10.0 if loss == "poisson" else 1.0))
    answer = dp.recommend(facts, loss, accuracy=target)
    assert answer.met
    assert 0 <= answer.best - target <= 1e-3
    assert answer.ranking[0].predicted >= target
    less = dp.recommend(facts, loss, 0.93 * answer.epsilon)
    assert less.best < target


def test_the_fewest_rows_meet_the_target_and_fewer_do_not():
    answer = dp.rows_needed(FACTS, 0.85, "logistic", 0.5)
    assert 0 <= answer.best - 0.85 <= 1e-3
    fewer = dp.PublicFacts(int(0.93 * answer.facts.n_samples), 8, dp.Domain())
    assert dp.recommend(fewer, "logistic", 0.5).best < 0.85


def test_what_no_budget_reaches_is_said():
    answer = dp.recommend(FACTS, "logistic", accuracy=0.95)
    assert not answer.met
    assert "no learner reaches accuracy 0.95" in answer.verdict
    assert f"{answer.without_privacy:.3f}" in answer.verdict
    assert not dp.rows_needed(FACTS, 0.95).met


def test_nothing_useful_is_said():
    """Three hundred rows of thirty columns at ε = 0.1: a release may be worse than guessing."""
    poor = dp.recommend(dp.PublicFacts(300, 30, dp.Domain()), "logistic", 0.1, difficulty=dp.Difficulty(0.7))
    assert not poor.useful
    assert poor.verdict.startswith("nothing useful")
    assert dp.recommend(FACTS, "logistic", 1.0).useful
    crowd = dp.Difficulty(0.9, constant=0.895)  # a constant is nearly as good
    assert not dp.recommend(FACTS, "logistic", 0.3, difficulty=crowd).useful


def test_looser_bounds_and_less_budget_cost():
    tight, loose = (dp.recommend(FACTS, "logistic", 0.5, difficulty=dp.Difficulty(0.9, share)) for share in (1.0, 0.25))
    assert tight.best > loose.best + 0.01
    assert [dp.recommend(FACTS, "logistic", one).best for one in (0.1, 0.3, 1.0, 4.0)] == sorted(
        dp.recommend(FACTS, "logistic", one).best for one in (0.1, 0.3, 1.0, 4.0)
    )


def test_units_of_the_bounds_do_not_matter():
    one, other = (
        dp.recommend(dp.PublicFacts(1500, 8, dp.Domain(row_norm=r, target_bound=b)), "squared", 2.0)
        for r, b in ((1, 1), (3, 1))
    )
    assert other.best == pytest.approx(one.best, abs=3e-3)


def test_equals_stand_in_the_order_of_the_registry():
    scores = (0.8004, 0.7, 0.8009, 0.7995, 0.7005)
    ranked = [Ranked(str(i), None, score, 0, 1, "", "", "") for i, score in enumerate(scores)]
    assert [one.key for one in _ordered(ranked)] == ["0", "2", "3", "1", "4"]


def test_questions_that_contradict_themselves_are_refused():
    with pytest.raises(ParameterError, match="not both"):
        dp.recommend(FACTS, "logistic", 1.0, accuracy=0.8)
    with pytest.raises(ParameterError, match="epsilon must be > 0"):
        dp.recommend(FACTS, "logistic", 0.0)
    with pytest.raises(ParameterError, match="accuracy must be"):
        dp.recommend(FACTS, "logistic", accuracy=1.0)
    with pytest.raises(UnsupportedError, match="too many to generate"):
        check_once(dp.recommend(dp.PublicFacts(10**6, 8, dp.Domain()), "logistic", 1.0), 0)


def test_trials_are_those_of_their_seed_and_are_averaged():
    answer = dp.recommend(dp.PublicFacts(200, 3, dp.Domain()), "logistic", 1.0)
    trials = [check_once(answer, seed) for seed in (0, 1, 0)]
    assert trials[0] == trials[2] != trials[1]
    found = means_of(trials)["amp"]
    scores = [one["amp"] for one in trials]
    assert (found.mean, found.count) == (pytest.approx(np.mean(scores)), 3)
    assert found.error == pytest.approx(np.std(scores, ddof=1) / np.sqrt(3))
    assert means_of([]) == {}


def test_a_small_table_can_be_made_again():
    found = list(outcomes(settings(2), most=8))
    assert [one.lost <= 0.02 for one in found] == [True, True]
    assert all(0.5 <= one.ratio <= 2 for one in found)
    assert "2 of 2" in summary(found)[1]
    assert all(one.row().count("|") == 18 for one in found)


def test_the_printed_table_is_of_these_settings_and_keeps_what_is_promised():
    """Nine of ten recommendations within 0.3 points, four of five predicted budgets within × 1.5; none is left out."""
    text = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8").split("<!-- table -->")[1]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")][1:]
    asked = [[one.loss, one.shape, str(one.n), str(one.d), f"{one.epsilon:g}"] for one in settings()]
    assert [row[:5] for row in rows] == asked
    assert len(rows) >= 40
    lost = [float(row[11].strip("*")) for row in rows]
    near = [2 / 3 <= float(row[14]) / float(row[15]) <= 1.5 for row in rows]
    assert sum(one <= 0.3 for one in lost) >= 0.9 * len(rows)
    assert sum(near) >= 0.8 * len(rows)
    assert f"{sum(one <= 0.3 for one in lost)} of {len(rows)}" in text.splitlines()[2]
    assert f"{sum(near)} of {len(rows)}" in text.splitlines()[3]
