"""Every registered analysis keeps the contract."""

from __future__ import annotations

import pytest

import dpcore as dp
from dpcore.glm.losses import LOSSES
from dpcore.individual.exposure import ANALYSES, GLM_ANALYSES
from dpcore.mechanisms import RELEASES
from tests.contracts import analysis as contract
from tests.contracts import glm_analysis

CHOICES = [(entry, choice) for entry in RELEASES.values() for choice in entry.alternatives]
SETTINGS = [entry.at(0.8, 0.7) for entry in RELEASES.values()] + [
    entry.build(lam=0.7, **{entry.noise.name: 1.5, choice.name: option})
    for entry, choice in CHOICES
    for option in choice.options
    if option != entry.asked[choice.name]
]

CLIPPED = {"squared": 0.5, "pseudo_huber": 0.4, "poisson": 0.5}
GLM_SETTINGS = {
    f"{entry.key}-{loss}": entry.build(lam=0.7, loss=loss, clip=CLIPPED.get(loss), **{entry.noise.name: 0.8})
    for entry in RELEASES.values()
    for loss in LOSSES
}


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    "mechanism", SETTINGS, ids=lambda mechanism: f"{mechanism.release}-{getattr(mechanism, 'shape', '')}"
)
def test_contract(mechanism, check):
    check(mechanism)


@pytest.mark.parametrize("check", glm_analysis.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("mechanism", GLM_SETTINGS.values(), ids=GLM_SETTINGS)
def test_glm_contract(mechanism, check):
    """Models beyond linear regression."""
    check(mechanism)


def test_every_analysis_is_of_a_release_that_can_be_chosen():
    assert set(ANALYSES) == {type(mechanism) for mechanism in SETTINGS}
    assert set(GLM_ANALYSES) == {type(mechanism) for mechanism in GLM_SETTINGS.values()}


def test_a_mechanism_without_an_analysis_is_refused_with_a_sentence():
    other = dp.ApproximateMinimaPerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, smoothness=1.0, tau=1e-3, sigma_out=1.0)
    nameless = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, smoothness=1.0)
    for mechanism, reason in ((other, "no per-instance analysis"), (nameless, "loss='squared'")):
        with pytest.raises(dp.UnsupportedError, match=reason):
            dp.individual_privacy(contract.linear_data(), mechanism)
