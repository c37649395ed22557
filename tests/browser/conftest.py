"""A real server and a real browser; every request that leaves this machine fails the test that made it."""

import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser.setup import chromium
from tests.browser.stage import Stage

ROOT = Path(__file__).parents[2]
ARTIFACTS = ROOT / "artifacts"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    "--js-flags=--no-opt",  # without the compiler that pays off after minutes
    *(["--in-process-gpu"] if sys.platform == "linux" else []),  # and without a process that only draws
]  # fmt: skip
SIZE = {"width": 1280, "height": 720}
MARKED = b"~(Id|Town)"  # what cells of the uploads that are looked for begin with
OURS = re.compile(rf'File "{re.escape(str(ROOT))}/(app\.py|pages/|dpcore/)')  # a traceback through this project's code
SECONDS = 150  # a browser is waited for; more only means that what never comes is told later
expect.set_options(timeout=1000 * SECONDS)
MESSAGES = """{  // when the page last sent something to the server, and last heard of it
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (...all) {
    if (!this.heard) this.addEventListener("message", this.heard = () => { window.heard = performance.now(); });
    window.sent = performance.now();
    return send.apply(this, all);
  };
}"""
SETTLED = """(seconds) => new Promise((done) => {
  let running = true, idle = 0, quiet = 0, found = null;
  const changes = new MutationObserver(() => { quiet = 0; });
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const twice = () => {
    const keys = [...document.querySelectorAll("[class*=st-key-]")].map((one) => one.className.match(/st-key-\\S+/)[0]);
    return keys.find((key, i) => keys.indexOf(key) < i);
  };
  const missing = () => {
    const app = document.querySelector("[data-testid=stApp]");
    if (app?.dataset.testScriptState !== "notRunning") return "a run is under way";
    if (window.sent > window.heard) return "the server has not answered";
    if (!document.querySelector("h1")) return "no title";
    const left = document.querySelector("[data-testid=stSkeleton], [data-testid=stStatusWidget], [data-stale=true]");
    return left ? left.outerHTML.slice(0, 200) : twice();
  };
  const end = (answer) => {
    running = false;
    changes.disconnect();
    done(answer);
  };
  const look = () => {  // once a frame, as sizes follow each other frame by frame however slowly they are drawn
    found = missing();
    idle = found ? 0 : idle + 1;
    quiet = found ? 0 : quiet + 1;
    if (quiet > 12 || idle > 90) end(null);  // the second: charts that move by themselves
    else if (running) requestAnimationFrame(look);
  };
  look();
  setTimeout(() => end(found ?? "something keeps moving"), 1000 * seconds);
})"""


class Server:
    """One `streamlit run app.py` on a free port, with its log."""

    def __init__(self, log: Path, script: str = "app.py") -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = log
        self._handle = log.open("w")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", script, f"--server.port={self.port}", "--server.headless=true"],
            cwd=ROOT, stdout=self._handle, stderr=subprocess.STDOUT, env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        for _ in range(10 * SECONDS):
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"the server did not start:\n{log.read_text()}")

    @property
    def pid(self) -> int:
        return self._process.pid

    def stop(self) -> str:
        self._process.terminate()
        self._process.wait(timeout=20)
        self._handle.close()
        return self.log.read_text()


