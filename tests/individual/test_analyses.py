"""Every registered analysis keeps the contract."""

from __future__ import annotations

import pytest

import dpcore as dp
from dpcore.individual import ANALYSES
from dpcore.mechanisms import RELEASES
from tests.contracts import analysis as contract

CHOICES = [(entry, choice) for entry in RELEASES.values() for choice in entry.alternatives]
SETTINGS = [entry.at(0.8, 0.7) for entry in RELEASES.values()] + [
    entry.build(lam=0.7, **{entry.noise.name: 1.5, choice.name: option})
    for entry, choice in CHOICES
    for option in choice.options
    if option != entry.asked[choice.name]
]


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    "mechanism", SETTINGS, ids=lambda mechanism: f"{mechanism.release}-{getattr(mechanism, 'shape', '')}"
)
def test_contract(mechanism, check):
    check(mechanism)


def test_every_analysis_is_of_a_release_that_can_be_chosen():
    assert set(ANALYSES) == {type(mechanism) for mechanism in SETTINGS}


def test_a_mechanism_without_an_analysis_is_refused_with_a_sentence():
    other = dp.ApproximateMinimaPerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, smoothness=1.0, tau=1e-3, sigma_out=1.0)
    nameless = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, smoothness=1.0)
    for mechanism, reason in ((other, "no per-instance analysis"), (nameless, "loss='squared'")):
        with pytest.raises(dp.UnsupportedError, match=reason):
            dp.individual_privacy(contract.linear_data(), mechanism)
