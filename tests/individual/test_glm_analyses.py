"""Every registered analysis of a model beyond linear regression keeps the contract, and wrong ones do not."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.glm.losses import LOSSES
from dpcore.individual.analyses.glm_output import OutputExpansion
from dpcore.individual.analyses.glm_posterior import PosteriorExpansion
from dpcore.individual.exposure import GLM_ANALYSES, Exposures
from dpcore.individual.worst_record.climb import most_visible
from dpcore.mechanisms import RELEASES
from tests.contracts import glm_analysis as contract

CLIPPED = {"squared": 0.5, "pseudo_huber": 0.4, "poisson": 0.5}


def release(entry, loss):
    return entry.build(lam=0.7, loss=loss, clip=CLIPPED.get(loss), **{entry.noise.name: 0.8})


SETTINGS = {f"{entry.key}-{loss}": release(entry, loss) for entry in RELEASES.values() for loss in LOSSES}


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("mechanism", SETTINGS.values(), ids=SETTINGS)
def test_contract(mechanism, check):
    check(mechanism)


def test_every_release_has_an_analysis():
    assert set(GLM_ANALYSES) == {type(mechanism) for mechanism in SETTINGS.values()}


def _in_sample(cls, mechanism, leverage, X, y):
    right = PosteriorExpansion.of_added(mechanism, leverage, X, y)
    right.leverage = right.leverage / 4
    return right


def _by_position(cls, mechanism, dataset, leverage):
    right = OutputExpansion.of_rows(mechanism, dataset, leverage)
    return cls(right.shift * (1 + 1e-3 * np.arange(len(right.shift))))


def _first(self, rows):
    return Exposures.take(self, [0] * len(self.leverage[rows]))


def _late(self, log_delta):
    return PosteriorExpansion.epsilon(self, log_delta + np.log(2))


def _removed_only(self, epsilon):
    return self.one(epsilon, "remove")


def _exchanged(self, alpha, direction):
    return PosteriorExpansion._renyi(self, alpha, "add" if direction == "remove" else "remove")


def _loud(self, epsilon):
    return np.minimum(OutputExpansion.log_delta(self, epsilon) + np.log(1e4), 0.0)


def _of_the_first(cls, mechanism, dataset, leverage, rows, aim):
    return OutputExpansion.exact(mechanism, dataset, leverage, rows * 0, aim)


def _jumping(cls, mechanism, dataset, leverage, rows, aim):
    aim.progress(1.0)
    return OutputExpansion.exact(mechanism, dataset, leverage, rows, aim)


def _nearly(self, epsilon, log_delta):
    return self.log_delta(np.array(epsilon)) > log_delta + 0.5


WRONG = {
    "a quarter of the leverage": ("posterior", {"of_added": classmethod(_in_sample)}, "a_row_is_what_it_would_add"),
    "rows by position": ("output", {"of_rows": classmethod(_by_position)}, "the_order_of_rows_does_not_matter"),
    "the first row for all": ("posterior", {"take": _first}, "some_rows_are_those_of_all"),
    "ε of twice the δ": ("posterior", {"epsilon": _late}, "epsilon_is_the_smallest_that_meets_delta"),
    "one direction": (
        "posterior", {"log_delta": _removed_only}, "a_profile_is_its_row_and_says_that_it_is_an_estimate",
    ),
    "directions exchanged": ("posterior", {"_renyi": _exchanged}, "divergences_are_those_of_the_curve"),
    "noise that changes nothing": ("output", {"with_noise": lambda self, share: self}, "noise_is_all_of_the_noise"),
    "another record confirmed": (
        "output", {"exact": classmethod(_of_the_first)}, "the_most_exposed_record_is_confirmed_without_the_expansion",
    ),
    "another level": ("objective", {"above": _nearly}, "a_comparison_with_delta_is_that_of_the_curve"),
    "progress that goes back": (
        "output", {"exact": classmethod(_jumping)}, "the_most_exposed_record_is_confirmed_without_the_expansion",
    ),
    "δ above the worst case": ("output", {"log_delta": _loud}, "no_row_is_above_the_worst_case"),
    "a bound out of nothing": ("output", {"bound_epsilon": lambda self, log_delta: self.shift}, "the_published_bound_is_refused"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_analysis_is_noticed(name, monkeypatch):
    key, methods, check = WRONG[name]
    mechanism = SETTINGS[f"{key}-logistic"]
    monkeypatch.setitem(GLM_ANALYSES, type(mechanism), type("Wrong", (GLM_ANALYSES[type(mechanism)],), methods))
    with pytest.raises(AssertionError):
        getattr(contract, f"check_{check}")(mechanism)


def test_a_search_that_cannot_be_stopped_is_noticed(monkeypatch):
    deaf = "dpcore.individual.worst_record.for_all.most_visible"
    monkeypatch.setattr(deaf, lambda *asked: most_visible(*asked[:-1], lambda share: None))
    with pytest.raises(AssertionError):
        contract.check_the_search_for_the_most_exposed_record_can_be_stopped(SETTINGS["output-logistic"])
