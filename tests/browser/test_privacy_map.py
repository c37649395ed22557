"""The map of definitions answers to a selection in the chart."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import settled


def test_a_definition_selected_on_the_map_is_explained(server, page):
    page.goto(f"{server.url}/privacy_map")
    settled(page)
    expect(page.get_by_text(re.compile("^Per-instance DP takes"))).to_be_visible()
    point = page.locator(".js-plotly-plot").first.locator(".scatterlayer .point").first
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    page.mouse.move(box["x"] - 12, box["y"] - 6)
    page.mouse.down()
    page.mouse.move(box["x"] + 16, box["y"] + box["height"] + 2, steps=8)
    page.mouse.up()
    expect(page.get_by_text(re.compile("^Pure DP takes"))).to_be_visible()
    settled(page)
