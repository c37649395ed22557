"""Lessons, points that are clicked and drawings in a real browser: sliders answer, progress is kept, Back undoes."""

import re

import pytest
from playwright.sync_api import expect

from dpcore.exhibits.home import study as home
from dpcore.exhibits.log_concave.drawn import TILTS, DrawnPair
from tests.browser.conftest import back, click, expect_metric, press, settled, visit


@pytest.mark.thorough
def test_a_lesson_is_guessed_answered_left_reloaded_and_gone_back_to(server, page):
    """Each act is one step of Back: next lesson, slider, answer, guess; a click on a patient is a guess."""
    visit(page, f"{server.url}/learn")
    slider = page.get_by_role("slider", name=re.compile("^Noise σ"))
    steps = page.get_by_role("radiogroup", name="Step")
    steps.get_by_role("radio").first.focus()  # the keyboard finds the steps, which then are seen
    expect(steps).to_be_in_viewport(ratio=1)
    slider.focus()
    press(page, "ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "1.10")
    click(page.get_by_role("button", name="This is my guess"))
    expect(steps).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("Not yet. Too little noise")).to_be_visible()
    click(page.get_by_role("button", name="Show the answer"))
    expect(page.locator(".legendtext", has_text="the answer")).to_be_visible()
    slider.focus()
    for _ in range(10):  # from 1.1 to 2.8 on the scale of round numbers
        page.keyboard.press("ArrowRight")
    settled(page)
    expect(page.get_by_text("Right. The best attack")).to_be_visible()
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 400)")
    click(page.get_by_role("button", name="Next lesson"))
    expect(page.get_by_role("heading", name="2 · A guarantee")).to_be_in_viewport()
    page.reload()
    settled(page)
    expect(page.get_by_text("1 of 8 done")).to_be_visible()
    back(page)
    expect(page.get_by_text("Right. The best attack")).to_be_visible()
    expect(slider).to_have_attribute("aria-valuetext", "2.80")
    back(page)
    expect(slider).to_have_attribute("aria-valuetext", "1.10")
    expect(page.get_by_role("button", name="Show the answer")).to_have_count(0)
    back(page)
    expect(page.get_by_role("button", name="Show the answer")).to_be_visible()
    back(page)
    expect(page.get_by_role("button", name="This is my guess")).to_be_visible()
    expect(slider).to_have_attribute("aria-valuetext", "1.10")
    back(page)
    expect(slider).to_have_attribute("aria-valuetext", "1.00")
    click(page.get_by_text("6 · Who is exposed?"))
    expect(page.get_by_role("heading", name="6 · Who is exposed?")).to_be_visible()
    page.locator(".scatterlayer .point").nth(2).click(force=True)
    settled(page)
    expect(page.get_by_role("slider", name="Patient")).to_have_value("3")


@pytest.mark.thorough
def test_ten_rounds_by_keys_then_a_threshold_is_dragged(server, page):
    page.goto(server.url)
    settled(page)
    for played in range(home.ROUNDS):
        expect(page.get_by_text(f"Published, round {played + 1} of 10")).to_be_visible()
        page.keyboard.press("12"[played % 2])
    expect(page.get_by_text("You were right")).to_be_visible()
    settled(page)  # the score has moved the drawing
    handle = page.locator("g.handle")
    handle.scroll_into_view_if_needed()
    box = handle.locator(".dot").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 120  # on the line, far below its dot
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 50, y, steps=4)
    page.mouse.up()
    page.wait_for_url(re.compile("home_threshold=10"))
    settled(page)
    at = float(handle.get_attribute("aria-valuenow"))
    assert 101 < at < 103
    expect_metric(page, "Misses", f"{100 * home.threshold(1.0, at).misses:.1f} %")


@pytest.mark.thorough
def test_a_definition_clicked_on_the_map_is_explained(server, page):
    visit(page, f"{server.url}/privacy_map")
    expect(page.get_by_text(re.compile("^Per-instance DP takes"))).to_be_visible()
    page.locator(".scatterlayer .point").first.click(force=True)
    settled(page)
    expect(page.get_by_text(re.compile("^Approximate DP takes"))).to_be_visible()


@pytest.mark.thorough
def test_two_densities_are_drawn_by_link_and_by_keyboard(server, page):
    visit(page, f"{server.url}/log_concave?lc_mode=Draw&lc_drawn_f=1.25,0.5,0.25,0.5,1.25,3.1,4.25")
    handle = page.get_by_role("slider", name="F at x = 2", exact=True)
    expect(handle).to_have_attribute("aria-valuenow", "3.1")
    handle.focus()
    page.keyboard.press("PageDown")
    expect(page.get_by_role("textbox", name="Heights of F", exact=True)).to_have_value(re.compile(",2.6,"))
    pair = DrawnPair(0.5, (*TILTS[0][:5], 2.6, TILTS[0][6]))
    expect_metric(page, "Share of the bound", f"{100 * float(pair.delta(0.5) / pair.theorem.delta(0.5)):.1f} %")
