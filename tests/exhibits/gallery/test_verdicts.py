"""Each verdict states its criterion and turns with the numbers: every exhibit, judged on what it found and on something else."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.errata import Numbers
from dpcore.exhibits import gallery
from dpcore.exhibits.gallery import EXHIBITS, Judgement, augmentation, objective, per_instance, simulated, trained
from dpcore.exhibits.noise_augmentation.claims import simulation_claims
from dpcore.exhibits.paper_figures.study import PaperClaim
from dpcore.exhibits.training.published import TABLE_EPSILONS, TABLES
from dpcore.mechanisms import Gaussian
from tests.exhibits.noise_augmentation.test_claims import summary

REAL = objective._mechanism
SWAPPED = {"lower": "hockey_stick", "hockey_stick": "lower", "kifer": "renyi", "renyi": "kifer"}
UNCHANGED = ()


def study(**changes):
    found = summary(**changes)
    return (simulated, "_simulation", lambda *_: (found, tuple(simulation_claims(found))))


def accuracies(shift):
    """What the tables print, and in between a line of it, off by `shift` per cent."""
    printed = TABLES["table_1"].accuracy["Algorithm 1"]
    at = lambda epsilon: float(np.interp(np.log(epsilon), np.log(TABLE_EPSILONS), printed))  # noqa: E731
    return (trained, "paper_accuracy", lambda epsilon, *_: (at(epsilon) + shift * np.log(epsilon), 0.1))


def tried(left, right):
    claims = [(PaperClaim("said", "", 5.5, 6.5, found),) * 2 for found in (left, right)]
    return (per_instance, "_tried", lambda *_: claims)


def errata(printed):
    return (augmentation, "numbers_of", lambda *_: Numbers(printed, 1.0, 1.0))


def picture(**changes):
    real = augmentation._realised.__wrapped__

    def made(kind, seed):
        found = real(kind, seed)
        return replace(found, **{name: change(found) for name, change in changes.items()})

    return (augmentation, "_realised", made)


def theory(holds):
    real = augmentation._theory.__wrapped__
    return (augmentation, "_theory", lambda: tuple(replace(one, holds=holds) for one in real()))


TURNED = {"distance_to_lasso": {"MOOR, b = 0": [0.3] * 3}, "false_positives": {"VS": [0.0] * 3, "VS+": [0.4] * 3},
          "true_positives": {"VS+": [0.1, 0.05, 0.0], "VS, recycled": [0.6, 0.5, 0.4]},
          "prediction_error": {"NAPP": [3.0, 2.0, 1.0], "NAPP, recycled": [9.0] * 3}, "retrieved": {"VS+": [0.3, 0.1, 0.0]}}  # fmt: skip
CASES = {  # beginning of a key → what the source describes, and something else, as (module, name, value) or nothing
    "redberg-fig-1": (UNCHANGED, (objective, "_mechanism", lambda s, lam, bound, *_: REAL(s, lam, SWAPPED.get(bound, bound)))),
    "redberg-fig-2-synthetic": (accuracies(0.0), accuracies(-9.0)),
    "redberg-fig-3": (UNCHANGED, (objective, "_mechanism", lambda s, lam, *rest: REAL(1000 / s, lam, *rest))),
    "redberg-fig-4": (UNCHANGED, (objective, "published_epsilon", lambda *_: 1e3)),
    "redberg-fig-5": (UNCHANGED, (objective, "Subsampled", lambda *_: Gaussian(1e4))),
    "redberg-table-1": (accuracies(0.0), accuracies(-9.0)),
    "redberg-table-5": (UNCHANGED, (trained, "runs_for", lambda *_: 12.0)),
    "wang-fig": (tried(6.0, 6.0), tried(60.0, 60.0)),
    "li-liu-fig-1-top": (UNCHANGED, picture(moor=lambda one: one.summed, summed=lambda one: one.moor)),
    "li-liu-fig-1-bottom": (UNCHANGED, picture(empirical_modulus=lambda one: 0.5 * one.empirical_modulus)),
    "li-liu-fig-2": (theory(True), UNCHANGED),
    "li-liu-table": (errata(1.0), errata(2.0)),
    "li-liu-fig": (study(), study(**TURNED)),
}  # fmt: skip
WITHOUT_CHECKS = {"wang-table-1", "redberg-fig-2-synthetic-h"}  # print no number and no sentence about one


def case(key):
    return next(CASES[start] for start in sorted(CASES, key=len, reverse=True) if key.startswith(start))


def judged(key, change):
    with pytest.MonkeyPatch.context() as patch:
        if change:
            patch.setattr(*change)
        if key == "li-liu-fig-2" and not change:
            augmentation._theory.cache_clear()
        shown = EXHIBITS[key].make()
        return EXHIBITS[key].verdict(shown), shown


@pytest.mark.parametrize("key", [key for key, one in EXHIBITS.items() if not one.missing and key not in WITHOUT_CHECKS])
def test_a_verdict_is_a_function_of_what_is_found(key):
    (described, found), (other, shown) = (judged(key, change) for change in case(key))
    assert all(check.evidence in described.reason for check in found.checks if not open_in(key) or check.holds is None)
    assert described.judgement is (Judgement.UNDECIDED if open_in(key) else Judgement.REPRODUCED), described.reason
    assert other.judgement in (Judgement.DIFFERS, Judgement.REFUTED), other.reason
    failed = [check for check in shown.checks if check.holds is False]
    assert all(check.evidence in other.reason for check in failed)


def open_in(key):
    """DP-SGD is not trained here; a plateau is not seen at two budgets."""
    return key in ("redberg-table-1", "redberg-fig-2-synthetic-l")


@pytest.mark.parametrize("key", ["wang-fig-1", "wang-fig-2-left", "wang-fig-2-right"])
def test_what_some_data_sets_show_and_others_do_not_is_undecided(key):
    """Neither n nor the seed is printed: a sentence that is true of half of the data sets is not reproduced."""
    verdict, _ = judged(key, tried(6.0, 60.0))
    assert verdict.judgement is Judgement.UNDECIDED
    assert "1 of 2 data sets" in verdict.reason


def test_the_sentences_of_figure_1_on_many_data_sets():
    for check, share in zip(gallery.shown_of("wang-fig-1").checks, ("in 12 of 24", "in 5 of 24"), strict=True):
        assert (check.holds, share in check.evidence) == (None, True)


def test_numbers_that_are_not_computed_are_open():
    verdict, shown = judged("redberg-table-1", accuracies(0.0))
    assert sum(check.holds is True for check in shown.checks) == 3
    assert "not computed" in verdict.reason
    assert all(f"{value:g}" in verdict.reason for value in TABLES["table_1"].accuracy["DP-SGD, honest"])


def test_without_anything_printed_nothing_is_reproduced():
    assert all(judged(key, accuracies(0.0))[0].judgement is Judgement.UNDECIDED for key in WITHOUT_CHECKS)
