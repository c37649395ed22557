"""A lecture of 45 minutes, run from its page alone: each step opens in its state, also on a page that is open already."""

from playwright.sync_api import expect

from pages.components.running_order import STEPS
from tests.browser.conftest import settled

SLIDERS = {0: ("Noise σ", "1.00"), 1: ("Noise σ", "5.00"), 5: ("Noise σ", "5.00"), 6: ("Records n", "4")}


def test_all_steps_follow_each_other(server, page):
    page.goto(f"{server.url}/teach")
    settled(page)
    page.get_by_role("link", name="Open step 1 →").click()
    for index, step in enumerate(STEPS):
        expect(page.get_by_text(f"{index + 1} of {len(STEPS)} · {step.ask}")).to_be_visible()
        settled(page)
        expect(page.get_by_test_id("stAlert")).to_have_count(0)
        if index in SLIDERS:
            name, value = SLIDERS[index]
            thumb = page.get_by_role("slider", name=name).first
            shown = thumb.get_attribute("aria-valuetext") or thumb.get_attribute("aria-valuenow")
            assert shown == value, step.title
        page.get_by_text("Answer", exact=True).click()
        expect(page.get_by_text(step.answer())).to_be_visible()
        page.get_by_role("link", name="Next →" if index + 1 < len(STEPS) else "Teach", exact=True).click()
    expect(page.locator("h1")).to_have_text("Teach")
