"""A screen's address in a real browser: opened elsewhere and reloaded it shows the same screen, and one Back undoes a preset."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled

DEALT = "/audit"
BUTTONS = "[class*='_preset_'] button:visible"
MENU = "[class*='_presets'] button"
SCREEN = """() => ({
  cards: [...document.querySelectorAll("[data-testid=stMetric]")].map((one) => one.innerText),
  charts: [...document.querySelectorAll(".js-plotly-plot")].map((one) =>
    JSON.stringify(one.data.map((trace) => [trace.name, trace.x, trace.y]))),
  sliders: [...document.querySelectorAll("[role=slider]")].map((one) =>
    [one.getAttribute("aria-label"), one.getAttribute("aria-valuetext") ?? one.getAttribute("aria-valuenow")]),
  chosen: [...document.querySelectorAll("section input, [data-testid=stMain] input")].map((one) =>
    [one.getAttribute("aria-label"), one.type, one.value, one.checked]),
  pressed: [...document.querySelectorAll("[data-testid=stButtonGroup] button")].map((one) =>
    [one.innerText, one.dataset.testid, one.getAttribute("aria-checked"), one.getAttribute("aria-pressed")]),
})"""


def screen(page) -> dict:
    """Cards, traces and controls; of a game that is dealt to each reader anew neither its traces nor how sure its verdict is."""
    settled(page)
    found = page.evaluate(SCREEN)
    if DEALT not in page.url:
        return found
    return found | {"charts": len(found["charts"]), "cards": [card.partition("p <")[0] for card in found["cards"]]}


def check_shows(page, wanted: dict) -> None:
    """Wait until the page shows what is wanted: after Back its run may begin late."""
    for _ in range(20):
        if (found := screen(page)) == wanted:
            return
        page.wait_for_timeout(500)
    assert found == wanted


@pytest.mark.thorough
@pytest.mark.parametrize(
    "path", ["composition", "learning_limits", "privacy_curves", "private_training", "noise_augmentation", "audit"]
)
def test_the_last_preset(server, new_page, path):
    """A browser is asked the same for each preset; every one of every page is in `tests/pages/test_states.py`."""
    page, other = new_page(), new_page()
    start = f"{server.url}/{path}"
    page.goto(start)
    before = screen(page)
    page.locator(MENU).click()
    expect(page.locator(BUTTONS).first).to_be_visible()
    page.locator(BUTTONS).last.click()
    shown, address = screen(page), page.url
    other.goto(address)
    check_shows(other, shown)
    assert other.url == address
    other.reload()
    check_shows(other, shown)
    if address != start:
        page.go_back()
        expect(page).to_have_url(start)
        check_shows(page, before)
