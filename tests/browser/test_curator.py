"""A curator with a messy staff file, in a real browser: who is exposed, by which cell, what helps, and nothing stays."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import dpcore as dp
from dpcore.data import Domain, suggest_ranges
from dpcore.individual.rows.advice import advise
from pages.components.words import number
from tests.browser.conftest import expect_metric, section, settled
from tests.browser.test_per_instance import forget, open_upload, upload
from tests.individual.staff import EXECUTIVE, staff_csv

OPS = dp.PosteriorSampling(gamma=1.0, lam=1.0)


def result_of(content: bytes):
    suggested = suggest_ranges(dp.read_table(content).columns)
    ranges = {name: (found.low, found.high) for name, found in suggested.items()}
    domain = Domain(ranges=ranges, from_data=True)
    return dp.individual_privacy(dp.load_csv(content, "satisfaction", domain=domain), OPS, delta=1e-6)


def find(page, text: str) -> None:
    box = page.get_by_role("textbox", name="Find a row")
    box.fill(text)
    box.press("Enter")
    settled(page)


@pytest.mark.thorough
def test_the_exposed_executive_is_found_explained_and_helped(server, page):
    content = staff_csv()
    open_upload(page, server)
    upload(page, "staff.csv", content)
    expect(page.get_by_text("Most exposed: row 147")).to_be_visible()
    expect_metric(page, "DP worst case", "no guarantee")
    expect(page.get_by_text(re.compile("260 of 300 rows used"))).to_be_visible()
    find(page, "row 8")
    expect(page.get_by_text("Row 8 (id K-0008) was left out for a missing cell")).to_be_visible()
    find(page, "row 100")
    expect(page.get_by_text(re.compile(r"^Row 100 \(id K-0100\) has ε = "))).to_be_visible()
    find(page, EXECUTIVE)
    expect(page.get_by_text("Its salary of 486000 (typical: 48629) accounts for 90 % of ε")).to_be_visible()

    expect(page.get_by_text(f"Which cell exposes row 147 (id {EXECUTIVE})")).to_be_visible()
    section(page, "What helps", "Under a target")
    result = result_of(content)
    row = int(np.argmax(result.epsilon))
    options = advise(result, row, 0.5).options
    best = next(option for option in options if option.meets)
    expect(page.get_by_text(f"Cheapest: {best.text}, then ε = {number(best.epsilon)}")).to_be_visible()

    advised = next(option for option in options if option.text.startswith("cap 'salary' at"))
    amount = float(advised.text.rpartition(" ")[2].replace("\u202f", ""))
    capped = re.sub(
        rb"([\d.]+) \xe2\x82\xac",
        lambda match: b"%d \xe2\x82\xac" % min(amount, float(match[1].replace(b".", b""))),
        content,
    )
    after = result_of(capped)
    forget(page)
    assert EXECUTIVE not in page.content()
    upload(page, "staff.csv", capped)
    find(page, EXECUTIVE)
    now = after.epsilon[after.dataset.position(147)]
    assert now < 0.3 * result.epsilon[row]
    np.testing.assert_allclose(now, advised.epsilon, rtol=1e-9)
    expect(page.get_by_text(f"Row 147 (id {EXECUTIVE}) has ε = {now:.3g}")).to_be_visible()
    assert "K-0" not in page.url
    assert "staff" not in page.url
