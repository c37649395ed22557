"""Every page from a cold deep link, in both themes and sizes, with no request leaving the machine."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ARTIFACTS, Server, navigate, settled

PAGES = {
    "": "See differential privacy",
    "learn": "Learn",
    "privacy_curves": "Privacy curves",
    "composition": "Composition",
    "output_perturbation": "Output perturbation",
    "objective_perturbation": "Objective perturbation",
    "exponential_mechanism": "Exponential mechanism",
    "log_concave": "Log-concave pairs",
    "learning_limits": "Learning limits",
    "per_instance": "Per-instance privacy",
    "privacy_map": "Privacy definitions on a map",
    "paper_figures": "Figures of the per-instance paper",
    "private_training": "Private training",
    "noise_augmentation": "Noise augmentation",
    "cross_check": "Cross-check",
    "audit": "Audit",
    "errata": "Errata",
}


@pytest.mark.parametrize("path", [path for path in PAGES if path])
def test_first_request_is_a_deep_link(path, new_page, tmp_path):
    server = Server(tmp_path / "server.log")
    page = new_page()
    page.goto(f"{server.url}/{path}")
    settled(page)
    expect(page.locator("h1")).to_have_text(PAGES[path])
    expect(page.get_by_text("Understand", exact=True).first).to_be_visible()
    assert "Traceback" not in server.stop()


def test_navigation_reaches_every_page(server, page):
    page.goto(server.url)
    settled(page)
    for group, title in (
        ("Understand", "Privacy curves"),
        ("Understand", "Objective perturbation"),
        ("Your data", "Per-instance privacy"),
        ("Verify", "Cross-check"),
    ):
        navigate(page, group, title)
        expect(page.locator("h1")).to_have_text(title)


def test_home_offers_three_ways_in(server, page):
    page.goto(server.url)
    settled(page)
    for label, title in (
        ("Open the lessons", "Learn"),
        ("Open per-instance privacy", "Per-instance privacy"),
        ("Open the cross-check", "Cross-check"),
    ):
        page.get_by_role("link", name=label).click()
        expect(page.locator("h1")).to_have_text(title)
        page.go_back()
        expect(page.locator("h1")).to_have_text("See differential privacy")


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_pages_fit_and_are_pictured(path, dark, width, height, server, new_page):
    page = new_page(dark=dark, width=width, height=height)
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
