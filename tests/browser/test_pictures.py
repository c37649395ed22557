"""Every page at the sizes people use, light and dark: it fits, nothing is cut off, and a picture is kept."""

import pytest

from tests.browser.conftest import ARTIFACTS, settled
from tests.browser.test_navigation import PAGES


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    ("dark", "width", "height"), [(False, 1280, 720), (True, 1920, 1080)], ids=["light, projected", "dark, wide"]
)  # fmt: skip
def test_pages_fit_and_are_pictured(path, dark, width, height, server, page):
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.goto(f"{server.url}/{path}")
    settled(page)
    background = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert background == ("rgb(15, 21, 28)" if dark else "rgb(255, 255, 255)")
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0
    for value in page.get_by_test_id("stMetricValue").all():
        assert value.evaluate("node => node.scrollWidth <= node.clientWidth + 1"), value.inner_text()
    ARTIFACTS.mkdir(exist_ok=True)
    name = f"{path or 'home'}_{'dark' if dark else 'light'}_{width}x{height}.png"
    page.screenshot(path=ARTIFACTS / name)
    assert (ARTIFACTS / name).stat().st_size > 20_000
