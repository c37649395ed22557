"""Every registered loss against every contract of losses."""

import pytest

import dpcore as dp
from tests import every
from tests.contracts import loss as contracts

VARIANTS = {
    f"{name}-{i}": variant for name, loss in dp.LOSSES.items() for i, variant in enumerate(contracts.variants(loss))
}


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("name", VARIANTS)
def test_contract(name):
    every.hold(lambda check: check(VARIANTS[name]), {check.__name__: check for check in contracts.CHECKS})
