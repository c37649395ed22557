"""Sliders, links, presets and downloads of the privacy-curves page, against dpcore called directly."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import back, example, navigate, open_downloads, press, settled, visit


@pytest.mark.thorough
def test_back_undoes_a_slider_a_preset_and_a_change_of_page(server, page):
    visit(page, f"{server.url}/privacy_curves")
    slider = page.get_by_role("slider", name=re.compile("Noise σ")).first
    slider.focus()
    press(page, "ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "1.10")
    assert "pc_gaussian_sigma=1.1" in page.url
    example(page, "Subsampling")
    settled(page)
    navigate(page, "Understand", "Composition")
    back(page)
    assert "pc_direction" in page.url
    back(page)
    expect(slider).to_have_attribute("aria-valuetext", "1.10")
    back(page)
    expect(slider).to_have_attribute("aria-valuetext", "1.00")


@pytest.mark.thorough
def test_images_that_the_browser_draws(server, page):
    visit(page, f"{server.url}/privacy_curves")
    open_downloads(page)
    page.get_by_text("PNG and SVG", exact=True).click()
    frame = page.frame_locator("iframe").first
    for button, magic in (("Save PNG", b"\x89PNG"), ("Save SVG", b"<svg")):
        with page.expect_download() as download:
            frame.get_by_role("button", name=button).click()
        assert download.value.path().read_bytes().startswith(magic)
    picture = download.value.path().read_text()
    assert page.locator("h1").inner_text() in picture
    assert all(words in picture for words in ("Sources: ", f"{server.url}/privacy_curves", "ε (nats)"))


@pytest.mark.thorough
def test_theorem_and_proof_are_typeset(server, page):
    visit(page, f"{server.url}/objective_perturbation")
    page.get_by_role("tab", name="Theorem and proof").click()
    expect(page.get_by_text("Reduction to one dimension")).to_be_visible()
    assert page.locator(".katex").count() > 100
    assert page.locator(".katex-error").count() == 0
    assert "$$" not in page.locator(".stMain").inner_text()
    visit(page, f"{server.url}/errata")
    formula = page.locator(".katex-display").first
    assert formula.evaluate("one => one.scrollHeight <= one.clientHeight"), "cut off"
