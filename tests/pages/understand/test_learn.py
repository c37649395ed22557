"""The lessons' page: every lesson opens, can be solved by its slider, is remembered, and leads on."""

import pytest

from pages.understand.learn.words import LESSONS
from tests.pages.tabs import run
from tests.studies.test_lessons import positions, read

PAGE = "understand/learn"


def slider(app, key):
    name = f"learn_{key}"
    return next(one for one in (*app.select_slider, *app.slider) if one.key == name)


@pytest.mark.parametrize("key", LESSONS)
def test_every_lesson_is_solved_by_its_slider(key):
    app = run(PAGE)
    app.radio(key="learn_lesson").set_value(key).run()
    assert not app.exception
    assert app.info[0].value.startswith("Not yet.")
    assert app.metric[1].value == f"0 of {len(LESSONS)}"
    answer = next(position for position in positions(key) if read(key, position).solved)
    slider(app, key).set_value(answer if key not in ("composition", "exposed", "limits") else int(answer)).run()
    assert not app.exception
    assert app.success[0].value == f"Right. {LESSONS[key].right}"
    assert app.metric[1].value == f"1 of {len(LESSONS)}"


def test_progress_is_kept_and_can_be_forgotten():
    app = run(PAGE)
    slider(app, "epsilon").set_value(3.0).run()
    app.button(key="learn_next").click().run()
    assert app.radio(key="learn_lesson").value == "curves"
    assert app.metric[1].value == f"1 of {len(LESSONS)}"
    app.button(key="learn_forget").click().run()
    assert app.metric[1].value == f"0 of {len(LESSONS)}"


@pytest.mark.parametrize("key", LESSONS)
def test_extremes_run(key):
    app = run(PAGE)
    app.radio(key="learn_lesson").set_value(key).run()
    ends = positions(key)[0], positions(key)[-1]
    for end in ends:
        slider(app, key).set_value(end if key not in ("composition", "exposed", "limits") else int(end)).run()
        assert not app.exception, app.exception
