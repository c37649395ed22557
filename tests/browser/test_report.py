"""The report opens in a browser without an error, without the network, and whatever the columns are called."""

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import dpcore as dp
from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.interfaces.report import report_html

NASTY = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"


def hostile() -> dp.Dataset:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(3_000, 2)), columns=[NASTY, "b"])
    frame["y"] = rng.normal(size=3_000)
    return dp.make_dataset(dp.read_table(frame.to_csv(index=False).encode()), "y", domain=dp.Domain())


@pytest.mark.thorough
def test_it_opens_and_draws(browser, tmp_path):
    data = hostile()
    result = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0), 1e-6)
    path = tmp_path / "report.html"
    html = report_html(ExposureSummary.of(result), hashes={"the data": data.sha256}, source=NASTY)
    path.write_text(html, encoding="utf-8", errors="replace")
    context = browser.new_context()
    page = context.new_page()
    said, requests = [], []
    page.on("console", lambda message: said.append((message.type, message.text)))
    page.on("pageerror", lambda error: said.append(("error", str(error))))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    expect(page.locator("#figure-1 .bars path")).not_to_have_count(0)
    expect(page.locator(".js-plotly-plot .scatterlayer path.point").first).to_be_visible()
    point = page.locator("#figure-2 path.point").first
    point.scroll_into_view_if_needed()
    place = point.bounding_box()
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    expect(page.locator(".hoverlayer .hovertext").first).to_be_visible()
    assert said == []
    assert requests == [path.as_uri()]
    assert page.title().startswith("Per-instance privacy of")
    assert page.locator("img").count() == 0
    expect(page.get_by_text(data.sha256)).to_be_visible()
    context.close()
