"""The lecture: every step opens its page with its question open, its answers are right, a plan lasts as long as it says."""

import json
import re
from html import escape
from importlib import import_module
from urllib.parse import parse_qs

import pytest
import streamlit as st

from dpcore.interfaces.handout import Stop, lecturer_html, room_html
from pages.components import running_order, say
from pages.components.lecture_steps import PLANS, STEPS
from tests.pages.tabs import at, run, said


@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_lasts_as_long_as_it_says_and_opens_its_steps_each_of_which_asks_in_a_full_window(plan):
    assert running_order.starts(plan)[-1] == plan - PLANS[plan][-1][1]
    assert len({index for index, _ in PLANS[plan]}) == len(PLANS[plan])
    for index, _ in PLANS[plan]:
        asked = [STEPS[index].ask, *(one.ask for one in STEPS[index].questions)]
        assert len(asked) == 3
        assert all("?" in one for one in asked)
    app = run("understand/teach", teach_plan=plan)
    links = [one.proto for one in app.get("page_link")]
    assert app.title[0].value.startswith(f"{plan} minutes, {len(links)} questions")
    assert len(links) == len(PLANS[plan])
    assert all("lecture=true" in link.query_string for link in links)


def opened(index, **given):
    app = at(STEPS[index].page)
    app.query_params.update(given.pop("query", None) or running_order.query(index, **given))
    app.run()
    assert [warning.value for warning in app.warning] == []
    return app


@pytest.mark.thorough
@pytest.mark.parametrize("index", range(len(STEPS)), ids=lambda index: STEPS[index].title)
def test_a_step_asks_before_it_answers_and_what_it_answers_is_on_the_page(index):
    step = STEPS[index]
    app = opened(index)
    assert step.ask in said(app)
    assert say.shown(step.answer()) not in said(app)
    assert [one.label for one in app.metric if not one.label.startswith("Published")] == []  # no number says it
    assert app.title[0].value == import_module(f"pages.{step.page.replace('/', '.')}.page").PAGE.title
    (link,) = [one.proto for one in app.get("page_link") if one.proto.label.startswith("Answer")]
    app = opened(index, query=parse_qs(link.query_string))
    assert say.shown(step.answer()) in said(app)
    screen = seen(app) + seen(opened(index, query={**step.state, running_order.STEP: str(index + 1), "answer": "true"}))
    for key, value in MOVED.get(step.title, {}).items():
        slider = next(widget for widget in [*app.select_slider, *app.slider] if widget.key == key)
        assert f"{value:g}" in step.act
        slider.set_value(value).run()
        screen += seen(app)
    assert numbers(step.answer()) - GIVEN <= numbers(screen)
    assert "nothing in this range" not in "".join(chart.proto.spec for chart in app.get("plotly_chart"))


MOVED = {"What no private learner can do": {"ll_records": 40}}  # what the room sees moved
GIVEN = {"0", "1"}  # of words and axes, not of a computation


@pytest.mark.parametrize("index", [1, 7])
def test_an_address_of_a_step_and_nothing_else_leads_to_it(index):
    app = at("understand/home")
    app.query_params[running_order.STEP] = str(index + 1)
    app.run()
    assert STEPS[index].ask in said(app)
    assert app.query_params == opened(index).query_params
    assert len(app.metric) == (1 if index == 1 else 0)  # the game's


def test_a_short_plan_goes_from_its_steps_to_its_steps():
    app = opened(2, plan=20)
    links = {one.proto.label: one.proto.query_string for one in app.get("page_link")}
    assert all(part in links["Next →"] for part in ("step=4", "plan=20"))
    assert f"2 of 4 · {STEPS[2].ask}" in said(app)


@pytest.mark.parametrize("step", ["0", "99", "٣"])
def test_a_link_to_no_step_shows_the_page_whole(step):
    app = run("understand/home", link={running_order.STEP: step})
    assert len(app.metric) > 3


