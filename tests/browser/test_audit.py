"""The audit page in a browser: the curve fills in, and Stop stops it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import click, metric, press, visit


@pytest.mark.thorough
def test_an_attack_can_be_stopped_and_gives_no_verdict_then(server, page):
    visit(page, f"{server.url}/audit")
    page.get_by_role("combobox", name=re.compile("What is attacked")).first.click()
    click(page.get_by_role("option", name="A learner, on data"))
    slider = page.get_by_role("slider", name=re.compile("Runs per side")).first
    slider.focus()
    press(page, "End")
    expect(page.get_by_text("0 of 20000 runs").first).to_be_visible()
    page.get_by_role("button", name=re.compile("Run the attack")).click()
    expect(page.get_by_text(re.compile(r"^[1-9]\d* of 20000 runs")).first).to_be_visible()
    click(page.get_by_test_id("stMainBlockContainer").get_by_role("button", name=re.compile("Stop")))
    expect(page.get_by_text(re.compile("stopped, so no verdict")).first).to_be_visible()
    assert metric(page, "Machine's verdict") == "none yet"
