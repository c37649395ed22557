"""The audit page in a browser: the curve fills in, Stop stops it, and guesses are counted."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import metric, settled


def test_an_attack_can_be_stopped_and_gives_no_verdict_then(server, page):
    page.goto(f"{server.url}/audit")
    settled(page)
    page.get_by_text("Learner", exact=True).first.click()
    settled(page)
    slider = page.get_by_role("slider", name=re.compile("Runs per side")).first
    slider.focus()
    page.keyboard.press("End")
    settled(page)
    page.get_by_role("button", name=re.compile("Run the attack")).click()
    expect(page.get_by_text(re.compile(r"^[1-9]\d* of 20000 runs")).first).to_be_visible()
    page.get_by_test_id("stMainBlockContainer").get_by_role("button", name=re.compile("Stop")).click()
    expect(page.get_by_text(re.compile("stopped, so no verdict")).first).to_be_visible()
    assert metric(page, "Machine's verdict") == "none yet"


def test_guesses_are_counted(server, page):
    page.goto(f"{server.url}/audit")
    settled(page)
    for name in ("With the record", "Without the record"):
        page.get_by_role("button", name=name, exact=True).click()
        settled(page)
    expect(page.get_by_text(re.compile(r"^[0-2] of 2$")).first).to_be_visible()
