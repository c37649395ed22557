"""Dragging a slider whose chart follows it: redraws while it is held against the same chart when it is only let go.

The peer is the same page in the same run with its frames taken away: the chart changes once the server has answered.
"""

import statistics
import tempfile
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import FLAGS, Server, settled
from tests.browser.setup import chromium
from tests.browser.test_live import LIVE, take_hold

_STEPS, _PAUSE = 60, 16  # moves of a drag, ms between two
_RELEASES = 5
_COUNT = """(plot) => { window.times = []; new MutationObserver(() => window.times.push(performance.now()))
  .observe(plot, {attributes: true, attributeFilter: ["data-redraws"]}); }"""
_CHANGE = """(box) => { window.changed = new Promise((done) => {
  const observer = new MutationObserver(() => { observer.disconnect(); done(performance.now()); });
  observer.observe(box, {subtree: true, childList: true, attributes: true, attributeFilter: ["d", "transform", "style"]});
  setTimeout(() => done(NaN), 5000);
}); }"""


def _gaps(page: Page, slider: str, chart: str) -> list[float]:
    """Milliseconds between the redraws of one drag."""
    left, right, height = take_hold(page, slider)
    page.locator(f".st-key-{chart} .js-plotly-plot").first.evaluate(_COUNT)
    for step in range(_STEPS):
        page.mouse.move(left + (right - left) * step / (_STEPS - 1), height)
        page.wait_for_timeout(_PAUSE)
    page.wait_for_timeout(500)
    times = page.evaluate("window.times")
    page.mouse.up()
    settled(page)
    return [after - before for before, after in pairwise(times)]


def _answers(page: Page, slider: str, chart: str) -> list[float]:
    """Milliseconds from letting go to the first change of the chart, where nothing follows."""
    page.evaluate("window.Plotly = null")
    times = []
    for i in range(_RELEASES):
        left, right, height = take_hold(page, slider)
        page.mouse.move(left + (right - left) * (0.3 + 0.05 * i), height)
        page.wait_for_timeout(200)
        page.locator(f".st-key-{chart}").first.evaluate(_CHANGE)
        started = page.evaluate("performance.now()")
        page.mouse.up()
        finished = page.evaluate("window.changed")
        if finished == finished:  # else the chart has not changed within 5 s
            times.append(finished - started)
        settled(page)
    return times


def run() -> list[str]:
    lines = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        server = Server(Path(folder) / "server.log")
        for path, (slider, chart, _) in LIVE.items():
            page, sizes = browser.new_page(), []
            page.on(
                "websocket", lambda socket, sizes=sizes: socket.on("framereceived", lambda it: sizes.append(len(it)))
            )
            page.goto(f"{server.url}/{path}")
            settled(page)
            page.wait_for_timeout(1000)
            sizes.clear()
            asked = page.evaluate("performance.now()")
            take_hold(page, slider)
            dealt, largest = page.evaluate("performance.now()") - asked, max(sizes, default=0)
            page.mouse.up()
            gap = statistics.median(_gaps(page, slider, chart))
            answer = statistics.median(_answers(page, slider, chart) or [float("nan")])
            lines.append(
                f"{path}: {gap:.0f} ms between redraws, {gap / answer:.2f} of the {answer:.0f} ms of letting go; "
                f"frames {largest / 1000:.0f} kB, {dealt:.0f} ms after reaching for the slider"
            )
            page.close()
        server.stop()
        browser.close()
    return lines
