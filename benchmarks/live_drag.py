"""Dragging the first slider of each page that its first chart follows: redraws while it is held, and the browser's processor time for each.

The peers are of the same page in the same run: Plotly's own animation of the same chart between two of its frames, and the page
with its frames taken away, where the chart changes once the server has answered.
"""

import statistics
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

from tests.browser.conftest import FLAGS, Server, settled
from tests.browser.setup import chromium
from tests.browser.test_live import TOLD, take_hold, words_of

_CHART = "[data-testid=stMain] .js-plotly-plot"
_STEPS, _PAUSE = 60, 16  # moves of a drag, ms between two
_RELEASES = 2
_BARE = 20  # redraws by Plotly
_GAP, _SHARE, _SIZE = 70, 0.5, 400  # ms between two redraws, of letting go, kB: the targets
_ANIMATE = """async ([plot, count]) => {
  const old = plot._fullData.map(({ x, y }) => ({ x: Array.from(x), y: Array.from(y) }));
  const new_ = old.map(({ x, y }) => ({ x, y: y.map((value) => value * 0.9) }));
  const once = { mode: "immediate", frame: { duration: 0, redraw: false }, transition: { duration: 0 } };
  for (let i = 0; i < count; i++) {
    await window.Plotly.animate(plot, { data: i % 2 ? old : new_ }, once);
    await new Promise(requestAnimationFrame);
  }
}"""
_COUNT = """(plot) => { window.times = []; new MutationObserver(() => window.times.push(performance.now()))
  .observe(plot, {attributes: true, attributeFilter: ["data-redraws"]}); }"""
_CHANGE = """(box) => { window.changed = new Promise((done) => {
  const observer = new MutationObserver(() => { observer.disconnect(); done(performance.now()); });
  observer.observe(box, {subtree: true, childList: true, attributes: true, attributeFilter: ["d", "transform", "style"]});
  setTimeout(() => done(NaN), 5000);
}); }"""


def _work(session: CDPSession) -> float:
    """Milliseconds of processor time that the page's thread has used."""
    found = session.send("Performance.getMetrics")["metrics"]
    return 1000 * next(one["value"] for one in found if one["name"] == "TaskDuration")


def _drag(page: Page, slider: str) -> tuple[list[float], float, float, float]:
    """One drag.

    Returns milliseconds between its redraws, at most one a position; processor time of each, and of one by Plotly; and how
    long the frames took to come.
    """
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    asked = page.evaluate("performance.now()")
    left, right, height = take_hold(page, slider)
    dealt = page.evaluate("performance.now()") - asked
    plot = page.locator(_CHART).first
    plot.evaluate(_COUNT)
    before = _work(session)
    for step in range(_STEPS):
        page.mouse.move(left + (right - left) * step / (_STEPS - 1), height)
        page.wait_for_timeout(_PAUSE)
    page.wait_for_timeout(500)
    ours, times = _work(session) - before, page.evaluate("window.times")
    before = _work(session)
    page.evaluate(_ANIMATE, [plot.element_handle(), _BARE])
    bare = _work(session) - before
    page.mouse.up()
    settled(page)
    session.detach()
    return [after - before for before, after in pairwise(times)], ours / max(len(times), 1), bare / _BARE, dealt


def _answers(page: Page, slider: str) -> list[float]:
    """Milliseconds from letting go to the first change of the chart, where nothing follows."""
    kept = page.evaluate_handle("window.Plotly")
    page.evaluate("window.Plotly = null")
    times = []
    for i in range(_RELEASES):
        left, right, height = take_hold(page, slider)
        page.mouse.move(left + (right - left) * (0.3 + 0.05 * i), height)
        page.wait_for_timeout(200)
        page.locator(_CHART).first.evaluate(_CHANGE)
        started = page.evaluate("performance.now()")
        page.mouse.up()
        finished = page.evaluate("window.changed")
        if finished == finished:  # else the chart has not changed within 5 s
            times.append(finished - started)
        settled(page)
    page.evaluate("(plotly) => { window.Plotly = plotly; }", kept)
    return times


def run() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        server = Server(Path(folder) / "server.log")
        try:
            for address in TOLD:
                page = browser.new_page()
                yield f"{address}: {_page(page, f'{server.url}/{address}')}"
                page.close()
        finally:
            server.stop()
            browser.close()


def _page(page: Page, url: str) -> str:
    sizes: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda it: sizes.append(len(it))))
    page.goto(url)
    settled(page)
    slider, *_ = (page.locator("html").get_attribute("data-live") or "").split()
    words_of(page, slider)
    sizes.clear()
    gaps, ours, bare, dealt = _drag(page, slider)
    largest = max(sizes, default=0) / 1000
    gap = statistics.median(gaps)
    answer = statistics.median(_answers(page, slider) or [float("nan")])
    meets = gap <= _GAP and gap <= _SHARE * answer and largest <= _SIZE
    return (
        f"{slider}, {len(gaps) + 1} redraws, {gap:.0f} ms between two, {gap / answer:.2f} of the {answer:.0f} ms of letting "
        f"go; processor time of all charts {ours:.0f} ms a redraw, the slider's included, of one by Plotly {bare:.0f} ms; "
        f"frames at most {largest:.0f} kB, {dealt:.0f} ms after reaching for the slider; {'meets' if meets else 'MISSES'} "
        "the target"
    )
