"""The page on log-concave pairs: its numbers are dpcore's, every shape and extreme runs."""

import math

import pytest

from dpcore.studies.log_concave.drawn import DrawnPair
from dpcore.studies.log_concave.pair import PIECES, LogConcavePair
from pages.components.words import number
from tests.pages.tabs import open_tab, run

PAGE = "understand/log_concave"


def test_numbers_are_those_of_the_pair():
    app = run(PAGE)
    pair = LogConcavePair(first="left", second="kink")
    exact, theorem = float(pair.delta(0.5, direction="add")), float(pair.theorem.delta(0.5))
    assert [metric.value for metric in app.metric] == [
        number(exact), number(theorem), f"{100 * exact / theorem:.1f} %", number(pair.lipschitz),
    ]  # fmt: skip


def test_attained_preset_attains():
    app = run(PAGE)
    next(button for button in app.button if button.label == "Attained").click().run()
    assert app.metric[2].value == "100.0 %"
    for preset in ("Kink", "Behind walls", "Extra curvature", "Drawn wells"):
        next(button for button in app.button if button.label == preset).click().run()
        assert not app.exception, preset
        assert float(app.metric[2].value.split()[0]) < 100


def test_equal_potentials_get_a_sentence():
    app = run(PAGE)
    app.selectbox(key="lc_first").set_value("kink").run()
    assert not app.exception
    assert "cannot be told apart" in app.info[0].value


@pytest.mark.parametrize("second", PIECES)
def test_every_shape_at_both_ends(second):
    app = open_tab(run(PAGE), "lc_tab_Trade-off", "Trade-off")
    app.selectbox(key="lc_first").set_value("drawn" if second != "drawn" else "bowl")
    app.selectbox(key="lc_second").set_value(second).run()
    for mu, scale in ((0.1, 10.0), (10.0, 0.1)):
        app.select_slider(key="lc_mu").set_value(mu)
        app.select_slider(key="lc_scale").set_value(scale).run()
        assert not app.exception, app.exception
        assert not math.isnan(float(app.metric[2].value.split()[0]))


def test_drawn_numbers_are_those_of_the_drawing():
    app = run(PAGE)
    app.button_group(key="lc_mode").set_value("draw").run()
    assert app.metric[2].value == "100.0 %"
    assert app.metric[3].delta == "nothing had to move"
    charts = len(app.get("plotly_chart"))
    opened = open_tab(app, "lc_tab_Trade-off and densities", "Trade-off and densities")
    assert len(opened.get("plotly_chart")) == charts + 2
    open_tab(app, "lc_tab_Trade-off and densities", "What to notice")
    app.text_input(key="lc_drawn_f").set_value("8,4.5,0.5,4,1.5,4,8").run()
    assert not app.exception
    pair = DrawnPair(0.5, (8, 4.5, 0.5, 4, 1.5, 4, 8))
    assert app.metric[0].value == number(float(pair.delta(0.5, direction="add")))
    assert app.metric[1].value == number(float(pair.theorem.delta(0.5)))
    assert app.metric[3].delta == f"projection moved {number(pair.moved)}"
    assert any("not 0.500-strongly convex" in block.value for block in app.markdown)


@pytest.mark.parametrize("heights", ["1,2,3", "a,b,c,d,e,f,g", "1,1,1,1,1,1,11", "nan,1,1,1,1,1,1", ""])
def test_a_bad_drawing_in_the_link_gets_a_sentence(heights):
    app = run(PAGE)
    app.button_group(key="lc_mode").set_value("draw").run()
    app.text_input(key="lc_drawn_g").set_value(heights).run()
    assert not app.exception
    assert app.warning[0].value.startswith("Heights of F̃: ")
    assert app.metric[2].value == "100.0 %"


def test_equal_drawings_keep_their_handles():
    app = run(PAGE)
    app.button_group(key="lc_mode").set_value("draw").run()
    app.text_input(key="lc_drawn_g").set_value("1.25,0.5,0.25,0.5,1.25,2.5,4.25").run()
    assert not app.exception
    assert "cannot be told apart" in app.info[0].value
    assert [part.key for part in app.get("bidi_component")].count("lc_drawing") == 1
