"""The lecture: every step opens its page in the state it names, its numbers are right, and it lasts 45 minutes."""

import re

import mpmath
import numpy as np
import pytest
import streamlit as st
from scipy import stats

from dpcore.exhibits.lessons import lecture
from dpcore.interfaces.handout import Stop, handout_html
from pages.components import full_window, running_order, say
from pages.components.running_order import STEPS
from tests.pages.tabs import at, run, said


def test_it_lasts_45_minutes_and_every_step_asks():
    assert sum(step.minutes for step in STEPS) == 45
    assert running_order.starts()[0] == 0
    assert running_order.starts()[-1] == 45 - STEPS[-1].minutes
    assert all(step.ask.endswith("?") for step in STEPS)


@pytest.mark.parametrize("index", range(len(STEPS)), ids=lambda index: STEPS[index].title)
def test_a_step_opens_its_page_in_its_state(index):
    step = STEPS[index]
    app = at(step.page)
    for key, value in running_order.query(index).items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, app.exception
    assert [warning.value for warning in app.warning] == []
    written = {
        widget.key
        for widget in [
            *app.select_slider,
            *app.slider,
            *app.selectbox,
            *app.number_input,
            *app.toggle,
            *app.get("button_group"),
        ]
    }
    assert set(step.state) - {full_window.FIGURE} <= written
    assert step.ask in said(app)
    assert say.shown(step.answer()) not in said(app)
    screen = seen(app)
    for key, value in MOVED.get(step.title, {}).items():
        slider = next(widget for widget in [*app.select_slider, *app.slider] if widget.key == key)
        assert f"{value:g}" in step.act
        slider.set_value(value).run()
        screen += seen(app)
    assert numbers(step.answer()) - GIVEN <= numbers(screen)
    assert "nothing in this range" not in "".join(chart.proto.spec for chart in app.get("plotly_chart"))
    app.toggle(key=f"lecture_answer_{index}").set_value(True).run()
    assert not app.exception, app.exception
    assert say.shown(step.answer()) in said(app)


MOVED = {
    "More noise": {"home_sigma": 5.0},
    "What no private learner can do": {"ll_records": 40},
}  # what the room sees moved
GIVEN = {"0", "1"}  # of words and axes, not of a computation


def seen(app) -> str:
    """The cards, the prose and the sliders of the page, without what the lecture says of it."""
    shown = [part for card in app.metric for part in (card.label, card.value, card.delta)]
    prose = [item.value for item in app.markdown if " of 8 · " not in item.value]
    return " ".join([*map(str, [*shown, *(one.value for one in [*app.select_slider, *app.slider])]), *prose])


def numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+(?:\.\d+)?", text))


def test_its_numbers():
    assert lecture.best_guess(2.0) == pytest.approx(stats.norm.cdf(0.25), rel=1e-12)
    found = lecture.of_equal_budget(1.0, 0.5)
    assert found["Laplace"] == pytest.approx(1 - np.exp(-0.25), rel=1e-12)
    assert found["Randomised response"] == pytest.approx((np.e - np.exp(0.5)) / (np.e + 1), rel=1e-12)
    one, many = lecture.growth(10.0, 100, 1e-5)
    for epsilon, mu in ((one, 0.1), (many, 1.0)):
        delta = mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.e**epsilon * mpmath.ncdf(-mu / 2 - epsilon / mu)
        assert float(delta) == pytest.approx(1e-5, rel=1e-9)
    assert lecture.forced(4, 256, 0.5)[0] == pytest.approx(0.1 * 256 * np.exp(-2), rel=1e-12)
    published, tight = lecture.gap(5.0, 20.0, 0.5)
    assert published > 2 * tight
    median, most = lecture.exposed_rows("diabetes", 1e-6)
    assert most > 2 * median


def test_a_hundred_randomised_answers_by_enumeration():
    yes = np.exp(0.1) / (1 + np.exp(0.1))
    k = np.arange(101)
    loss = 0.1 * (2 * k - 100)
    found = lecture.survey(0.1, 100, 1e-5)
    delta = (stats.binom.pmf(k, 100, yes) * np.maximum(-np.expm1(found["pld"] - loss), 0)).sum()
    assert delta == pytest.approx(1e-5, rel=1e-3)
    assert delta <= 1e-5 * (1 + 1e-9)
    assert found["pld"] < found["renyi"] < found["basic"]


def test_no_answer_is_seen_before_it_is_asked_for():
    hidden, shown = said(run("understand/teach")), said(run("understand/teach", teach_answers=True))
    for step in STEPS:
        assert step.ask in hidden
        assert numbers(step.answer()) <= numbers(shown)
    assert "See:" not in hidden


def test_a_hand_out_names_the_address_of_the_page_that_offers_it(monkeypatch):
    """It is made once it is asked for, when no page is being drawn."""
    makers = []
    monkeypatch.setattr(say, "download_button", lambda label, data, **_: makers.append(data))
    with monkeypatch.context() as drawn:
        drawn.setattr(type(st.context), "url", property(lambda _: "http://127.0.0.1:8501/teach"))
        run("understand/teach")
    for make in makers[:2]:
        assert make().decode().count("href='http://127.0.0.1:8501/") == len(STEPS)


def test_the_hand_out_keeps_answers_from_the_room_and_is_inert():
    stops = [Stop("Rows <b>", 0, 5, "http://localhost/per_instance?a=1&b=2", "Say it.", "Who?", "Drag it.", "Row 7.")]
    room, lecturer = (handout_html("A lecture", stops, answers=answers) for answers in (False, True))
    assert "Row 7." not in room
    assert "Say it." not in room
    assert "Drag it." not in room
    assert all(words in lecturer for words in ("Row 7.", "Say it.", "Who?", "Drag it."))
    for text in (room, lecturer):
        assert "Rows &lt;b&gt;" in text
        assert "a=1&amp;b=2" in text
        assert not re.search(r"<script|<img|<link|src=", text)
