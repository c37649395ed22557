"""Lessons and the exponential mechanism in a real browser: sliders answer, progress is kept across pages, links carry state."""

import re
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import expect

from dpcore import landscapes
from pages.components.lesson_words import LESSONS
from pages.components.words import number
from tests.browser.conftest import metric, settled


def test_a_lesson_is_solved_by_keyboard_and_leads_to_its_page(server, page):
    page.goto(f"{server.url}/learn")
    settled(page)
    expect(page.get_by_text("Not yet. Too little noise")).to_be_visible()
    slider = page.get_by_role("slider", name=re.compile("Noise σ")).first
    slider.focus()
    for _ in range(12):  # from 1.0 to 2.8 on the scale of round numbers
        if "2.8" in (slider.get_attribute("aria-valuetext") or ""):
            break
        page.keyboard.press("ArrowRight")
        settled(page)
    expect(page.get_by_text("Right. At this noise")).to_be_visible()
    assert metric(page, "Lessons done") == "1 of 8"
    page.get_by_role("link", name="See the same attack in full").click()
    expect(page.locator("h1")).to_have_text("See differential privacy")
    settled(page)
    assert metric(page, "Attacker detects the record") == "9.9 %"
    page.go_back()
    settled(page)
    assert metric(page, "Lessons done") == "1 of 8"


def test_budget_slider_sharpens_the_landscape_and_the_link_repeats_it(server, page, new_page):
    page.goto(f"{server.url}/exponential_mechanism")
    settled(page)
    shown = landscapes.line_landscape(100, 0.3, 0.3)
    assert metric(page, "Excess risk, pure") == number(shown.excess(25.0, 0.0))
    page.get_by_role("slider", name=re.compile("Privacy loss ε")).first.focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    page.wait_for_url(re.compile("em_epsilon=1.1"))
    expected = number(shown.excess(1.1 * 25.0, 0.0))
    assert metric(page, "Excess risk, pure") == expected
    second = new_page()
    second.goto(page.url)
    settled(second)
    assert metric(second, "Excess risk, pure") == expected


def test_every_lessons_link_opens_its_page_in_the_stated_state(server, page):
    for lesson in LESSONS.values():
        if not lesson.query:
            continue
        path = "" if lesson.page.endswith("home.py") else Path(lesson.page).stem
        page.goto(f"{server.url}/{path}?{urlencode(lesson.query)}")
        settled(page)
        for value in lesson.query.values():
            expect(page.get_by_text(value, exact=True).first).to_be_visible()
