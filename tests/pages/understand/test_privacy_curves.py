"""The privacy-curves page: every mechanism answers with dpcore's numbers, and presets do what they say."""

import pytest

import dpcore as dp
from pages.components.words import number
from tests.pages.tabs import run

PAGE = "understand/privacy_curves"


@pytest.mark.parametrize("key", dp.MECHANISMS)
def test_each_mechanism_alone_answers_in_four_numbers(key):
    app = run(PAGE)
    app.button_group(key="pc_show").set_value([key]).run()
    assert not app.exception
    mechanism = dp.MECHANISMS[key].default()
    shown = [metric.value for metric in app.metric]
    assert shown[1] == number(float(mechanism.epsilon(1e-5)))
    assert shown[3] == f"{number(float(mechanism.renyi(8.0)))} nats"


def test_presets_run():
    app = run(PAGE)
    for preset in ("Equal ε", "Pure budgets", "Subsampling"):
        next(button for button in app.button if button.label == preset).click().run()
        assert not app.exception, preset
        assert len(app.metric) >= 2


def test_equal_epsilon_preset_is_equal_in_every_digit_shown():
    app = run(PAGE, pc_direction="add")
    next(button for button in app.button if button.label == "Equal ε").click().run()
    assert [metric.value for metric in app.metric] == ["0.500"] * 3
