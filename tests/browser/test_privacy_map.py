"""The map of definitions answers to a click."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled, visit


@pytest.mark.thorough
def test_a_definition_clicked_on_the_map_is_explained(server, page):
    visit(page, f"{server.url}/privacy_map")
    expect(page.get_by_text(re.compile("^Per-instance DP takes"))).to_be_visible()
    point = page.locator(".js-plotly-plot").first.locator(".scatterlayer .point").first
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2 - 3, box["y"] + box["height"] / 2)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
    page.mouse.down()
    page.mouse.up()
    settled(page)
    expect(page.get_by_text(re.compile("^Approximate DP takes"))).to_be_visible()
