"""Every page at the sizes people use, dark and light: it fits, nothing is cut off, and a picture is kept."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ARTIFACTS, settled
from tests.browser.test_navigation import PAGES


@pytest.mark.parametrize("path", PAGES)
def test_pages_fit_and_are_pictured(path, server, page):
    """Opened dark and wide; then the system turns light and the window smaller, and the page follows."""
    ARTIFACTS.mkdir(exist_ok=True)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.emulate_media(color_scheme="dark")
    page.goto(f"{server.url}/{path}")
    check(page, "rgb(15, 21, 28)", f"{path or 'home'}_dark_1920x1080.png")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(color_scheme="light")
    check(page, "rgb(255, 255, 255)", f"{path or 'home'}_light_1280x720.png")


def check(page, background: str, picture: str) -> None:
    settled(page)
    expect(page.locator(".stApp").first).to_have_css("background-color", background)
    settled(page)
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0
    for value in page.get_by_test_id("stMetricValue").all():
        assert value.evaluate("node => node.scrollWidth <= node.clientWidth + 1"), value.inner_text()
    page.screenshot(path=ARTIFACTS / picture)
    assert (ARTIFACTS / picture).stat().st_size > 20_000
