"""Every entry of the registry against the contract of mechanisms, and what a new entry reaches without being named."""

from __future__ import annotations

import pytest

import dpcore as dp
from tests.contracts import mechanism as contracts


@pytest.mark.parametrize("check", contracts.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("key", dp.MECHANISMS)
def test_contract(key, check):
    check(dp.MECHANISMS[key])
