"""Charts and what can be taken away of them."""

import re

import pytest
import streamlit as st

from dpcore.exhibits.home import study as home
from pages.components import controls, export
from tests.pages.tabs import ROOT, opened, run

PHONE = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36"
DESK = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36"


@pytest.mark.parametrize(("browser", "tools"), [(PHONE, False), (DESK, "hover")])
def test_tools_of_a_chart_wait_for_a_mouse(monkeypatch, browser, tools):
    context = type("Context", (), {"headers": {"User-Agent": browser}})()
    monkeypatch.setattr(st, "context", context)
    assert export.chart_config()["displayModeBar"] == tools


def test_images_are_offered_where_there_is_a_figure():
    assert not any(toggle.label == "PNG and SVG" for toggle in run("verify/cross_check").toggle)
    assert any(
        toggle.label == "PNG and SVG" for toggle in opened("understand/learning_limits", "ll_tab", "Share").toggle
    )


def test_powers_are_typeset_in_prose():
    for path in (ROOT / "pages").rglob("*.py"):
        assert not re.search(r"\w\^\(", path.read_text(encoding="utf-8")), path


def test_a_live_chart_stays_live_in_its_file(monkeypatch):
    files = {}
    monkeypatch.setattr(export.say, "download_button", lambda label, data, **_: files.update({label: data}))
    opened("understand/home", "home_tab", "Share", home_sigma=2.0)
    page = files["Best attacks (HTML)"]()
    assert page.count('"method":"animate"') == len(controls.round_values(*home.NOISE)) + 2  # and Play, Stop
    assert '"label":"2.00","method":"animate"' in page
    assert f'"active":{controls.round_values(*home.NOISE).index(2.0)}' in page
    assert "Plotly.addFrames" in page
