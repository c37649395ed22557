"""Every page of the navigation against every contract of pages."""

import pytest

from tests.contracts import page as contracts


@pytest.mark.usefixtures("same_chance")
@pytest.mark.parametrize("check", contracts.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("page", contracts.PAGES)
def test_page(page, check):
    check(page)
