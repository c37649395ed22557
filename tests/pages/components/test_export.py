"""Charts and what can be taken away of them."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from dpcore.exhibits.home import study as home
from dpcore.figures.theme import figure
from dpcore.mechanisms import Gaussian
from dpcore.references import REFERENCES
from pages.components import controls, export, say
from tests.pages.tabs import opened


@pytest.fixture
def files(monkeypatch):
    """What the buttons of a page hand over, by their labels."""
    taken = {}
    monkeypatch.setattr(export.say, "download_button", lambda label, data, **_: taken.update({label: data}))
    return taken


def test_a_live_chart_stays_live_in_its_file(files):
    opened("understand/home", "home_tab", "Share", home_sigma=2.0)
    page = files["Best attacks (HTML)"]()
    assert page.count('"method":"animate"') == len(controls.round_values(*home.NOISE)) + 2  # and Play, Stop
    assert '"label":"2.00","method":"animate"' in page
    assert f'"active":{controls.round_values(*home.NOISE).index(2.0)}' in page
    assert "Plotly.addFrames" in page
    assert page.startswith("<!doctype html>")
    assert "<script src" not in page


@pytest.mark.thorough
def test_a_figure_in_a_file_says_what_it_is(files):
    app = opened("understand/pure_noise", "pn_tab", "Share", pn_epsilon=1.5)
    assert "PNG and SVG" in [one.label for one in app.toggle]
    page = next(data() for label, data in files.items() if label.endswith("(HTML)"))
    (finding,) = re.findall("<h1>(.*?)</h1>", page)
    assert say.shown(finding) == app.title[0].value
    assert f"<title>{finding}</title>" in page
    assert REFERENCES["geng-viswanath-2016"].text in page
    assert "pn_epsilon=1.5" in page


def test_names_of_strangers_are_no_markup_in_a_file():
    about = export.About.of("<b>x</b>\n&", {"T": "<i>"}, [Gaussian.card], "<script>")
    page = export.figure_html(figure("dark"), "T", about, "http://here/?a=1&b='")
    assert "<h1>&lt;b&gt;x&lt;/b&gt; &amp;</h1><p>&lt;i&gt;</p>" in page
    assert "<p>&lt;script&gt;</p>" in page
    assert "href='http://here/?a=1&amp;b=&#x27;'" in page


@pytest.mark.thorough
def test_a_file_of_a_data_set_is_made_after_the_run_that_offers_it(files):
    opened("understand/output_perturbation", "out_tab", "Share")
    made = next(data for label, data in files.items() if label.endswith("(HTML)"))
    with ThreadPoolExecutor(1) as elsewhere:
        page = elsewhere.submit(made).result()
    assert "Plotly.addFrames" in page
    assert "they are confidential themselves" in page
