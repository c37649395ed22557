"""The learning-limits page: its numbers are dpcore's, every extreme runs, the contradiction is said in words."""

import math
import re

import pytest
from scipy import optimize

from dpcore.exhibits import learning_limits as limits
from dpcore.exhibits.learning_limits import descent, sampling
from dpcore.exhibits.learning_limits.convexity import VALLEY, drawn_shape, sandwich
from pages.components.words import number, times
from tests.errata.oracles import gaussian_delta
from tests.pages.tabs import examples, on_cards, run

PAGE = "understand/learning_limits"


def test_finite_numbers_are_those_of_the_library():
    app = run(PAGE, ll_view="finite")
    bound, measured = limits.risk_bound(100, 500, 0.5, 0.05), limits.measured_excess(100, 500, 0.5, 0.05, 0.1)
    assert on_cards(app) == [number(v) for v in (bound.total, bound.statistical, bound.privacy, measured)]
    assert re.match(rf"Privacy costs {bound.privacy / bound.statistical:.2f}\s×", app.title[0].value)
    app.slider(key="ll_noise").set_value(0.0).run()
    assert app.metric[0].value == number(limits.risk_bound(100, 500, 0.5, 0.05, "realisable").total)


def test_packing_numbers_and_words():
    few = run(PAGE, ll_view="packing", ll_records=2, ll_epsilon=1.0)
    assert few.metric[2].delta == f"from k = {limits.Packing(256, 2, 1.0).bins_needed:.0f} bins"
    app = run(PAGE, ll_view="packing")
    assert (
        app.title[0].value == f"Impossible: 256 bins need probability {256 * 0.1 * math.exp(-0.5 * 4):.2f}, there is 1"
    )
    packing = limits.Packing(256, 8, 0.5)
    for learner in limits.PACKING_LEARNERS:
        app.slider(key="ll_records").set_value(8)
        app.selectbox(key="ll_learner").set_value(learner).run()
        assert (app.metric[1].value, app.metric[2].value) == (number(packing.held), "no")
        assert app.metric[3].value == number(limits.worst_success(packing, learner)), learner
    app.slider(key="ll_records").set_value(4).run()
    assert app.metric[2].value == "yes"
    assert any("That is a contradiction" in block.value for block in app.markdown)


def test_convexity_numbers_and_failures():
    app = run(PAGE, ll_view="convexity")
    found = sandwich("logistic", 0.2, 1.0, 0.2, 1.2, 2.8)
    assert on_cards(app) == [number(v) for v in (found.convexity, found.smoothness, found.lipschitz, found.slope)]
    assert any("Between x and z this one does" in block.value for block in app.markdown)
    app.slider(key="ll_smoothness").set_value(0.0).run()
    assert any("A claim fails" in block.value for block in app.markdown)


def test_a_drawn_function_shows_its_true_constants():
    app = run(PAGE, ll_view="convexity", ll_shape="drawn")
    app.slider(key="ll_ridge").set_value(0.0).run()
    found = sandwich(drawn_shape(VALLEY), 0.0, 1.0, 0.0, 9.0, 9.0)
    shown = [number(v) for v in (found.convexity, found.smoothness, found.lipschitz, found.slope)]
    assert on_cards(app) == shown
    assert any("f is convex on the whole interval" in block.value for block in app.markdown)
    app.text_input(key="ll_heights").set_value("5,2,4,1,0,2,2,3,6").run()
    assert app.metric[0].delta == "not convex"
    assert any("bends downwards from −2.5 to −1.5 and from 0.5 to 1.5" in block.value for block in app.markdown)


def test_the_price_of_a_draw_is_the_librarys():
    app = run(PAGE, ll_view="sampling")
    expected = [5 / 50.0, *(float(sampling.excess_of_draw(body, 5, 50.0)) for body in ("cone", "ball", "bowl"))]
    assert on_cards(app) == [number(value) for value in expected]


def test_descent_runs_and_says_who_wins():
    app = run(PAGE, ll_view="descent", ll_epsilon=1.0)
    found = descent.run_descent(500, 5, 1.0, 1e-5, 50)
    shift = optimize.brentq(lambda s: gaussian_delta(1.0, s) - 1e-5, 0.1, 1)
    sigma = 2 * math.sqrt(50) / (500 * shift)  # fifty Gaussian mechanisms compose to one
    limit = 4 * math.sqrt(5) / (500 * shift)
    expected = [found.mean, 2 * math.sqrt((1 + 5 * sigma**2) / 50), sigma, 4 * 5 / 500]
    assert on_cards(app) == [number(value) for value in expected]
    assert [metric.delta for metric in app.metric] == [
        f"± {number(2 * found.error)}", f"T → ∞: {number(limit)}", "50 steps", f"{times(20 / 500 / limit)} the limit",
    ]  # fmt: skip
    assert any("pure ε-DP still wins" in block.value for block in app.markdown)
    app.select_slider(key="ll_dimension").set_value(50.0).run()
    assert any("Here descent wins" in block.value for block in app.markdown)


@pytest.mark.parametrize(("preset", "dominates"), [("Privacy for free", False), ("Privacy dominates", True)])
def test_presets_do_what_they_say(preset, dominates):
    _, statistical, privacy, _ = (float(metric.value) for metric in run(PAGE, **examples(PAGE)[preset]).metric)
    assert (privacy > statistical) == dominates
