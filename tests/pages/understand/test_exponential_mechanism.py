"""The exponential-mechanism page: its numbers are dpcore's, every extreme runs, the samplers report."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.exhibits.exponential_mechanism import study as exponential
from pages.components.words import number
from tests.pages.tabs import figure_in, on_cards, open_tab, run, table_with
from tests.pages.test_live import numbers

PAGE = "understand/exponential_mechanism"


def test_line_numbers_are_those_of_the_library():
    app = run(PAGE)
    mechanism = dp.RegularizedExponential.calibrated(1.0, 1e-5, n=100, dimension=1, lipschitz=1.0, radius=1.0)
    shown = exponential.line_landscape(100, 0.3, 0.3)
    k, mu = mechanism.k, mechanism.mu
    told = shown.excess(k, mu), shown.excess(25.0, 0.0), shown.pair_epsilon(k, mu, 1e-5), mechanism.shift
    assert on_cards(app) == [number(one) for one in told]
    app.select_slider(key="em_epsilon").set_value(4.0).run()
    assert app.metric[1].value == number(shown.excess(100.0, 0.0))


def test_the_mean_of_many_draws_is_the_line_on_which_they_are_said_to_lie_on_average():
    app = run(PAGE, em_draws=1000)
    curve, draws, mean, *_ = figure_in(app)["data"]
    across, up = (np.array(numbers(draws[axis])) for axis in "xy")
    np.testing.assert_allclose(up, np.interp(across, numbers(curve["x"]), numbers(curve["y"])), atol=2e-3)
    assert abs(up.mean() - mean["y"][0]) < 4 * up.std() / len(up) ** 0.5


def test_finite_numbers_are_those_of_the_library():
    found = exponential.finite_landscape(100, 100, 0.1, 1.0)
    app = run(PAGE, em_view="finite")
    assert app.metric[0].value == f"{found.errors.min():.0f}"
    extra = [f"{number(found.excess(law))} extra" for law in ("exponential", "permute_and_flip")]
    assert [one.value for one in app.metric[1:3]] == extra


@pytest.mark.parametrize(("view", "chart", "axis"), [("line", 1, "y"), ("finite", 0, "y2")])
def test_the_axis_holds_what_is_drawn_at_the_largest_epsilon_and_little_more(view, chart, axis):
    app = run(PAGE, em_view=view, em_epsilon=8.0)
    spec = figure_in(app, chart)
    drawn = [numbers(one["y"]) for one in spec["data"] if one.get("yaxis", "y") == axis]
    end = spec["layout"][axis.replace("y", "yaxis")]["range"][1]
    assert 0.9 * end < max(map(max, drawn)) <= end


def test_the_button_draws_again():
    app, rains = run(PAGE), []
    for _ in range(2):
        app.button(key="em_again").click().run()
        rains += [trace["x"] for trace in figure_in(app, 1)["data"] if trace["name"] == "draws"]
    assert rains[0] != rains[1]


@pytest.mark.parametrize("view", ["line", "plane"])
def test_samplers_report_beside_the_truth(view):
    app = run(PAGE, em_view=view)
    open_tab(app, "em_tab", "Sampler").button(key="em_run").click().run()
    table = table_with(app, "sampler")
    assert list(table["sampler"]) == ["Proximal sampler", "MALA"]
    assert any("guarantee of the mechanism does not hold" in warning.value for warning in app.warning) == (
        (table["R̂"] >= 1.01).any() or (table["effective draws"] < 1600).any()
    )
