"""A lecture of 45 minutes, run from its page alone: each step opens in its state, also on a page that is open already.

One figure fills the window at the press of a key.
"""

import re

import pytest
from playwright.sync_api import expect

from pages.components.lecture_steps import STEPS
from tests.browser.conftest import press, settled, visit

SLIDERS = {0: "Noise σ", 6: "Records n"}


@pytest.mark.thorough
def test_all_steps_follow_each_other(server, page):
    visit(page, f"{server.url}/teach")
    page.get_by_role("link", name="Open step 1 →").click()
    for index, step in enumerate(STEPS[:8]):
        settled(page)
        expect(page.get_by_text(f"{index + 1} of 8 · {step.ask}")).to_be_visible()
        expect(page.locator(".st-key-lecture_numbers")).to_be_visible()  # the figure fills the window
        expect(page.get_by_text(step.answer())).to_have_count(0)
        expect(page.get_by_test_id("stAlert")).to_have_count(0)
        if index in SLIDERS:  # keys also work while a slider has the focus
            page.get_by_role("slider", name=SLIDERS[index]).first.focus()
        page.keyboard.press("a")
        expect(page.get_by_text(step.answer())).to_be_visible()
        settled(page)
        if index == 0:
            page.keyboard.press("1")
            expect(page.get_by_text("round 2 of 10")).to_be_visible()
        page.get_by_role("link", name="Next →" if index < 7 else "Teach", exact=True).click()
    expect(page.locator("h1")).to_have_text("45 minutes, 8 questions, each asked before it is answered")


TYPE = """() => [...document.querySelectorAll('.st-key-pc_delta_chart text')].filter((one) => one.getClientRects().length)
  .map((one) => parseFloat(getComputedStyle(one).fontSize))"""
HEIGHT = "() => document.querySelector('.st-key-pc_delta_chart .main-svg').getBoundingClientRect().height"
CURVE = "() => document.querySelector('.st-key-pc_delta_chart .scatterlayer .js-line').getAttribute('d')"


@pytest.mark.thorough
def test_one_figure_fills_the_window(server, page):
    visit(page, f"{server.url}/privacy_curves")
    card = page.get_by_test_id("stMetric").first
    press(page, "f")
    expect(page.locator(".st-key-lecture_numbers")).to_be_visible()
    height = page.evaluate(HEIGHT)
    assert height > 550
    assert page.locator(".st-key-pc_delta_chart .main-svg").first.bounding_box()["width"] > 1200
    assert min(page.evaluate(TYPE)) >= 22
    for hidden in (page.locator("h1"), page.get_by_role("tab").first, page.get_by_text("Mechanisms", exact=True),
                   page.locator(".st-key-pc_laplace_scale"), page.locator(".st-key-pc_epsilon"), card):  # fmt: skip
        expect(hidden).to_be_hidden()
    before = page.evaluate(CURVE)
    slider = page.get_by_role("slider", name=re.compile("Noise σ"))
    expect(page.locator(".st-key-pc_gaussian_sigma")).to_be_visible()
    slider.focus()
    press(page, "ArrowRight")
    assert "pc_gaussian_sigma=1.1" in page.url
    assert page.evaluate(CURVE) != before
    page.keyboard.press("s")  # while the slider has the focus
    settled(page)
    expect(card).to_be_visible()
    assert page.evaluate(HEIGHT) < height - 60
    press(page, "Escape")
    expect(page.locator("h1")).to_be_visible()
    assert "lecture" not in page.url
