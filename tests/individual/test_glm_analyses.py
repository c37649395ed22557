"""Every registered analysis of a model beyond linear regression keeps the contract."""

from __future__ import annotations

import pytest

from dpcore.glm.losses import LOSSES
from dpcore.individual.exposure import GLM_ANALYSES
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
