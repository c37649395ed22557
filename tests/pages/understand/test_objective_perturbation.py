"""The objective-perturbation page: every view draws, bounds that say nothing say so, presets are the source's figures."""

import re

import pytest

import dpcore as dp
from pages.components.words import number
from tests.pages.tabs import run

PAGE = "understand/objective_perturbation"


@pytest.mark.parametrize("view", ["profile", "renyi", "calibration", "walk"])
def test_objective_perturbation_views(view):
    app = run(PAGE)
    app.button_group(key="op_view").set_value(view).run()
    assert not app.exception
    tight = dp.ObjectivePerturbation(sigma=10.0, lam=5.0, lipschitz=1.0, smoothness=1.0)
    published = dp.ObjectivePerturbation(sigma=10.0, lam=5.0, lipschitz=1.0, smoothness=1.0, bound="hockey_stick")
    assert [metric.value for metric in app.metric][:2] == [
        number(float(tight.delta(0.5))),
        number(float(published.delta(0.5))),
    ]
    assert app.metric[3].value == number(float(tight.epsilon(1e-5)))


def test_objective_perturbation_says_where_bounds_say_nothing():
    app = run(PAGE)
    app.select_slider(key="op_lambda").set_value(0.5).run()
    assert not app.exception
    assert app.metric[1].value == "no guarantee"
    assert any("none of the published bounds applies" in block.value for block in app.markdown)


@pytest.mark.parametrize(
    ("preset", "sigma", "lam"), [("Rényi, much noise", 100.0, 10.0), ("Rényi, small λ", 10.0, 1.0)]
)
def test_the_note_on_renyi_curves_says_how_far_apart_they_are(preset, sigma, lam):
    app = run(PAGE)
    next(button for button in app.button if button.label == preset).click().run()
    note = next(block.value for block in app.markdown if "the Gaussian one**, at α" in block.value)
    said, order = re.search(r"at most ([\d.]+) × the Gaussian one\*\*, at α = ([\d.]+)", note).groups()
    tight, lower = (
        float(dp.ObjectivePerturbation(sigma, lam, 1.0, 1.0, bound=bound).renyi(float(order)))
        for bound in ("tight", "lower")
    )
    assert float(said) == pytest.approx(tight / lower, rel=0.05)
    assert float(said) > 8
    assert ("says nothing" in note) == (lam <= 1.0)


def test_so_little_noise_that_no_curve_tells_is_said():
    app = run(PAGE, op_sigma=0.1)
    assert any("Hardly any privacy on this axis" in block.value for block in app.markdown)


def test_objective_perturbation_presets_are_the_papers_figures():
    app = run(PAGE)
    for preset, sigma, lam in (
        ("Loose published bound", 5.0, 20.0),
        ("Rényi, much noise", 100.0, 10.0),
        ("Rényi, little noise", 1.0, 1.0),
    ):
        next(button for button in app.button if button.label == preset).click().run()
        assert not app.exception, preset
        assert app.select_slider(key="op_sigma").value == sigma
        assert app.select_slider(key="op_lambda").value == lam
