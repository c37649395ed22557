"""Simulations of the noise-augmentation page can be stopped and continued, and a link opens the counterexample."""

import re

import pytest
from playwright.sync_api import expect

from dpcore.audit import napp as audit
from pages.components.words import number
from tests.browser.conftest import settled


@pytest.mark.thorough
def test_simulation_stops_keeps_what_it_has_and_goes_on(server, page):
    """At full size, which takes minutes: the quick one may be finished before a hand reaches Stop."""
    page.goto(f"{server.url}/noise_augmentation?na_view=Simulations&na_full=true")
    settled(page)
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


@pytest.mark.thorough
def test_quick_simulation_finishes(server, page):
    page.goto(f"{server.url}/noise_augmentation?na_view=Simulations")
    settled(page)
    main = page.get_by_test_id("stMain")
    main.get_by_role("button", name="Continue", exact=True).click()
    expect(main.get_by_text("24 of 24 data sets")).to_be_visible(timeout=120_000)
    expect(main.get_by_role("button", name="Finished", exact=True)).to_be_disabled()
    expect(main.get_by_role("button", name="Stop", exact=True)).to_have_count(0)


@pytest.mark.thorough
def test_link_to_the_counterexample(server, page):
    page.goto(f"{server.url}/noise_augmentation?na_view=Is+this+private%3F&na_strength=4.00")
    settled(page)
    exact = audit.attack(audit.Scenario(1.0, 4.0, target=2.0), "moor")
    expect(page.get_by_test_id("stMetricValue").first).to_have_text(number(exact.delta))
