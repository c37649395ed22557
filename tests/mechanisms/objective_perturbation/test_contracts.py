"""The contract of every profile, on the tight profile in both classes of losses."""

from __future__ import annotations

import pytest

from dpcore.mechanisms.objective_perturbation import ObjectivePerturbation
from tests.contracts.profile import CHECKS, check_shapes

MONOTONE = ObjectivePerturbation(sigma=5.0, lam=2.0, lipschitz=1.0, smoothness=1.0)
GENERAL = ObjectivePerturbation(sigma=1.0, lam=0.5, lipschitz=1.0, smoothness=0.25, monotone=False)


@pytest.mark.thorough
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_monotone_losses(check):
    check(MONOTONE)


# the generic Rényi integral places its panels by all orders asked for, which moves a kinked curve's value by 2e-12
@pytest.mark.thorough
@pytest.mark.parametrize("check", [c for c in CHECKS if c is not check_shapes], ids=lambda check: check.__name__)
def test_general_losses(check):
    check(GENERAL)
