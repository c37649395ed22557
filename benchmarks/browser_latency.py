"""Slider to redrawn chart, page switch, and upload to first result, in a real browser against the running app.

The peer is an empty Streamlit page with one slider and one line chart, measured in the same run. The load of the machine
stands beside the numbers: above one, all of them are those of a busy machine.
"""

import os
import re
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import FLAGS, ROOT, Server, settled
from tests.browser.setup import chromium

_FLOOR_APP = """
import plotly.graph_objects as go
import streamlit as st
value = st.slider("Level", 1, 100, 50)
st.plotly_chart(go.Figure(go.Scatter(x=list(range(240)), y=[value * x for x in range(240)])), key="chart")
"""

_MODELS = tuple(
    (f"per_instance?source=breast_cancer&pi_kind={kind}", slider)
    for kind, slider in (
        ("Posterior+sample", "Inverse temperature"),
        ("Output+perturbation", "Noise σ"),
        ("Objective+perturbation", "Noise σ"),
        ("Posterior+sample", "Regularisation"),
    )
)
"""Logistic regression under each mechanism."""

_WATCH = """() => { window.redrawn = new Promise(resolve => {
  let last = -1;
  const plot = document.querySelector('.js-plotly-plot').closest('[data-testid="stPlotlyChart"]') || document.body;
  const observer = new MutationObserver(() => { last = performance.now(); });
  observer.observe(plot, {subtree: true, childList: true, attributes: true});
  const started = performance.now();
  const check = setInterval(() => {
    const now = performance.now();
    if ((last > 0 && now - last > 150) || now - started > 4000) {
      clearInterval(check); observer.disconnect(); resolve(last);
    }
  }, 10);
}); }"""  # the chart has been redrawn when nothing in it has changed for 150 ms; the time is that of the last change


def _slider_to_chart(page: Page, slider: re.Pattern, repeats: int = 21, new: bool = False) -> list[float]:
    """Milliseconds from the key press to the last change inside the first chart; between two values, or `new` ones."""
    times = []
    for step in range(repeats):
        page.get_by_role("slider", name=slider).first.focus()
        page.evaluate(_WATCH)
        started = page.evaluate("performance.now()")
        page.keyboard.press("ArrowRight" if new or step % 2 == 0 else "ArrowLeft")
        finished = page.evaluate("window.redrawn")
        if finished < 0:
            raise RuntimeError("the chart was not redrawn within 4 s")
        times.append(finished - started)
        page.wait_for_timeout(100)
    return times[1:]


def _line(name: str, times: list[float], floor: float) -> str:
    median = statistics.median(times)
    return f"{name}: median {median:.0f} ms, slowest {max(times):.0f} ms, {median / floor:.2f} x the floor"


