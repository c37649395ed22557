"""The composition page: its numbers are dpcore's, its rows come and go, and nothing it is asked can break it."""

from __future__ import annotations

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

import dpcore as dp
from dpcore.mechanisms import STEPS
from pages.components.words import number
from pages.understand.composition import presets, state, views
from pages.understand.composition.state import METHODS, VIEWS, interval
from tests.pages.tabs import code, opened, program, run

PAGE = "understand/composition"
DEFAULT = [(dp.Gaussian(20.0), 200), (dp.Laplace(20.0), 100)]


def kinds(app: AppTest) -> list[str]:
    return [box.value for box in app.selectbox if re.fullmatch(r"co_\d_kind", box.key)]


def test_metrics_are_the_bracket_of_the_pipeline():
    app = run(PAGE)
    low, high = dp.compose(DEFAULT).epsilon(1e-5)
    assert app.metric[0].value == number(float(high), 4)
    shown = [float(side) for side in app.metric[0].delta.strip("[]").split(",")]
    assert shown[0] <= low <= high <= shown[1]
    assert shown[1] - shown[0] < 1e-4
    renyi = float(dp.compose(DEFAULT, "renyi").epsilon(1e-5)[1])
    assert app.metric[2].label.startswith("Rényi")
    assert app.metric[2].value == number(renyi, 4)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_draws_and_explains(view):
    app = opened(PAGE, "co_tab", "Code", co_view=view)
    assert app.get("plotly_chart")
    assert code(app)


@pytest.mark.parametrize("name", presets.PRESETS)
def test_every_preset_draws_and_its_code_runs(name):
    app = opened(PAGE, "co_tab", "Code")
    app.button(key=f"co_{name}").click().run(timeout=200)
    assert not app.exception, app.exception
    bracket = program(app)[1]["bracket"]
    low, high = bracket.epsilon(1e-5)
    assert low <= high
    assert app.metric[0].value == number(float(high), 4)


def test_rows_are_added_and_removed_and_the_others_keep_their_values():
    app = run(PAGE)
    app.number_input(key="co_rows").set_value(3)
    app.session_state["co_2_kind"] = "randomized_response"
    app.session_state["co_2_randomized_response_epsilon"] = 0.5
    app.run()
    assert kinds(app) == ["gaussian", "laplace", "randomized_response"]
    app.button(key="co_0_remove").click().run()
    assert not app.exception, app.exception
    assert kinds(app) == ["laplace", "randomized_response"]
    assert app.select_slider(key="co_0_laplace_scale").value == 20.0
    assert app.select_slider(key="co_1_randomized_response_epsilon").value == 0.5
    pipeline_now = [(dp.Laplace(20.0), 100), (dp.RandomizedResponse(0.5), app.select_slider(key="co_1_count").value)]
    assert app.metric[0].value == number(float(dp.compose(pipeline_now).epsilon(1e-5)[1]), 4)
    assert app.button(key="co_1_remove").disabled is False
    app.button(key="co_1_remove").click().run()
    assert app.button(key="co_0_remove").disabled is True


@pytest.mark.parametrize("kind", [kind for kind in STEPS if kind != "objective_tight"])
@pytest.mark.parametrize("end", [0, 1])
def test_extremes_of_every_step_are_answered(kind, end):
    ends = {f"co_0_{kind}_{p.name}": (p.low, p.high)[end] for p in STEPS[kind].parameters}
    app = run(PAGE, co_rows=1, co_0_kind=kind, co_0_count=10, **ends)
    assert {key: app.session_state[key] for key in ends} == ends
    assert app.select_slider(key="co_0_count").value == 10


def test_an_accountant_that_does_not_apply_says_so():
    app = run(PAGE)
    app.button_group(key="co_methods").set_value(list(METHODS)).run()
    assert not app.exception
    assert any("optimal theorem needs pure mechanisms" in caption.value for caption in app.caption)
    app.button_group(key="co_methods").set_value([]).run()
    for view in ("accountants", "growth"):
        app.button_group(key="co_view").set_value(view).run()
        assert not app.exception
        assert "Choose at least one accountant" in app.info[0].value


def test_the_noise_found_meets_the_target_and_no_less_does():
    app = opened(PAGE, "co_tab", "Find the noise")
    app.button(key="co_find").click().run()
    assert not app.exception, app.exception
    text = next(m.value for m in app.markdown if m.value.startswith("Factor"))
    factor = float(re.search(r"\*\*([\d.]+)\*\*", text).group(1))
    scaled = dp.compose([(dp.Gaussian(20.0 * factor), 200), (dp.Laplace(20.0 * factor), 100)])
    assert float(scaled.estimate.epsilon(1e-5)) == pytest.approx(1.0, rel=2e-4)


@pytest.mark.parametrize("view", ["accountants", "growth"])
def test_pld_is_called_the_same_in_every_view(monkeypatch, view):
    monkeypatch.setattr(views, "GROWTH_COUNTS", (1, 2))
    app = opened(PAGE, "co_tab", "Data", co_view=view, co_methods=["pld"])
    traces = json.loads(app.get("plotly_chart")[0].proto.spec)["data"]
    assert [t["name"] for t in traces if t.get("name", "").startswith("PLD")] == ["PLD — certified upper side"]
    table = next(frame.value for frame in app.dataframe if "is" in frame.value)
    assert set(table["is"]) == {"upper bound"}


def test_an_interval_too_narrow_for_a_card_says_how_narrow_it_is():
    low, high = (float(side) for side in dp.compose([(dp.RandomizedResponse(0.5), 20)]).epsilon(1e-5))
    assert interval(low, high) == f"lower side {number(high - low, 2)} less"
    assert len(interval(3.690452, 3.690461)) <= 20


@pytest.mark.parametrize(
    ("low", "high"), [(3.69045284, 3.69046066), (0.0, 0.0), (1e-9, 1.001e-9), (123.4, 123.5), (5.0, float("inf"))]
)
def test_interval_never_looks_narrower_than_it_is(low, high):
    text = interval(low, high)
    shown = [part.strip().replace("\u2212", "-") for part in text.strip("[]").split(",")]
    if "∞" not in text and "×" not in text and "10" not in shown[0][:2]:
        assert float(shown[0]) <= low
        assert float(shown[1]) >= high


def test_a_wide_bracket_says_so(monkeypatch):
    assert not any("% apart here" in caption.value for caption in run(PAGE).caption)
    monkeypatch.setattr(state, "_WIDE", 1e-7)
    app = run(PAGE)
    low, high = dp.compose(DEFAULT).epsilon(1e-5)
    said = next(caption.value for caption in app.caption if "apart here" in caption.value)
    assert f"{number(100 * float(high - low) / float(high), 2)} % apart" in said
