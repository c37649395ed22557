"""Dragging a slider whose chart follows it: redraws while it is held, and the browser's processor time for each.

The peers are of the same page in the same run: Plotly's own animation of the same chart between two of its frames, and the page
with its frames taken away, where the chart changes once the server has answered.
"""

import statistics
import tempfile
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

from tests.browser.conftest import FLAGS, Server, settled
from tests.browser.setup import chromium
from tests.browser.test_live import LIVE, take_hold

_STEPS, _PAUSE = 60, 16  # moves of a drag, ms between two
_RELEASES = 5
_BARE = 20  # redraws by Plotly
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


def _drag(page: Page, slider: str, chart: str) -> tuple[list[float], float, float]:
    """Milliseconds between the redraws of one drag, at most one a position; processor time of each, and of one by Plotly."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    left, right, height = take_hold(page, slider)
    plot = page.locator(f".st-key-{chart} .js-plotly-plot").first
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
    return [after - before for before, after in pairwise(times)], ours / max(len(times), 1), bare / _BARE


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
            gaps, ours, bare = _drag(page, slider, chart)
            gap = statistics.median(gaps)
            answer = statistics.median(_answers(page, slider, chart) or [float("nan")])
            lines.append(
                f"{path}: {len(gaps) + 1} redraws, {gap:.0f} ms between two, {gap / answer:.2f} of the {answer:.0f} ms of letting go; "
                f"processor time of all charts {ours:.0f} ms a redraw, the slider's included, of one by Plotly {bare:.0f} ms; "
                f"frames {largest / 1000:.0f} kB, {dealt:.0f} ms after reaching for the slider"
            )
            page.close()
        server.stop()
        browser.close()
    return lines