@contextmanager
def no_file_above(size: int):
    """In this process and those it starts, writing more than `size` bytes to a file fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.fixture(scope="session")
def server(browser, tmp_path_factory):
    """A server that cannot write a megabyte to a file; at its end neither its log nor any file holds a cell of an upload."""
    spool = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patch, no_file_above(1 << 20):
        patch.setenv("TMPDIR", str(spool))
        server = Server(tmp_path_factory.mktemp("server") / "server.log")
    page = browser.new_page()  # whose first visit is a deep link
    visit(page, f"{server.url}/output_perturbation")
    expect(page.get_by_test_id("stMain").get_by_text("Output perturbation", exact=True)).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)  # which would say that there is no such page
    page.close()
    yield server
    log = server.stop()
    assert not OURS.search(log), log
    assert not re.search(MARKED.decode(), log)
    for folder in (spool, ROOT / ".streamlit", Path.home() / ".streamlit"):
        for file in filter(Path.is_file, folder.rglob("*")):
            assert not re.search(MARKED, file.read_bytes()), file


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=FLAGS, ignore_default_args=["--disable-back-forward-cache"]
        )
        yield browser
        browser.close()


def context_of(browser, outside: list[str]):
    """A context of the browser; what it asks of other machines is noted."""

    def watch(request) -> None:
        if not request.url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:", "about:")):
            outside.append(request.url)

    context = browser.new_context(viewport=SIZE, color_scheme="light", accept_downloads=True)
    context.set_default_timeout(1000 * SECONDS)
    context.add_init_script(MESSAGES)
    context.on("request", watch)
    return context


@pytest.fixture
def new_page(browser):
    """Open pages in contexts of their own; at the end none may have asked for anything outside this machine."""
    contexts, outside = [], []

    def make():
        contexts.append(context_of(browser, outside))
        return contexts[-1].new_page()

    yield make
    for context in contexts:
        context.close()
    assert outside == []


@pytest.fixture(scope="session")
def one_context(browser):
    outside: list[str] = []
    context = context_of(browser, outside)
    yield context, outside
    context.close()


@pytest.fixture
def page(one_context):
    """One page for all tests in turn, which spares each the loading of the frontend: an address opens a new session."""
    context, outside = one_context
    page = context.pages[0] if context.pages else context.new_page()
    yield page
    if not page.is_closed():
        page.goto("about:blank")
        page.set_viewport_size(SIZE)
        page.emulate_media(color_scheme="light")
    found = outside.copy()
    outside.clear()
    assert found == []


@pytest.fixture(scope="module")
def blank_stage(browser):
    outside: list[str] = []
    context = context_of(browser, outside)
    yield Stage(context.new_page())
    context.close()
    assert outside == []


@pytest.fixture
def stage(blank_stage):
    """A blank page for a script, which must raise nothing."""
    yield blank_stage
    problems = blank_stage.problems.copy()
    blank_stage.problems.clear()
    assert problems == []


def settled(page) -> None:
    """Wait for a page that holds still: it has run, shows nothing of an earlier run, and no key twice; no exception is shown."""
    assert page.evaluate(SETTLED, SECONDS) is None
    expect(page.get_by_test_id("stException")).to_have_count(0)


def visit(page, address: str) -> None:
    """Open an address, and wait."""
    page.goto(address)
    settled(page)


def click(what) -> None:
    """Click on something, and wait."""
    what.click()
    settled(what.page)


def press(page, key: str) -> None:
    """Press a key, and wait."""
    page.keyboard.press(key)
    settled(page)


def back(page) -> None:
    """Go back, and wait."""
    page.go_back()
    settled(page)


def open_downloads(page) -> None:
    """Open the last tab, and wait: a click while the page redraws would ask for a file that the redraw replaces."""
    click(page.get_by_role("tab", name="Share"))


def section(page, tab: str, name: str) -> None:
    """Open a section of a tab, and wait."""
    click(page.get_by_role("tab", name=tab))
    click(page.get_by_role("tabpanel").get_by_role("radio", name=name, exact=True))


def expect_metric(page, label: str, value: str) -> None:
    """Wait until the metric card whose label contains the text shows the value."""
    card = page.get_by_test_id("stMetric").filter(has_text=label).first
    expect(card.get_by_test_id("stMetricValue")).to_have_text(value)


def navigate(page, group: str, title: str) -> None:
    """Open a page from the navigation at the top, as a person would."""
    page.get_by_text(group, exact=True).first.click()
    click(page.get_by_role("menuitem", name=title))


def example(page, name: str) -> None:
    """Choose one of the page's examples."""
    button = page.get_by_role("button", name=name, exact=True)
    if not button.is_visible():
        page.get_by_role("button", name="Examples").click()
    button.click()


SCREENS = {390: "phone", 1920: "large"}


def in_window(page, width: int, height: int, theme: str) -> None:
    """Give an open page another window and another theme, and wait until it has followed."""
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=theme)
    settled(page)
    if width in SCREENS:
        expect(page.locator("html")).to_have_attribute("data-screen", SCREENS[width])
        settled(page)
