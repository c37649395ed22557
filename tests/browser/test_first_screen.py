"""What a page shows before anybody scrolls: the finding, all of the first figure, the main slider, and few words."""

import pytest

from tests.browser.conftest import in_window
from tests.contracts.page import PAGES

SIZES = ((1280, 720, "light"), (1024, 768, "light"), (1920, 1080, "light"), (390, 844, "light"), (1280, 720, "dark"))
HIGHEST = 90  # pixels of title and sentence
MOST_WORDS = 90  # in sight, but on a projector
LISTS = ("teach", "gallery", "audit", "cross_check")  # steps, cards, a game of rounds, tables: no first figure
LESSONS = ("home", "learn")  # something is read and guessed before the figure
SEEN = """() => {
  const main = document.querySelector("[data-testid=stMain]"), place = main.querySelector("[data-testid=stMainBlockContainer]");
  const top = place.getBoundingClientRect().top + parseFloat(getComputedStyle(place).paddingTop);
  const rect = (one) => { const { top, bottom, left, right } = one.getBoundingClientRect(); return { top, bottom, left, right }; };
  const figures = [...main.querySelectorAll("[data-testid=stPlotlyChart], .drawing")].filter((one) => one.getClientRects().length);
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


def faults(seen: dict, name: str, width: int) -> list[str]:
    """What is wrong with a first screen."""
    found = []
    if seen["heading"] > HIGHEST:
        found.append(f"title and sentence take {seen['heading']:.0f} pixels")
    if name not in LISTS + LESSONS:
        if seen["figure"] is None:
            found.append("no figure")
        elif (
            seen["figure"]["bottom"] > (seen["hand"]["top"] if seen["hand"] else seen["high"])
            or seen["figure"]["right"] > seen["wide"]
        ):
            found.append(f"the first figure ends at {seen['figure']['bottom']:.0f} of {seen['high']}")
        if seen["hand"] is not None and seen["hand"]["bottom"] > seen["high"]:
            found.append(f"the main control ends at {seen['hand']['bottom']:.0f} of {seen['high']}")
    if seen["words"] > MOST_WORDS and width < 1920 and name not in LISTS + LESSONS:
        found.append(f"{seen['words']} words")
    if seen["sideways"] > 0:
        found.append(f"{seen['sideways']} pixels sideways")
    return found


@pytest.mark.parametrize("name", [page.rpartition("/")[2] for page in PAGES])
def test_the_first_screen_holds_the_finding_the_figure_and_the_main_control(name, server, page):
    """Opened once: the page follows the window and the theme of its reader."""
    page.goto(f"{server.url}/{'' if name == 'home' else name}")
    found = {}
    for width, height, theme in SIZES:
        in_window(page, width, height, theme)
        if wrong := faults(page.evaluate(SEEN), name, width):
            found[width, height, theme] = wrong
    assert not found
