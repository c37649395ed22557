"""The composition page: its numbers are dpcore's, its rows come and go, and nothing it is asked can break it."""

from __future__ import annotations

import math
import re

import pytest
from streamlit.testing.v1 import AppTest

import dpcore as dp
from dpcore.exhibits import composition
from pages.components.words import number, probability_from_log, times
from pages.understand.composition import answer, state
from pages.understand.composition.answer import interval
from pages.understand.composition.state import METHODS
from tests.errata.oracles import gaussian_delta, gaussian_epsilon
from tests.pages.tabs import on_cards, open_tab, opened, program, run, said

PAGE = "understand/composition"
DEFAULT = [(dp.Gaussian(20.0), 200), (dp.Laplace(20.0), 100)]
ROWS = {
    "co_rows": 2, "co_view": "accountants",
    "co_0_kind": "gaussian", "co_0_gaussian_sigma": 20.0, "co_0_count": 200,
    "co_1_kind": "laplace", "co_1_laplace_scale": 20.0, "co_1_count": 100,
}  # fmt: skip


def kinds(app: AppTest) -> list[str]:
    return [box.value for box in app.selectbox if re.fullmatch(r"co_\d_kind", box.key)]


def test_metrics_are_the_bracket_of_the_pipeline(monkeypatch):
    monkeypatch.setattr(answer, "_DIGITS", 12)  # both sides are written out however close they are
    app = opened(PAGE, "co_tab", "Code", **ROWS)
    low, high = dp.compose(DEFAULT).epsilon(1e-5)
    assert program(app)[1]["bracket"].epsilon(1e-5) == (low, high)
    assert app.metric[0].value == number(float(high), 4)
    shown = [float(side) for side in app.metric[0].delta.strip("[]").split(",")]
    assert shown[0] <= high
    assert low <= shown[1] < shown[0] + 1e-4
    renyi = float(dp.compose(DEFAULT, "renyi").epsilon(1e-5)[1])
    assert app.metric[2].label.startswith("Rényi")
    assert app.metric[2].value == number(renyi, 4)
    open_tab(app, "co_tab", "What to notice")
    assert f"**Rényi pays for converting**: {times(renyi / float(high))} the ε at δ = {number(1e-5)}." in said(app)


def test_many_runs_cost_far_less_than_their_sum():
    app = run(PAGE)
    assert app.title[0].value.startswith("One run costs")
    app.select_slider(key="co_runs").set_value(100).run()
    one, many, delta = gaussian_epsilon(0.1, 1e-5), gaussian_epsilon(1.0, 1e-5), gaussian_delta(1.0, 1.0)
    assert app.title[0].value == f"100 runs cost {number(many / one, 2)} times one run, not 100 times"
    assert on_cards(app) == [
        number(one, 4), number(many, 4), number(100 * one, 4), probability_from_log(math.log(delta)),
    ]  # fmt: skip
    assert app.metric[1].delta == "13\u00a0× one run, not 100 ×"
    assert (app.metric[2].delta, len(app.get("plotly_chart"))) == (f"at δ = {number(100 * 1e-5)}", 2)


@pytest.mark.thorough
def test_rows_are_added_and_removed_and_the_others_keep_their_values():
    app = run(PAGE, **ROWS | {"co_0_count": 2, "co_1_count": 1})
    app.number_input(key="co_rows").set_value(3)
    app.session_state["co_2_kind"], app.session_state["co_2_count"] = "randomized_response", 1
    app.session_state["co_2_randomized_response_epsilon"] = 0.5
    app.run()
    assert kinds(app) == ["gaussian", "laplace", "randomized_response"]
    app.button(key="co_0_remove").click().run()
    assert kinds(app) == ["laplace", "randomized_response"]
    assert app.select_slider(key="co_0_laplace_scale").value == 20.0
    assert app.select_slider(key="co_1_randomized_response_epsilon").value == 0.5
    pipeline_now = [(dp.Laplace(20.0), 1), (dp.RandomizedResponse(0.5), app.select_slider(key="co_1_count").value)]
    assert app.metric[0].value == number(float(dp.compose(pipeline_now).epsilon(1e-5)[1]), 4)


def test_an_accountant_that_does_not_apply_says_so():
    app = run(PAGE)
    app.button_group(key="co_view").set_value("accountants")
    app.button_group(key="co_methods").set_value(list(METHODS)).run()
    assert any("optimal theorem needs pure mechanisms" in caption.value for caption in app.caption)
    app.button_group(key="co_methods").set_value([]).run()
    for view in ("accountants", "growth"):
        app.button_group(key="co_view").set_value(view).run()
        assert "Choose at least one accountant" in app.info[0].value


@pytest.mark.thorough
def test_the_noise_found_meets_the_target_and_no_less_does():
    app = opened(PAGE, "co_tab", "Find the noise", **ROWS)
    app.button(key="co_find").click().run()
    text = next(m.value for m in app.markdown if m.value.startswith("Factor"))
    factor = float(re.search(r"\*\*([\d.]+)\*\*", text).group(1))
    scaled = dp.compose([(dp.Gaussian(20.0 * factor), 200), (dp.Laplace(20.0 * factor), 100)])
    assert float(scaled.estimate.epsilon(1e-5)) == pytest.approx(1.0, rel=2e-4)


WIDE = [(3.69045284, 3.69046066), (0.0, 0.0), (1e-9, 1.001e-9), (123.4, 123.5), (5.0, float("inf"))]


@pytest.mark.parametrize(("low", "high"), WIDE)
def test_interval_never_looks_narrower_than_it_is(low, high):
    text = interval(low, high)
    shown = [part.strip().replace("\u2212", "-") for part in text.strip("[]").split(",")]
    if "∞" not in text and "×" not in text and "10" not in shown[0][:2]:
        assert float(shown[0]) <= low
        assert float(shown[1]) >= high
    assert interval(1.0, 1.0 + 2.0**-30) == f"lower side {number(2.0**-30, 2)} less"


def test_a_wide_bracket_says_so(monkeypatch):
    assert not any("% apart here" in caption.value for caption in run(PAGE, **ROWS).caption)
    monkeypatch.setattr(state, "_WIDE", 1e-10)
    app = run(PAGE, **ROWS)
    low, high = dp.compose(composition.in_closed_form(DEFAULT)).epsilon(1e-5)
    said = next(caption.value for caption in app.caption if "apart here" in caption.value)
    assert f"{number(100 * float(high - low) / float(high), 2)} % apart" in said
