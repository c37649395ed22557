"""The contract of every profile, on the tight profile in both classes of losses."""

from __future__ import annotations

import pytest

from dpcore.mechanisms.objective_perturbation import ObjectivePerturbation
from tests import every
from tests.contracts import profile as contracts

PROFILES = {
    "monotone losses": ObjectivePerturbation(sigma=5.0, lam=2.0, lipschitz=1.0, smoothness=1.0),
    "general losses": ObjectivePerturbation(sigma=1.0, lam=0.5, lipschitz=1.0, smoothness=0.25, monotone=False),
}


# asked of the mechanism; nothing is overridden; broadcasting is the base class's
APART = {"check_is_a_value", "check_overrides_agree_with_the_base_class", "check_shapes"}


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROFILES)
def test_contract(name):
    """All checks together, so that no δ is computed twice."""
    contracts.check_is_a_value(PROFILES[name])
    checks = {check.__name__: check for check in contracts.CHECKS if check.__name__ not in APART}
    every.hold(lambda check: contracts.holds(check, PROFILES[name].curve), checks)
