"""Every registered analysis keeps the contract, and wrong ones do not."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore as dp
from dpcore.individual import ANALYSES, Exposures
from dpcore.individual.analyses.objective_perturbation import LinearObjective
from dpcore.individual.analyses.output_perturbation import GaussianOutput
from dpcore.individual.analyses.posterior_sampling import PosteriorSample
from dpcore.individual.passes.blocks import check_mechanism
from dpcore.mechanisms import RELEASES
from tests.contracts import analysis as contract

SETTINGS = [
    *(entry.at(0.8, 0.7) for entry in RELEASES.values()),
    *(
        entry.build(lam=0.7, **{entry.noise.name: 1.5, choice.name: option})
        for entry in RELEASES.values()
        for choice in entry.alternatives
        for option in choice.options
        if option != entry.asked[choice.name]
    ),
]


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    "mechanism", SETTINGS, ids=lambda mechanism: f"{mechanism.release}-{getattr(mechanism, 'shape', '')}"
)
def test_contract(mechanism, check):
    check(mechanism)


def test_every_analysis_is_of_a_release_that_can_be_chosen():
    assert set(ANALYSES) == {type(mechanism) for mechanism in SETTINGS}


def _half(cls, mechanism, dataset, leverage):
    return GaussianOutput.of_rows.__func__(cls, mechanism, dataset, leverage).with_noise(2.0)


def _in_sample(cls, mechanism, dataset, leverage):
    return cls(leverage.in_sample, PosteriorSample.of_rows(mechanism, dataset, leverage).shift)


def _no_spread(cls, mechanism, dataset, leverage):
    right = LinearObjective.of_rows(mechanism, dataset, leverage)
    return cls(right.mu, right.shift, 0 * right.spread)


def _by_position(cls, mechanism, dataset, leverage):
    right = GaussianOutput.of_rows(mechanism, dataset, leverage)
    return cls(right.shift * (1 + 1e-3 * np.arange(len(right.shift))))


def _first(self, rows):
    return Exposures.take(self, [0] * len(self.mu[rows]))


def _low(self, log_delta):
    return self.epsilon(log_delta) / 2


def _late(self, log_delta):
    return LinearObjective.epsilon(self, log_delta + np.log(2))


def _mean(cls, mechanism, fit, rest):
    return GaussianOutput.of_group(mechanism, fit, rest).with_noise(2.0)


def _small(self, shift):
    GaussianOutput.__init__(self, shift / 2)


def _one_direction(self, epsilon):
    epsilon = np.broadcast_to(epsilon, self.mu.shape)
    return np.array([float(self.profile(k).log_delta(e, direction="remove")) for k, e in enumerate(epsilon)])


def _exchanged(self, alpha, direction):
    return PosteriorSample._renyi(self, alpha, "add" if direction == "remove" else "remove")


WRONG = {
    "half of the shift of rows": ("output", {"of_rows": classmethod(_half)}, "divergences_are_those_of_refits"),
    "half of every shift": ("output", {"__init__": _small}, "divergences_are_those_of_refits"),
    "leverage in sample": ("posterior", {"of_rows": classmethod(_in_sample)}, "a_row_is_what_it_would_add"),
    "one direction": ("posterior", {"log_delta": _one_direction}, "a_profile_is_its_row"),
    "no spread": ("objective", {"of_rows": classmethod(_no_spread)}, "divergences_are_those_of_refits"),
    "rows by position": ("output", {"of_rows": classmethod(_by_position)}, "the_order_of_rows_does_not_matter"),
    "rows by piece": ("output", {"of_rows": classmethod(_by_position)}, "rows_read_in_pieces_are_those_in_memory"),
    "noise that changes nothing": ("output", {"with_noise": lambda self, share: self}, "noise_is_all_of_the_noise"),
    "the first row for all": ("posterior", {"take": _first}, "some_rows_are_those_of_all"),
    "directions exchanged": ("posterior", {"_renyi": _exchanged}, "divergences_are_those_of_refits"),
    "a bound below": ("output", {"bound_epsilon": _low}, "the_published_bound_is_above_or_refused"),
    "ε of twice the δ": ("objective", {"epsilon": _late}, "epsilon_is_the_smallest_that_meets_delta"),
    "a group that is its mean": ("output", {"of_group": classmethod(_mean)}, "groups_and_several_releases"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_analysis_is_noticed(name, monkeypatch):
    key, methods, check = WRONG[name]
    mechanism = RELEASES[key].at(0.8, 0.7)
    monkeypatch.setitem(ANALYSES, type(mechanism), type("Wrong", (ANALYSES[type(mechanism)],), methods))
    with pytest.raises(AssertionError):
        getattr(contract, f"check_{check}")(mechanism)


def test_a_search_that_stops_at_once_is_noticed(monkeypatch):
    monkeypatch.setattr("dpcore.individual.worst_record.for_all.most_visible", lambda *asked: np.full(2, 0.1))
    with pytest.raises(AssertionError):
        contract.check_no_record_of_the_domain_is_above_the_most_exposed_one(RELEASES["posterior"].at(0.8, 0.7))


def test_a_mechanism_without_an_analysis_is_refused_with_a_sentence():
    other = dp.ApproximateMinimaPerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, smoothness=1.0, tau=1e-3, sigma_out=1.0)
    nameless = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, smoothness=1.0)
    for mechanism, reason in ((other, "no per-instance analysis"), (nameless, "loss='squared'")):
        with pytest.raises(dp.UnsupportedError, match=reason):
            dp.individual_privacy(contract.data(), mechanism)


def test_an_analysis_that_needs_all_rows_is_not_read_in_pieces(monkeypatch):
    mechanism = RELEASES["output"].at(1.0, 1.0)
    check_mechanism(mechanism)
    monkeypatch.setitem(ANALYSES, type(mechanism), type("Whole", (GaussianOutput,), {"by_block": False}))
    with pytest.raises(dp.UnsupportedError, match="only, got OutputPerturbation"):
        check_mechanism(mechanism)
