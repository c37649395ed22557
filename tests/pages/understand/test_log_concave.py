"""The page on log-concave pairs: its numbers are dpcore's, what cannot be drawn gets a sentence."""

import numpy as np
import pytest
from scipy.stats import norm

from dpcore.exhibits.log_concave.drawn import DrawnPair
from pages.components.words import number
from tests.pages.tabs import figure_in, on_cards, press, run
from tests.pages.test_live import numbers

PAGE = "understand/log_concave"


def test_both_orders_are_the_lecture_s():
    """At the lecture's definition: δ(P‖Q) is what Q gives an outcome beyond e^ε P, here by sums over a fine grid."""
    app = run(PAGE, lc_scale=2.0, lc_knot=0.0)
    x = np.linspace(-15, 15, 600_001)
    p, q = (np.exp(-(x**2) / 2 - slope) for slope in (-x, np.abs(x)))
    p, q = p / p.sum(), q / q.sum()
    to_q, to_p = (np.maximum(a - np.exp(0.5) * b, 0).sum() for a, b in ((q, p), (p, q)))
    theorem = norm.cdf(1 - 0.25) - np.exp(0.5) * norm.cdf(-1 - 0.25)
    assert [(one.label, one.value, one.delta) for one in app.metric[:2]] == [
        ("δ(P‖Q) at ε = 0.500", number(to_q), "Q likelier"), ("δ(Q‖P) at ε = 0.500", number(to_p), "P likelier"),
    ]  # fmt: skip
    assert on_cards(app)[2:] == [f"{100 * to_p / theorem:.1f} %", "2.00"]
    assert app.metric[2].delta == f"of {number(theorem)}, shift 2.00"
    expected = {"P likelier": to_p, "Gaussian of the theorem": theorem}
    assert drawn_at(app, 0, 0.5) == pytest.approx(expected, rel=1e-3)


def drawn_at(app, chart, x):
    """Height of every named curve of a chart at x."""
    found = {}
    for trace in figure_in(app, chart)["data"]:
        across, up = (np.array(numbers(trace[axis]), float) for axis in "xy")
        if "name" in trace:
            found[trace["name"].split(" — ")[0]] = float(np.interp(x, across, up))
    return found


def test_attained_preset_attains():
    app = run(PAGE)
    press(app, "Attained")
    assert app.title[0].value.startswith("This pair leaks as much as two Gaussians: δ = ")
    assert app.metric[2].value == "100.0 %"
    for preset in ("Kink", "Behind walls", "Extra curvature", "Drawn wells"):
        press(app, preset)
        assert float(app.metric[2].value.split()[0]) < 100


def test_equal_potentials_get_a_sentence():
    app = run(PAGE, lc_first="kink")
    assert "cannot be told apart" in app.info[0].value


def test_drawn_numbers_are_those_of_the_drawing():
    app = run(PAGE, lc_mode="draw")
    assert (app.metric[2].value, app.metric[3].delta) == ("100.0 %", "nothing had to move")
    app.text_input(key="lc_drawn_f").set_value("8,4.5,0.5,4,1.5,4,8").run()
    pair = DrawnPair(0.5, (8, 4.5, 0.5, 4, 1.5, 4, 8))
    assert app.metric[1].value == number(float(pair.delta(0.5, direction="add")))
    assert number(float(pair.theorem.delta(0.5))) in app.metric[2].delta
    assert app.metric[3].delta == f"projection moved {number(pair.moved)}"
    assert any("not 0.500-strongly convex" in block.value for block in app.markdown)


@pytest.mark.parametrize("heights", ["1,2,3", "a,b,c,d,e,f,g", "nan,1,1,1,1,1,11"])
def test_a_bad_drawing_in_the_link_gets_a_sentence(heights):
    app = run(PAGE, lc_mode="draw")
    app.text_input(key="lc_drawn_g").set_value(heights).run()
    assert app.warning[0].value.startswith("Heights of F̃: ")
    assert app.metric[2].value == "100.0 %"
