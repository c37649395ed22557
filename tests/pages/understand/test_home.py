"""The home page: its numbers are the mechanism's."""

import dpcore as dp
from pages.components.words import number
from tests.pages.tabs import run


def test_home_numbers_are_those_of_the_mechanism():
    app = run("understand/home")
    app.select_slider(key="home_sigma").set_value(2.0).run()
    mechanism = dp.Gaussian(2.0)
    assert app.metric[0].value == number(float(mechanism.epsilon(1e-5)))
    assert app.metric[1].value == f"{100 * (1 - float(mechanism.tradeoff(0.05))):.1f} %"
