"""A private file never reaches a disk, and leaves the server's memory when it is forgotten, replaced or its tab closed."""

import os
import random
import re
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import memory
from tests.browser.conftest import Server, open_downloads, settled
from tests.browser.test_per_instance import open_upload, upload

LINUX = sys.platform == "linux"
SECONDS = 30  # after which nothing may be left


def people(mark: str, megabytes: float, note: int = 0) -> bytes:
    """A table of people whose ids and towns begin with mark~; their numbers come round again after a thousand.

    With a note of so many letters a large file has few rows.
    """
    rng = random.Random(mark)
    drawn = [f"{rng.randint(18, 80)},{rng.random() * 40:.7f},{rng.gauss(3e3, 500):.6f}" for _ in range(997)]
    count = int(megabytes * 1e6 / (55 + note))
    notes = [f",{one}{'.' * note}" if note else "" for one in range(997)]
    rows = (f"{mark}~Id{row:07d},{mark}~Town{row % 7},{drawn[row % 997]}{notes[row % 997]}" for row in range(count))
    return "\n".join(["id,town,age,hours,pay" + ",note" * bool(note), *rows]).encode()


def wait_until_gone(server: Server, planted: bytes) -> None:
    """No planted bytes in the memory of the server, soon."""
    end = time.monotonic() + SECONDS
    while LINUX and (left := memory.occurrences(server.pid, planted)):
        assert time.monotonic() < end, left
        time.sleep(0.5)


def answered(page) -> None:
    expect(page.get_by_text("Most exposed: row")).to_be_visible(timeout=90_000)
    settled(page)


def test_a_large_upload_never_reaches_a_disk(page, server, tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(people("Disk", 4, note=4000))
    open_upload(page, server)
    page.locator("input[type=file]").first.set_input_files(path)
    answered(page)
    path.unlink()
    if LINUX:
        opened = [os.readlink(file) for file in Path(f"/proc/{server.pid}/fd").iterdir() if file.is_symlink()]
        assert not [name for name in opened if "deleted" in name]


def downloads(page, server) -> list[str]:
    """Addresses of the confidential downloads, each of which says so, fetched once as when its button is clicked."""
    asked: list[str] = []

    def note(request) -> None:
        if f":{server.port}/media/" in request.url:
            asked.append(request.url)

    page.on("request", note)
    open_downloads(page)
    for name in ("Distribution of exposure (HTML)", "Data (CSV)", "Report to sign (HTML)"):
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        assert "confidential" in download.value.suggested_filename
        assert b"sensitive" in download.value.path().read_bytes(), name
    page.remove_listener("request", note)
    assert len(asked) == 3
    return asked


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def wait_until_refused(urls: list[str]) -> None:
    end = time.monotonic() + SECONDS
    while any(status(url) != 404 for url in urls):
        assert time.monotonic() < end, urls
        time.sleep(0.2)


def choose_row(page) -> None:
    """Choose another row from the list: the browser tells the server its name, with the id."""
    box = page.get_by_role("combobox", name=re.compile("Row$"))
    before = box.input_value()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        box.press(key)
    expect(box).not_to_have_value(before)
    expect(box).to_have_value(re.compile("~Id"))
    settled(page)


def test_forgetting_empties_memory_and_downloads(page, server):
    open_upload(page, server)
    upload(page, "people.csv", people("Forgot", 0.05))
    answered(page)
    urls = downloads(page, server)
    choose_row(page)
    page.get_by_role("button", name="Forget my data").click()
    expect(page.get_by_text("Most exposed: row")).to_have_count(0)
    wait_until_refused(urls)
    wait_until_gone(server, b"Forgot~")


@pytest.mark.thorough
def test_removing_or_replacing_the_file_empties_memory(page, server):
    open_upload(page, server)
    upload(page, "first.csv", people("First", 0.05))
    answered(page)
    upload(page, "second.csv", people("Second", 0.05))
    expect(page.get_by_text("first.csv")).to_have_count(0)
    answered(page)
    wait_until_gone(server, b"First~")
    choose_row(page)
    page.get_by_role("button", name=re.compile("(Remove|Delete) ?.*second.csv")).click()
    expect(page.get_by_text("Most exposed: row")).to_have_count(0)
    wait_until_gone(server, b"Second~")


def interrupt(page) -> None:
    """Break the connection, as a network does, and wait until the page has another."""
    with page.expect_websocket():
        page.evaluate("connection.close(3000)")
    settled(page)


def test_leaving_the_page_empties_memory_and_downloads(page, server):
    page.add_init_script(
        "window.WebSocket = class extends WebSocket { constructor(...of) { super(...of); window.connection = this; } }"
    )
    open_upload(page, server)
    for leave in (page.reload, lambda: (page.goto("about:blank"), page.go_back()), page.close):
        expect(page.get_by_text("Choose a sample or upload")).to_be_visible()
        upload(page, "people.csv", people("Leave", 0.05))
        answered(page)
        if leave == page.reload:
            interrupt(page)  # which is no leaving: the rows are still there
            urls = downloads(page, server)
        choose_row(page)
        leave()
    wait_until_refused(urls)
    wait_until_gone(server, b"Leave~")


def rested(pid: int) -> float:
    """Memory of its own in MB once it falls no more."""
    end, size = time.monotonic() + SECONDS, memory.own(pid)
    while time.monotonic() < end:
        time.sleep(2)
        before, size = size, memory.own(pid)
        if size > before - 1:
            break
    return size


@pytest.mark.thorough
def test_uploading_and_forgetting_again_and_again_takes_no_memory(page, server):
    open_upload(page, server)
    content = people("Again", 10)
    for turn in range(int(os.environ.get("TURNS", "3"))):
        upload(page, "people.csv", content)
        answered(page)
        page.get_by_role("button", name="Forget my data").click()
        expect(page.get_by_text("Most exposed: row")).to_have_count(0)
        if turn == 0:  # which loads libraries too
            wait_until_gone(server, b"Again~")
            size = rested(server.pid) if LINUX else 0
    end = time.monotonic() + SECONDS
    while LINUX and (grown := memory.own(server.pid) - size) > 30:
        assert time.monotonic() < end, (size, grown)
        time.sleep(0.5)
