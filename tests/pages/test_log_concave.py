"""The page on log-concave pairs: its numbers are dpcore's, every shape and extreme runs."""

import math

import pytest

from dpcore.log_concave import PIECES, LogConcavePair
from pages.components.words import number
from tests.pages.test_pages import run

PAGE = "pages/understand/log_concave.py"


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
    for preset in ("Kink", "Behind walls", "Extra curvature"):
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
    app = run(PAGE)
    app.selectbox(key="lc_first").set_value("drawn" if second != "drawn" else "bowl")
    app.selectbox(key="lc_second").set_value(second).run()
    for mu, scale in ((0.1, 10.0), (10.0, 0.1)):
        app.select_slider(key="lc_mu").set_value(mu)
        app.select_slider(key="lc_scale").set_value(scale).run()
        assert not app.exception, app.exception
        assert not math.isnan(float(app.metric[2].value.split()[0]))
