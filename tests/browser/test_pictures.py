"""Every page at the sizes people use, light and dark: it fits, nothing is cut off or overprinted, and a picture is kept."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ARTIFACTS, in_window, settled
from tests.contracts.page import PAGES

CHARTS = """() => [...document.querySelectorAll(".js-plotly-plot")].filter((plot) => plot.offsetWidth).map((plot) => {
  const box = plot.getBoundingClientRect(), { t, h } = plot._fullLayout._size;
  const legend = plot.querySelector(".legend")?.getBoundingClientRect();
  const names = [...plot.querySelectorAll(".legendtext")].map((name) => [name.textContent, name.getBoundingClientRect()]);
  const over = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  return {
    below: !names.length || legend.top >= box.top + t + h,
    cut: names.filter(([, name]) => name.right > box.right + 1).map(([text]) => text),
    printed_over: names.filter(([, name], i) => names.slice(0, i).some(([, other]) => over(name, other))).map(([text]) => text),
    type: Math.min(99, ...[...plot.querySelectorAll(".legendtext, .xtitle, .ytitle, .annotation-text")]
      .map((text) => parseFloat(getComputedStyle(text).fontSize))),
  };
})"""


SIZES = ((1280, 720, "light"), (390, 844, "light"), (1920, 1080, "dark"))
BACKGROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(15, 21, 28)"}


@pytest.mark.parametrize("path", [page.rpartition("/")[2].replace("home", "") for page in PAGES])
def test_pages_fit_and_are_pictured(path, server, page):
    """Opened once: the page follows the window and the theme of its reader."""
    page.goto(f"{server.url}/{path}")
    for width, height, theme in SIZES:
        in_window(page, width, height, theme)
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", BACKGROUND[theme])
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0
        for value in page.get_by_test_id("stMetricValue").filter(visible=True).all():
            assert value.evaluate("node => node.scrollWidth <= node.clientWidth + 1"), value.inner_text()
        for chart in page.evaluate(CHARTS):
            if width == 390:
                assert (chart["below"], chart["cut"], chart["printed_over"]) == (True, [], []), chart
            if width == 1920:
                assert chart["type"] >= 15, chart
                assert not chart["printed_over"], chart
        if width == 390 and path == "privacy_curves":
            page.get_by_test_id("stExpandSidebarButton").click()  # the controls come from below, under the chart
            expect(page.locator(".st-key-pc_laplace_scale")).to_be_in_viewport(ratio=1)
            page.wait_for_function("""() => document.querySelector(".st-key-pc_delta_chart .nsewdrag").getBoundingClientRect().bottom
              < document.querySelector('[data-testid="stSidebar"]').getBoundingClientRect().top""")
        ARTIFACTS.mkdir(exist_ok=True)
        name = f"{path or 'home'}_{theme}_{width}x{height}.png"
        page.screenshot(path=ARTIFACTS / name)
        assert (ARTIFACTS / name).stat().st_size > 20_000


@pytest.mark.thorough
def test_a_page_opens_dark(server, page):
    page.emulate_media(color_scheme="dark")
    page.goto(f"{server.url}/privacy_curves")
    settled(page)
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", BACKGROUND["dark"])
