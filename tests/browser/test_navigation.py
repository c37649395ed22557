"""Every page from a cold deep link, in both themes and sizes, with no request leaving the machine."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OURS, Server, navigate, visit

PAGES = {"privacy_curves": "Privacy curves", "per_instance": "Per-instance privacy", "cross_check": "Cross-check"}


def expect_page(page, title: str) -> None:
    """The page of this name is open: it stands above the headline, or is the headline."""
    expect(page.get_by_test_id("stMain").get_by_text(title, exact=True).first).to_be_visible()


@pytest.mark.thorough
@pytest.mark.parametrize("path", PAGES)
def test_first_request_is_a_deep_link(path, new_page, tmp_path):
    server = Server(tmp_path / "server.log")
    page = new_page()
    visit(page, f"{server.url}/{path}")
    expect_page(page, PAGES[path])
    expect(page.get_by_role("dialog")).to_have_count(0)
    navigate(page, "Sources", "Errata")  # what a person would click is not covered
    expect(page.locator(".katex-display").first).to_be_visible()
    assert page.locator(".katex-display").first.evaluate("one => one.scrollHeight <= one.clientHeight")
    assert not OURS.search(server.stop())
