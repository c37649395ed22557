"""A screen's address in a real browser: opened elsewhere and reloaded it shows the same screen, and one Back undoes a preset.

Links of the gallery and of the lecture are asked without a browser: tests/pages/test_states.py.
"""

from importlib import import_module
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OURS, SECONDS, Server, example, settled
from tests.contracts.page import PAGES

GAMES = ("/", "/audit")
WITH_PRESETS = [path for path in PAGES if import_module(f"pages.{path.replace('/', '.')}.page").PAGE.presets]
BUTTONS = "[class*='_preset_'] button:visible"
MENU = "[class*='_presets'] button"
SCREEN = """() => ({
  cards: [...document.querySelectorAll("[data-testid=stMetric]")].map((one) =>
    ["Label", "Value", "Delta"].map((part) => one.querySelector(`[data-testid=stMetric${part}]`)?.textContent)),
  charts: [...document.querySelectorAll(".js-plotly-plot")].map((one) =>
    JSON.stringify(one.data.map((trace) => [trace.name, trace.x, trace.y]))),
  sliders: [...document.querySelectorAll("[role=slider]")].map((one) =>
    [one.getAttribute("aria-label"), one.getAttribute("aria-valuetext") ?? one.getAttribute("aria-valuenow")]),
  chosen: [...document.querySelectorAll("section input, [data-testid=stMain] input")].map((one) =>
    [one.getAttribute("aria-label"), one.type, one.value, one.checked]),
  pressed: [...document.querySelectorAll("[data-testid=stButtonGroup] button")].map((one) =>
    [one.innerText, one.dataset.testid, one.getAttribute("aria-checked"), one.getAttribute("aria-pressed")]),
})"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server") / "server.log", "tests/browser/unmoved.py")
    yield server
    assert not OURS.search(log := server.stop()), log


def seen(page) -> dict:
    """Cards, traces and controls; of a game, which each reader is dealt anew and plays on, how many traces and which cards."""
    found = page.evaluate(SCREEN)
    if urlsplit(page.url).path not in GAMES:
        return found
    return found | {"charts": len(found["charts"]), "cards": [label for label, *_ in found["cards"]]}


def screen(page) -> dict:
    """What a page shows at last."""
    settled(page)
    return seen(page)


def check_shows(page, wanted: dict) -> None:
    """Wait until the page shows what is wanted, whatever it prepares for whoever drags a slider."""
    for _ in range(5 * SECONDS):
        if (found := seen(page)) == wanted:
            return
        page.wait_for_timeout(200)
    assert found == wanted


def check_same(page, other) -> dict:
    """Wait until the other page, at the address of the first, shows the same, which is given.

    An attack that a preset runs goes on being drawn in both, and on a busy machine an address may change a little later.
    """
    for _ in range(5 * SECONDS):
        if other.url != page.url:
            other.goto(page.url)
        if (shown := seen(page)) == (found := seen(other)):
            return shown
        page.wait_for_timeout(200)
    raise AssertionError((shown, found))


def presets(page) -> list[str]:
    """Names of the page's examples."""
    page.locator(MENU).click()
    expect(page.locator(BUTTONS).first).to_be_visible()
    names = page.locator(BUTTONS).all_inner_texts()
    page.keyboard.press("Escape")
    return names


@pytest.mark.thorough
@pytest.mark.parametrize("path", WITH_PRESETS)
def test_every_preset(server, new_page, path):
    """Chosen one after another; the last from the page as it opens, of which Back is asked."""
    page, other = new_page(), new_page()
    start = f"{server.url}/{path.split('/')[1]}"
    page.goto(start)
    before = screen(page)
    names = presets(page)
    for name in names:
        if name == names[-1]:
            page.goto(start)
            settled(page)
        example(page, name)
        screen(page)
        shown = check_same(page, other)
        address = page.url
        assert other.url == address, name
    other.reload()
    check_shows(other, shown)
    if address != start:
        page.go_back()
        expect(page).to_have_url(start)
        check_shows(page, before)
