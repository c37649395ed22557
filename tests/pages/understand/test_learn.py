"""The lessons' page: a guess before the picture, an answer by the slider, progress in the link, the way on."""

import numpy as np
import pytest
from scipy.stats import norm

from dpcore.exhibits.lessons import study as lessons
from pages.understand.learn.words import LESSONS
from tests.exhibits.test_lessons import DATA, WHOLE, positions, read
from tests.pages.tabs import figure_in, run
from tests.pages.test_live import numbers

PAGE = "understand/learn"


def slider(app, name):
    return next(one for one in (*app.select_slider, *app.slider) if one.key == f"learn_{name}")


def place(key, position):
    return int(position) if key in WHOLE else position


def move(app, name, position):
    slider(app, name).set_value(place(name.removesuffix("_guess").removesuffix("_again"), position)).run()


def drawn(app):
    """Traces with points of the lesson's chart, by name."""
    figure = figure_in(app)
    traces = {one.get("name"): {**one, "x": numbers(one["x"])} for one in figure["data"]}
    return {name: one for name, one in traces.items() if one["x"] != [None]}


def press(app, key):
    return app.button(key=key).click().run()


def committed(key):
    return press(press(run(PAGE, learn_lesson=key), "learn_commit"), "learn_reveal")


@pytest.mark.parametrize("key", LESSONS)
def test_nothing_is_told_before_the_guess_and_then_the_guess_stands_beside_the_truth(key):
    app = run(PAGE, learn_lesson=key)
    traces = drawn(app)
    assert [len(shown) for shown in (app.metric, app.info, app.success, app.tabs)] == [0, 0, 0, 0]
    assert "learn_next" not in {one.key for one in app.button}
    assert set(traces) <= {"your guess", "numbers", "patients", "chosen"}
    press(app, "learn_commit")  # a wrong guess gives nothing away but which way to go
    assert len(app.metric) == len(app.tabs) == 0
    assert not {"the answer", "exact", "best attack"} & set(drawn(app))
    assert app.info[0].value.startswith("Not yet.")
    press(app, "learn_reveal")
    guess, truth = LESSONS[key].slider[-2], read(key, LESSONS[key].slider[-2]).truth
    traces = drawn(app)
    if key == "exposed":
        found = lessons.exposures(DATA)
        assert traces["your guess"]["x"] == [found.leverage[guess - 1]]
        assert traces["the answer"]["x"] == [found.leverage[int(np.argmax(found.epsilon))]]
    elif key in ("temperature", "audit"):
        for name, at in (("your guess", guess), ("the answer", truth)):
            np.testing.assert_array_equal(numbers(traces[name]["y"]), read(key, at).curves[-1].y)
    else:
        assert (traces["your guess"]["x"], traces["the answer"]["x"]) == ([guess, guess], [truth, truth])
    assert slider(app, f"{key}_guess").disabled
    assert slider(app, key).value == guess
    assert app.info[0].value.startswith("Not yet.")


def test_the_answer_keeps_the_last_guess_and_its_headline_compares_it_with_what_was_wanted():
    app = run(PAGE, learn_lesson="epsilon")
    assert app.title[0].value == LESSONS["epsilon"].question
    press(app, "learn_commit")
    slider(app, "epsilon_again").set_value(13.0).run()
    press(app, "learn_reveal")
    assert (slider(app, "epsilon_guess").value, slider(app, "epsilon").value) == (1.0, 13.0)
    found = 100 * (1 - norm.cdf(norm.ppf(0.95) - 1 / 13))
    assert app.title[0].value == f"Attacker finds Ada: {found:.1f} %; wanted: 9 % to 10 %"


@pytest.mark.parametrize("key", LESSONS)
def test_a_second_guess_is_called_warmer_or_colder_or_right(key):
    app = press(run(PAGE, learn_lesson=key), "learn_commit")
    places = positions(key)
    first = places.index(LESSONS[key].slider[-2])
    right = next(i for i, position in enumerate(places) if read(key, position).solved)
    words = {0: "Colder", right - 1: "Warmer"} if right > first else {len(places) - 1: "Colder", right + 1: "Warmer"}
    if key == "exposed":
        words = {int(np.argmin(lessons.exposures(DATA).epsilon)): "Colder"}
    for other, word in words.items():
        if other != first and not read(key, places[other]).solved:
            move(app, f"{key}_again", places[other])
            assert app.info[0].value.startswith(f"{word} than your guess.")
    move(app, f"{key}_again", places[right])
    assert app.success[0].value.startswith("Right.")
    assert (len(app.metric), app.session_state["learn_done"]) == (0, [key])


@pytest.mark.parametrize("key", LESSONS)
def test_every_lesson_is_solved_by_its_slider_and_runs_at_both_ends(key):
    app = committed(key)
    for end in (positions(key)[0], positions(key)[-1]):
        move(app, key, end)
    move(app, key, next(position for position in positions(key) if read(key, position).solved))
    assert app.success[0].value == f"Right. {LESSONS[key].right}"
    assert app.session_state["learn_done"] == [key]
    if key != "audit":
        assert app.metric[1].label == "At your guess"
        assert app.metric[1].value != app.metric[0].value


def test_progress_is_kept_in_the_link_and_can_be_forgotten():
    app = committed("epsilon")
    move(app, "epsilon", 2.8)
    app.button(key="learn_next").click().run()
    assert app.query_params["learn_done"] == "1"
    for one in (app, run(PAGE, link=dict(app.query_params.items()))):
        assert (one.session_state["learn_done"], one.radio(key="learn_lesson").value) == (["epsilon"], "curves")
    app.button(key="learn_forget").click().run()
    assert (app.session_state["learn_done"], app.radio(key="learn_lesson").value) == ([], "epsilon")
    assert not slider(app, "epsilon_guess").disabled
