"""Every page at the sizes people use, light and dark: what it shows before anybody scrolls, and that nothing is cut off.

First come the finding, all of the first figure, the main slider, and few words; no reader of any ability meets a barrier that
axe knows. A picture of each is kept.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import ARTIFACTS, in_window
from tests.contracts.page import PAGES

SIZES = ((1280, 720, "light"), (1024, 768, "light"), (390, 844, "light"), (1920, 1080, "dark"))
BACKGROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(15, 21, 28)"}
HIGHEST = 90  # pixels of title and sentence
MOST_WORDS = 90  # in sight, but on a projector
NOT_OURS = {"presentation-role-conflict"}  # Streamlit's place for files has a name and no role
LISTS = ("teach", "gallery")  # steps, and cards: no first figure
FIRST = """() => {
  const main = document.querySelector("[data-testid=stMain]"), place = main.querySelector("[data-testid=stMainBlockContainer]");
  const top = place.getBoundingClientRect().top + parseFloat(getComputedStyle(place).paddingTop);
  const rect = (one) => { const { top, bottom, left, right } = one.getBoundingClientRect(); return { top, bottom, left, right }; };
  const figures = [...main.querySelectorAll("[data-testid=stPlotlyChart], [data-testid=stBidiComponentIsolated]")]
    .filter((one) => one.getClientRects().length);
  const hand = main.querySelector(".st-key-main_control [data-testid=stElementContainer]")?.closest(".st-key-main_control");
  const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT), range = document.createRange();
  let words = 0;
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest("svg, style, .katex-mathml, [data-testid=stPlotlyChart], [data-testid=stIconMaterial]")) continue;
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect();
    if (!box.width || box.height <= 1 || box.top >= innerHeight || box.bottom <= 0) continue;
    words += text.textContent.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word)).length;
  }
  return {
    heading: main.querySelector("h1").getBoundingClientRect().bottom - top,
    figure: figures.length ? rect(figures[0]) : null,
    hand: hand ? rect(hand) : null,
    words, high: innerHeight, wide: innerWidth,
    sideways: Math.max(main.scrollWidth - main.clientWidth, document.documentElement.scrollWidth - innerWidth),
  };
}"""
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


def faults_at_first(seen: dict, name: str, width: int) -> list[str]:
    """What is wrong with a first screen."""
    found = []
    if seen["heading"] > HIGHEST:
        found.append(f"title and sentence take {seen['heading']:.0f} pixels")
    if name not in LISTS:
        if seen["figure"] is None:
            found.append("no figure")
        elif (
            seen["figure"]["bottom"] > (seen["hand"]["top"] if seen["hand"] else seen["high"])
            or seen["figure"]["right"] > seen["wide"]
        ):
            found.append(f"the first figure ends at {seen['figure']['bottom']:.0f} of {seen['high']}")
        if seen["hand"] is not None and seen["hand"]["bottom"] > seen["high"]:
            found.append(f"the main control ends at {seen['hand']['bottom']:.0f} of {seen['high']}")
    if seen["words"] > MOST_WORDS and width < 1920 and name not in LISTS:
        found.append(f"{seen['words']} words")
    if seen["sideways"] > 0:
        found.append(f"{seen['sideways']} pixels sideways")
    return found


def faults_of_charts(charts: list[dict], width: int) -> list[str]:
    """What is wrong with the legends and the type of charts."""
    found = []
    for chart in charts:
        if width == 390 and (not chart["below"] or chart["cut"]):
            found.append(f"a legend beside or across its chart: {chart}")
        if width != 1024 and chart["printed_over"]:
            found.append(f"names printed over each other: {chart['printed_over']}")
        if width == 1920 and chart["type"] < 15:
            found.append(f"letters of {chart['type']} pixels")
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("name", [page.rpartition("/")[2] for page in PAGES])
def test_a_page_fits_every_window(name, server, page):
    """Opened once: the page follows the window and the theme of its reader."""
    page.goto(f"{server.url}/{'' if name == 'home' else name}")
    found = {}
    ARTIFACTS.mkdir(exist_ok=True)
    for width, height, theme in SIZES:
        in_window(page, width, height, theme)
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", BACKGROUND[theme])
        wrong = faults_at_first(page.evaluate(FIRST), name, width) + faults_of_charts(page.evaluate(CHARTS), width)
        for value in page.get_by_test_id("stMetricValue").filter(visible=True).all():
            if value.evaluate("node => node.scrollWidth > node.clientWidth + 1"):
                wrong.append(f"the card {value.inner_text()} is cut")
        barriers = Axe().run(page).response["violations"]
        wrong += [f"{one['id']}: {one['nodes'][0]['html']}" for one in barriers if one["id"] not in NOT_OURS]
        if wrong:
            found[width, height, theme] = wrong
        page.screenshot(path=ARTIFACTS / f"{name}_{theme}_{width}x{height}.png")
    assert not found


@pytest.mark.thorough
def test_on_a_phone_the_controls_come_from_below_under_the_chart(server, page):
    page.goto(f"{server.url}/privacy_curves")
    in_window(page, 390, 844, "light")
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(page.locator(".st-key-pc_laplace_scale")).to_be_in_viewport(ratio=1)
    page.wait_for_function("""() => document.querySelector(".st-key-pc_delta_chart .nsewdrag").getBoundingClientRect().bottom
      < document.querySelector('[data-testid="stSidebar"]').getBoundingClientRect().top""")
