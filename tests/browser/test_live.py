"""Charts that follow their slider: redrawn in the browser before it is let go, and by arrow keys; then the server's take over."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled, visit

WATCH = """() => { window.frames_seen = []; new MutationObserver((all) => { for (const one of all)
  if (one.target.dataset?.frame) window.frames_seen.push(+one.target.dataset.frame);
}).observe(document.body, {subtree: true, attributes: true, attributeFilter: ["data-frame"]}); }"""
PLACES = """() => [...document.querySelectorAll(".js-plotly-plot")].map((plot) => [plot.dataset.settled !== undefined,
  [...plot.querySelectorAll('.scatterlayer .js-line, .scatterlayer .js-fill, .shapelayer path')]
  .map((path) => path.getBBox()).filter((box) => box.width + box.height)
  .flatMap((box) => [box.x, box.y, box.x + box.width, box.y + box.height]).map((end) => Math.min(1500, Math.max(-500, end)))])"""
POSITION = "(input) => Math.round((+input.value - +input.min) / +input.step)"


def take_hold(page, slider: str) -> tuple[float, float, float]:
    """Reach for a slider, wait for its frames, press; the ends of its track and its height."""
    box = page.locator(f".st-key-{slider}").first
    box.scroll_into_view_if_needed()
    track = box.locator("[data-rac][data-orientation]").nth(1).bounding_box()
    thumb = box.locator("[style*='translate(-50%, -50%)']").bounding_box()
    height = thumb["y"] + thumb["height"] / 2
    page.mouse.move(thumb["x"] + thumb["width"] / 2, height)
    expect(page.locator(f"html[data-live~={slider}]")).to_be_attached()
    page.mouse.down()
    return track["x"] + 4, track["x"] + track["width"] - 4, height


SEEN = """() => { const main = document.querySelector("[data-testid=stMain]"), found = [];
  const walk = document.createTreeWalker(main, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (walk.nextNode()) {
    const node = walk.currentNode, inside = node.parentElement, apart = "svg, [data-testid=stPlotlyChart], [class*=st-key-unforetold]";
    if (inside.closest(apart) || !inside.checkVisibility({ visibilityProperty: true })) continue;
    range.selectNodeContents(node);
    const { x, y, width } = range.getBoundingClientRect();
    if (node.nodeValue.trim() && width) found.push([node.nodeValue.trim(), Math.round(x), Math.round(y + main.scrollTop)]);
  }
  return found; }"""
FADED = """() => { window.faded = []; const look = () => {
  for (const one of document.querySelectorAll("[data-testid=stMain] [data-stale=true]"))
    if (getComputedStyle(one).opacity < 1) window.faded.push(one.innerText);
  requestAnimationFrame(look);
}; look(); }"""
CHARTED = "() => [...document.querySelectorAll('[data-testid=stMain] [data-testid=stPlotlyChart]')].map((one) => one.offsetTop)"


def words_of(page, slider: str) -> None:
    """Wait until the browser knows what the page says along a slider."""
    expect(page.locator(f"html[data-told~={slider}]")).to_be_attached()


def assert_nothing_moves_on_release(page, slider: str) -> None:
    take_hold(page, slider)
    page.mouse.up()
    words_of(page, slider)
    settled(page)
    before = page.evaluate(SEEN)
    address = page.url
    left, right, height = take_hold(page, slider)
    page.mouse.move(left + 0.7 * (right - left), height)
    page.mouse.move(left + 0.8 * (right - left), height)
    expect(page.locator(f"html[data-moving={slider}]")).to_be_attached()
    page.wait_for_timeout(400)  # so that the charts are drawn too
    held, charts, drawn = page.evaluate(SEEN), page.evaluate(CHARTED), page.evaluate(PLACES)
    assert page.url == address, "the page has run on the way"
    page.evaluate(FADED)
    page.mouse.up()
    expect(page.locator("html:not([data-moving])")).to_be_attached()
    settled(page)
    for (moved, lines), (_, answered) in zip(drawn, page.evaluate(PLACES), strict=True):
        assert not moved or lines == pytest.approx(answered, abs=1.5)
    after = page.evaluate(SEEN)
    assert [one for one in held if one not in after] == []  # what is hidden while it is held says nothing
    assert held != before
    assert page.evaluate(CHARTED) == charts
    assert page.evaluate("() => window.faded") == []


TOLD = (  # frames and words each made in another way
    "pure_noise", "", "composition", "learning_limits", "objective_perturbation", "per_instance", "private_training", "privacy_map",
    "learn?learn_epsilon_step=2+·+Answer",
)  # fmt: skip


@pytest.mark.parametrize("address", TOLD)
def test_what_is_read_while_a_slider_is_held_is_what_the_page_says_there(server, page, address):
    visit(page, f"{server.url}/{address}")
    sliders = (page.locator("html").get_attribute("data-live") or "").split()
    for slider in sliders[:1]:
        assert_nothing_moves_on_release(page, slider)


def test_a_slider_that_moves_no_chart_moves_the_words(server, page):
    visit(page, f"{server.url}/privacy_curves")
    assert_nothing_moves_on_release(page, "pc_false_alarms")


def test_play_moves_the_slider_and_all_that_follows_it_and_the_page_hears_where_it_stops(server, page):
    visit(page, f"{server.url}/composition")
    words_of(page, "co_runs")
    slider, button = page.locator(".st-key-co_runs input"), page.locator("button.play")
    address = page.url
    button.click()
    page.wait_for_function("() => +document.querySelector('.st-key-co_runs input').value > 12")
    assert page.url == address, "the page has run on the way"
    button.click()
    expect(page).not_to_have_url(address)
    settled(page)
    k = slider.get_attribute("aria-valuetext")
    assert page.url.endswith(f"co_runs={k}")
    expect(page.locator("h1").first).to_contain_text(f"{k} runs cost")
    button.click()
    expect(page).to_have_url(re.compile("co_runs=100$"))
    expect(button).to_have_text("▶ Play")


@pytest.mark.thorough
def test_frames_of_any_model_are_there_before_anybody_reaches_and_while_rows_are_made_exact(server, page):
    page.goto(f"{server.url}/per_instance?source=breast_cancer&pi_kind=Output+perturbation")
    thumb = page.locator(".st-key-pi_sigma input")
    for press in range(3):  # each press starts the exact rows again
        expect(page.locator("html[data-live~=pi_sigma]")).to_be_attached()
        if not press:
            expect(page.locator("html[data-live~=pi_lambda]")).to_be_attached()
            thumb.focus()
        wanted = thumb.evaluate(POSITION) + 1
        page.evaluate(WATCH)
        page.keyboard.press("ArrowRight")
        page.wait_for_function("(wanted) => window.frames_seen.includes(wanted)", arg=wanted)
