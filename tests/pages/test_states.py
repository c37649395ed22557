"""The address is the state: a page opened by the address of another screen shows that screen."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.exhibits.gallery import EXHIBITS
from dpcore.statements.entries import STATEMENTS
from pages.components.lecture_steps import STEPS
from pages.understand.learn.words import LESSONS
from tests.contracts.page import CONTROLS, PAGES
from tests.pages.tabs import examples, run

pytestmark = pytest.mark.usefixtures("same_chance")


def screen(app: AppTest) -> dict[str, Any]:
    """What can be seen: cards, charts and controls."""
    controls = {one.key: one.value for kind in CONTROLS for one in app.get(kind) if one.key}
    return {
        "cards": [(card.label, card.value, card.delta) for card in app.metric],
        "charts": [chart.proto.spec for chart in app.get("plotly_chart")],
        "controls": controls,
        "said": [one.value for one in (*app.error, *app.warning)],
    }


def address(app: AppTest) -> dict[str, list[str]]:
    """What the address says."""
    return {name: [said] if isinstance(said, str) else list(said) for name, said in app.query_params.items()}


def check_is_held_by_its_address(page: str, app: AppTest) -> None:
    again = run(page, link=address(app))
    shown, found = screen(app), screen(again)
    assert (found["controls"], found) == (shown["controls"], shown)
    assert address(again) == address(app)


def pressed(page: str, preset: str) -> AppTest:
    app = run(page)
    (button,) = (one for one in app.button if (one.key or "").endswith(f"_preset_{preset}"))
    button.click().run()
    assert not app.exception, app.exception
    return app


@pytest.mark.parametrize("step", range(len(STEPS)))
def test_a_step_of_the_lecture_is_what_its_address_says(step):
    here = STEPS[step]
    for state in (here.state, {**here.state, **here.shown}):
        app = run(here.page, link=state)
        assert not app.warning
        for name, value in address(app).items():
            assert value == ([state[name]] if isinstance(state[name], str) else list(state[name]))
        check_is_held_by_its_address(here.page, app)


@pytest.mark.parametrize("key", [key for key, lesson in LESSONS.items() if lesson.query])
def test_what_a_lesson_leads_to_is_what_its_link_says(key):
    lesson = LESSONS[key]
    app = run(lesson.page, link=lesson.query)
    assert not app.warning
    assert lesson.query.keys() <= screen(app)["controls"].keys()


@pytest.mark.thorough
@pytest.mark.parametrize("page", sorted({one.page for one in (*EXHIBITS.values(), *STATEMENTS) if one.page}))
def test_what_the_gallery_opens_is_held_by_its_address(page):
    here = [one for one in (*EXHIBITS.values(), *STATEMENTS) if one.page == page]
    for state in {repr(one.state): one.state for one in here}.values():
        check_is_held_by_its_address(page, run(page, **state))


def test_what_is_chosen_of_a_sample_is_held_by_the_address():
    app = run("your_data/per_instance", source="messy", data_messy_intercept=True)
    assert "data_messy_intercept" in address(app)
    check_is_held_by_its_address("your_data/per_instance", app)


@pytest.mark.thorough
@pytest.mark.parametrize("page", [page for page in PAGES if examples(page)])
def test_every_preset_is_held_by_its_address(page):
    for preset in examples(page):
        check_is_held_by_its_address(page, pressed(page, preset))
