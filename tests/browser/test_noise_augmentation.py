"""Simulations of the noise-augmentation page can be stopped and continued, and a link opens the counterexample."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled, visit


@pytest.mark.thorough
def test_simulation_stops_keeps_what_it_has_and_goes_on(server, page):
    """At full size, which takes minutes: the quick one may be finished before a hand reaches Stop."""
    visit(page, f"{server.url}/noise_augmentation?na_view=Simulations&na_full=true")
    main = page.get_by_test_id("stMain")
    finished = main.get_by_text(re.compile(r"^\d+ of 2000 data sets"))
    main.get_by_role("button", name="Continue", exact=True).click()
    expect(finished).not_to_have_text(re.compile(r"^4 of"))  # those that were there at once
    main.get_by_role("button", name="Stop", exact=True).click()
    go_on = main.get_by_role("button", name="Continue", exact=True)
    expect(go_on).to_be_enabled()
    settled(page)
    count = finished.inner_text()
    settled(page)
    assert finished.inner_text() == count
    go_on.click()
    expect(finished).not_to_have_text(count)
    assert int(finished.inner_text().split()[0]) > int(count.split()[0])
    main.get_by_role("button", name="Stop", exact=True).click()
    expect(go_on).to_be_enabled()
