"""Uploading, selecting, forgetting and not leaking, as a curator would do it."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import section, settled, visit


def open_upload(page, server) -> None:
    page.goto(
        f"{server.url}/per_instance?source={quote('Upload a file')}"
    )  # the sample shown at first takes half a minute
    settled(page)


def upload(page, name: str, content: bytes, place: int = 0) -> None:
    """Give a file to a place for files, and wait until it has arrived and the page has run with it."""
    with page.expect_response(re.compile("upload_file")):
        page.locator("input[type=file]").nth(place).set_input_files(
            {"name": name, "mimeType": "text/csv", "buffer": content}
        )
    settled(page)


@pytest.mark.thorough
def test_selection_shows_the_records(server, page):
    visit(page, f"{server.url}/per_instance")
    plot = page.locator(".js-plotly-plot").nth(1)
    plot.scroll_into_view_if_needed()
    box = plot.locator(".nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.05 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.98 * box["width"], box["y"] + 0.95 * box["height"], steps=12)
    page.mouse.up()
    expect(page.get_by_text(re.compile(r"^\d+ selected\."))).to_be_visible()


NUMBERS = "\n".join(f"{i % 7},{(i * 37) % 11},{(i * 13) % 5}" for i in range(40))


@pytest.mark.thorough
def test_two_sessions_never_see_each_other(server, page):
    """Not even in two tabs of one browser, which also share what it stores."""
    first = page
    open_upload(first, server)
    upload(first, "a.csv", f"secret_alpha,b,y\n{NUMBERS}\n".encode())
    expect(first.get_by_text("Most exposed: row")).to_be_visible()
    second = page.context.new_page()  # in front from now on: a page that is hidden is slow to settle
    open_upload(second, server)
    expect(second.get_by_text("Choose a sample or upload")).to_be_visible()
    upload(second, "b.csv", f"secret_beta,b,y\n{NUMBERS[::-1]}\n".encode())
    expect(second.get_by_text("Most exposed: row")).to_be_visible()
    for page, own, other in ((first, "secret_alpha", "secret_beta"), (second, "secret_beta", "secret_alpha")):
        page.bring_to_front()
        section(page, "Share", "Code")
        page.get_by_text("Columns and scaling").first.scroll_into_view_if_needed()
        content = page.content()
        assert other not in content
        assert own not in page.url
        assert other not in page.url
    second.close()