def _numbers(path: Path) -> Path:
    """10 MB of numbers: 60 000 rows, 19 columns."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60_000, 19)), columns=[*(f"c{j}" for j in range(18)), "outcome"])
    frame.to_csv(path, index=False, float_format="%.6f")
    return path


def _classes(path: Path) -> Path:
    """A yes/no target, nine numbers, ten columns of categories that become 53: 45 000 rows, 5 MB."""
    rng, n = np.random.default_rng(0), 45_000
    frame = pd.DataFrame({f"amount_{j}": rng.integers(0, 1000, n) for j in range(9)})
    for j, levels in enumerate((12, 4, 8, 3, 3, 3, 2, 10, 5, 3)):
        frame[f"kind_{j}"] = [f"level_{level}" for level in rng.integers(0, levels, n)]
    frame["y"] = np.where(frame["amount_0"] / 300 - 2.5 + rng.logistic(size=n) > 0, "yes", "no")
    frame.to_csv(path, index=False)
    return path


def _upload_to_result(page: Page, url: str, file: Path) -> str:
    """Seconds from a file that is dropped to the first numbers about its rows."""
    page.goto(f"{url}/per_instance")
    settled(page)
    page.get_by_role("combobox", name=re.compile("Data")).first.click()
    page.get_by_role("option", name="Upload a file").click()
    page.locator("input[type=file]").first.wait_for(state="attached")
    started = time.perf_counter()
    page.locator("input[type=file]").first.set_input_files(file)
    page.get_by_text("Most exposed: row").wait_for(timeout=120_000)
    seconds, size = time.perf_counter() - started, file.stat().st_size / 1e6
    return f"upload of {file.name} ({size:.1f} MB) to the first result: {seconds:.2f} s"


def _load() -> str:
    return f"load of the machine, {os.cpu_count()} cores: {os.getloadavg()[0]:.1f}"


def run() -> list[str]:
    lines = [_load()]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        floor_app = Path(folder) / "floor.py"
        floor_app.write_text(_FLOOR_APP)
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        floor_server = Server(Path(folder) / "floor.log", script=str(floor_app))
        page = browser.new_page()
        page.goto(floor_server.url)
        page.wait_for_selector(".js-plotly-plot")
        page.wait_for_timeout(1500)
        floor = statistics.median(_slider_to_chart(page, re.compile("Level")))
        floor_server.stop()
        lines.append(f"floor (empty page, one slider, one chart): median {floor:.0f} ms")

        server = Server(Path(folder) / "server.log")
        page = browser.new_page()
        for path, slider in (
            ("", "Noise σ"),
            ("privacy_curves", "Noise σ"),
            ("composition", "Noise σ"),
            ("objective_perturbation", "Noise σ"),
            ("per_instance", "Inverse temperature"),
            ("privacy_map", "Inverse temperature"),
            ("private_training", "Budget ε"),
            ("noise_augmentation", "Budget ε"),
            ("audit", "Noise σ"),
            ("errata", "Privacy loss ε"),
            ("paper_figures", "Noise of the model"),
            ("learn", "Noise σ"),
            ("output_perturbation", "Privacy loss ε"),
            ("exponential_mechanism", "Privacy loss ε"),
            ("log_concave", "Strong convexity μ"),
            ("log_concave?lc_mode=Draw", "F at x = 2"),
            ("learning_limits", "Privacy loss ε"),
            ("learning_limits?ll_view=Packing", "Privacy loss ε"),
        ):
            page.goto(f"{server.url}/{path}")
            settled(page)
            page.wait_for_timeout(1500)
            lines.append(_line(f"slider to chart, {path or 'home'}", _slider_to_chart(page, re.compile(slider)), floor))

        times = []
        switches = [("Understand", "Privacy curves"), ("Your data", "Per-instance privacy")] * 5
        for title in ("Learn", "Output perturbation", "Exponential mechanism", "Log-concave pairs", "Learning limits"):
            switches += [("Understand", title)]
        for group, title in switches:
            page.get_by_text(group, exact=True).first.click()
            started = time.perf_counter()
            page.get_by_role("menuitem", name=title, exact=True).click()
            page.locator("h1", has_text=title).wait_for()
            times.append(1000 * (time.perf_counter() - started))
            settled(page)
        lines.append(f"page switch to its title: median {statistics.median(times):.0f} ms")

        for path, slider in (("per_instance", "Inverse temperature"), *_MODELS):
            page.goto(f"{server.url}/{path}")
            settled(page)
            page.wait_for_timeout(1500)
            times = _slider_to_chart(page, re.compile(slider), new=True)
            lines.append(_line(f"slider to chart, {path}, {slider}, at values not seen before", times, floor))
        files = (
            ROOT / "sample_data" / "diabetes.csv",
            _numbers(Path(folder) / "numbers.csv"),
            _classes(Path(folder) / "classes.csv"),
        )
        lines += [_upload_to_result(page, server.url, file) for file in files]
        lines.append(_load())
        server.stop()
        browser.close()
    return lines
