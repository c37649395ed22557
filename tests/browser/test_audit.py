"""The audit page in a browser: the curve fills in, Stop stops it, and guesses are counted."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import click, metric, open_downloads, press, settled, visit
from tests.browser.test_per_instance import upload


def attack(page, subject: str) -> None:
    """Choose what is attacked."""
    page.get_by_role("combobox", name=re.compile("What is attacked")).first.click()
    click(page.get_by_role("option", name=subject))


@pytest.mark.thorough
def test_an_attack_can_be_stopped_and_gives_no_verdict_then(server, page):
    visit(page, f"{server.url}/audit")
    attack(page, "A learner, on data")
    slider = page.get_by_role("slider", name=re.compile("Runs per side")).first
    slider.focus()
    press(page, "End")
    expect(page.get_by_text("0 of 20000 runs").first).to_be_visible()
    page.get_by_role("button", name=re.compile("Run the attack")).click()
    expect(page.get_by_text(re.compile(r"^[1-9]\d* of 20000 runs")).first).to_be_visible()
    click(page.get_by_test_id("stMainBlockContainer").get_by_role("button", name=re.compile("Stop")))
    expect(page.get_by_text(re.compile("stopped, so no verdict")).first).to_be_visible()
    assert metric(page, "Machine's verdict") == "none yet"


@pytest.mark.thorough
def test_guesses_are_counted(server, page):
    visit(page, f"{server.url}/audit")
    click(page.get_by_role("button", name="Without the record"))
    expect(page.get_by_text(re.compile(r"^[01] of 1$")).first).to_be_visible()
    page.keyboard.press("2")  # with the record
    settled(page)
    expect(page.get_by_text(re.compile(r"^[0-2] of 2$")).first).to_be_visible()
    expect(page.get_by_text(re.compile("^ *(close|check)? *(Right|Wrong), it was")).first).to_be_visible()


@pytest.mark.thorough
def test_an_uploads_worst_row_is_the_canary_and_stays_in_the_session(server, page):
    """A row that contradicts all others; the game finds it, the link knows nothing of it, and forgetting leaves nothing."""
    rows = [f"{i % 11},{(i * 7) % 13},{i % 11 + (i * 7) % 13}" for i in range(60)]
    rows[37] = "10,12,0"
    visit(page, f"{server.url}/audit")
    attack(page, "Rows of data, one by one (pDP)")
    page.get_by_role("combobox", name=re.compile("^(Selected .*)?Data")).first.click()
    click(page.get_by_role("option", name="Upload a file"))
    upload(page, "people.csv", "\n".join(["salary,age,sick_days", *rows]).encode())
    expect(page.get_by_text("Attacked: row 38, the most exposed of 60")).to_be_visible()
    page.get_by_role("button", name=re.compile("Run the attack")).click()
    expect(page.get_by_text(re.compile("Row 38: not refuted"))).to_be_visible()
    settled(page)
    open_downloads(page)
    addresses = [page.url, page.get_by_test_id("stCode").last.inner_text()]
    for address in addresses:
        assert "source=" in address
        assert not re.search("37|salary|age=|sick|people|row", address.split("/audit", 1)[1]), address
    click(page.get_by_role("button", name="Forget my data"))
    expect(page.get_by_text("Choose a sample or upload")).to_be_visible()
    assert not re.search("Row 38|row 38|salary|sick_days", page.content())
