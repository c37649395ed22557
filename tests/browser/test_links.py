"""A stale link in a real browser: the bad part leaves the address, is named beside its control, and the rest holds."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import click, settled, visit


@pytest.mark.thorough
def test_a_stale_link_says_what_it_could_not_set(server, page):
    missing = []
    page.on("response", lambda answer: missing.append(answer.url) if answer.status == 404 else None)
    visit(
        page,
        f"{server.url}/privacy_curves?pc_gaussian_sigma=zz&pc_delta=10⁻⁴&pc_direction=sideways&pc_epsilon_max=1e999",
    )
    assert missing == []
    for label, value in (
        ("Direction", "'sideways', which is not among the choices"),
        ("σ", "'zz', which is not among"),
    ):
        expect(page.get_by_text(value).filter(has_text=label).first).to_be_visible()
    assert "sideways" not in page.url
    assert "zz" not in page.url
    assert "pc_delta" in page.url
    click(page.get_by_role("radio", name="record added"))
    expect(page.get_by_text("'sideways'")).to_have_count(0)
    assert "pc_direction=record" in page.url
    expect(page.get_by_text("'zz'").first).to_be_visible()  # that control still stands at its default
    page.reload()
    settled(page)
    expect(page.get_by_text("the link asks for")).to_have_count(0)
    expect(page.get_by_role("radio", name="record added")).to_be_checked()
