"""A lecture of 45 minutes, run from its page alone: each step opens in its state, also on a page that is open already.

One figure fills the window at the press of a key.
"""

import re

import pytest
from playwright.sync_api import expect

from pages.components.running_order import STEPS
from tests.browser.conftest import settled

SLIDERS = {0: ("Noise σ", "1.00"), 1: ("Noise σ", "1.00"), 5: ("Noise σ", "10.0"), 6: ("Records n", "4")}


@pytest.mark.thorough
def test_all_steps_follow_each_other(server, page):
    page.goto(f"{server.url}/teach")
    settled(page)
    page.get_by_role("link", name="Open step 1 →").click()
    for index, step in enumerate(STEPS):
        settled(page)
        expect(page.get_by_text(f"{index + 1} of {len(STEPS)} · {step.ask}")).to_be_visible()
        expect(page.get_by_test_id("stAlert")).to_have_count(0)
        if index in SLIDERS:
            name, value = SLIDERS[index]
            thumb = page.get_by_role("slider", name=name).first
            shown = thumb.get_attribute("aria-valuetext") or thumb.get_attribute("aria-valuenow")
            assert shown == value, step.title
        page.get_by_text("Answer", exact=True).click()
        expect(page.get_by_text(step.answer())).to_be_visible()
        if index == 0:  # the toggle has the focus
            page.keyboard.press("1")
            expect(page.get_by_text("round 2 of 10")).to_be_visible()
        page.get_by_role("link", name="Next →" if index + 1 < len(STEPS) else "Teach", exact=True).click()
    expect(page.locator("h1")).to_have_text("Teach")


TYPE = """() => [...document.querySelectorAll('.st-key-pc_delta_chart text')].filter((one) => one.getClientRects().length)
  .map((one) => parseFloat(getComputedStyle(one).fontSize))"""
SIZE = """() => { const { width, height } = document.querySelector('.st-key-pc_delta_chart .main-svg').getBoundingClientRect();
  return [width, height]; }"""
CURVE = "() => document.querySelector('.st-key-pc_delta_chart .scatterlayer .js-line').getAttribute('d')"


def test_one_figure_fills_the_window(server, page):
    page.goto(f"{server.url}/privacy_curves")
    settled(page)
    card = page.get_by_test_id("stMetric").first
    page.keyboard.press("f")
    settled(page)
    expect(page.locator(".st-key-lecture_numbers")).to_be_visible()
    width, height = page.evaluate(SIZE)
    assert width > 1200
    assert height > 550
    assert min(page.evaluate(TYPE)) >= 22
    for hidden in (page.locator("h1"), page.get_by_role("tab").first, page.get_by_text("Mechanisms", exact=True),
                   page.locator(".st-key-pc_laplace_scale"), page.locator(".st-key-pc_epsilon"), card):  # fmt: skip
        expect(hidden).to_be_hidden()
    before = page.evaluate(CURVE)
    slider = page.get_by_role("slider", name=re.compile("Noise σ"))
    expect(page.locator(".st-key-pc_gaussian_sigma")).to_be_visible()
    slider.focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    assert "pc_gaussian_sigma=1.1" in page.url
    assert page.evaluate(CURVE) != before
    page.keyboard.press("s")  # while the slider has the focus
    settled(page)
    expect(card).to_be_visible()
    assert page.evaluate(SIZE)[1] < height - 60
    page.keyboard.press("s")
    settled(page)
    expect(card).to_be_hidden()
    page.keyboard.press("Escape")
    settled(page)
    expect(page.locator("h1")).to_be_visible()
    expect(card).to_be_visible()
    assert "lecture" not in page.url