def test_a_figure_of_an_open_question_has_not_played_and_has_no_colour_that_tells():
    def drawn(index, place=0, **given):
        return json.loads(opened(index, **given).get("plotly_chart")[place].proto.spec)

    for answered, runs in ((False, "1"), (True, "100")):
        words = drawn(3, int(answered), answered=answered)["layout"]["annotations"][0]["text"]
        assert words.startswith(f"k = {runs}<br>")
    first, whole = (drawn(6, answered=answered)["data"][-1] for answered in (False, True))
    assert (first["x"], first["text"][1]) == ([1.5, None], "<b></b>")
    assert first["y"][0] < 0.1
    assert whole["text"] == ["<b>bins 1 to 256 hold 3.46</b>", "<b>bin 74</b>"]
    assert "colorscale" not in drawn(7)["data"][0]["marker"]
    assert "marker.color" not in str(drawn(7))


def seen(app) -> str:
    """The cards, the prose and the sliders of the page, without what the lecture says of it."""
    shown = [part for card in app.metric for part in (card.label, card.value, card.delta)]
    prose = [item.value for item in [*app.markdown, *app.title] if " of 8 · " not in item.value]
    prose = [text for text in prose if text not in {say.shown(step.answer()) for step in STEPS}]
    return " ".join([*map(str, [*shown, *(one.value for one in [*app.select_slider, *app.slider])]), *prose])


def numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+(?:\.\d+)?", text))


def test_no_answer_is_seen_before_it_is_asked_for():
    hidden, shown = said(run("understand/teach")), said(run("understand/teach", teach_answers=True))
    for index, _ in PLANS[45]:
        step = STEPS[index]
        assert step.ask in hidden
        assert numbers(step.answer()) <= numbers(shown)
        for one in step.questions:
            assert all(say.shown(text) in hidden for text in (one.ask, one.heard))
            assert say.shown(one.reply) not in hidden
            assert say.shown(one.reply) in shown
    assert "See:" not in hidden


def test_a_hand_out_has_a_sheet_a_step_with_its_figure_on_the_back(monkeypatch):
    """It is made once it is asked for, when no page is being drawn."""
    makers = []
    monkeypatch.setattr(say, "download_button", lambda label, data, **_: makers.append(data))
    with monkeypatch.context() as drawn:
        drawn.setattr(type(st.context), "url", property(lambda _: "http://192.168.1.20:8501/teach"))
        app = run("understand/teach", teach_tab="Hand-out")
        assert len(app.warning) == 0
        lecturer, room = (make().decode() for make in makers[-2:])
        assert all("href='http://192.168.1.20:8501/?step=8'" in text for text in (lecturer, room))
        drawn.setattr(type(st.context), "url", property(lambda _: "http://localhost:8501/teach"))
        app = run("understand/teach", teach_tab="Hand-out")
        assert "Only this computer" in app.warning[0].value
    sheets = room.split("<div class='side'>")[1:]
    assert len(sheets) == 2 * 8
    for front, back in zip(sheets[::2], sheets[1::2], strict=True):
        assert front.count("<svg") == 1
        assert "stroke-width" not in front
        assert "stroke-width" in back
    assert escape(STEPS[0].answer()) in lecturer


def test_the_hand_out_keeps_answers_from_the_room_and_is_inert():
    stop = Stop(
        "Rows <b>", 0, 5, "http://host/?a=1&b=2", "Say it.", "Who?", "Drag it.", "Row 7.", [("And?", "Both.", "None.")]
    )
    room, lecturer = room_html("A lecture", [stop]), lecturer_html("A lecture", [stop])
    hidden = ("Row 7.", "Say it.", "Drag it.", "Both.", "None.")
    assert not any(words in room for words in hidden)
    assert all(words in lecturer for words in (*hidden, "Who?", "And?"))
    for text in (room, lecturer):
        assert "Rows &lt;b&gt;" in text
        assert "a=1&amp;b=2" in text
        assert not re.search(r"<script|<img|<link|src=", text)
