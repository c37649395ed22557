"""The errata page: its numbers are computed by dpcore now, for every record and at the ends of every slider."""

from html import unescape

import pytest

from dpcore.errata import ERRATA
from pages.components.words import number
from pages.verify.errata.views import PRESETS
from tests.pages.tabs import program, run

PAGE = "verify/errata"


@pytest.mark.parametrize("key", [key for i, key in enumerate(ERRATA) if i % 6 == 0])
def test_metrics_are_the_three_numbers(key):
    app = run(PAGE)
    app.selectbox(key="er_record").set_value(key).run()
    assert not app.exception, app.exception
    numbers = ERRATA[key].demonstrate()
    assert [metric.value for metric in app.metric] == [
        number(numbers.printed), number(numbers.corrected), number(numbers.computed)
    ]  # fmt: skip
    assert ERRATA[key].printed_latex in [block.value.strip("$\n") for block in app.latex]
    assert any(ERRATA[key].sentence(numbers) in unescape(block.value) for block in app.markdown)
    assert program(app)[1]["numbers"] == numbers


def test_sliders_recompute_and_their_ends_hold():
    app = run(PAGE)
    app.selectbox(key="er_record").set_value("pdp-lemma4").run()
    for value in (1e-3, 100.0):
        app.select_slider(key="er_pdp-lemma4_gamma").set_value(value).run()
        assert not app.exception, app.exception
        assert app.metric[2].value == number(ERRATA["pdp-lemma4"].demonstrate(gamma=value).computed)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_jump_to_their_record(name):
    app = run(PAGE)
    app.selectbox(key="er_source").set_value("lecture-12").run()
    assert not app.exception, app.exception
    app.button(key=f"er_{name}").click().run()
    assert not app.exception, app.exception
    assert app.selectbox(key="er_record").value == PRESETS[name]["er_record"]


def test_a_source_narrows_the_records():
    app = run(PAGE)
    app.selectbox(key="er_source").set_value("lecture-10").run()
    assert not app.exception
    assert app.selectbox(key="er_record").value.startswith("lec10-")
