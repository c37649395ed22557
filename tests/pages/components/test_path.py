"""Sampling instead of noise: a path over two pages, each step of which opens what it names."""

from pages.components.path import LIMITS, MECHANISM, STEPS
from tests.pages.tabs import places, run


def test_steps_of_this_page_open_its_sections_and_the_others_lead_away():
    app = run(MECHANISM)
    assert {link.proto.label for link in app.get("page_link")} == {f"1 · {STEPS[0][0]}"}
    for number in (3, 2):
        _, where, state = STEPS[number - 1]
        assert where == MECHANISM
        app.button(key=f"sampling_path_{number}").click().run()
        wanted = places(app, "em_tab")[state["em_tab"]]
        assert {name: app.session_state[name] for name in wanted} == wanted


def test_the_first_step_is_a_view_of_learning_limits():
    app = run(LIMITS, link=STEPS[0][2])
    assert app.session_state["ll_view"] == "sampling"
    assert len(app.get("page_link")) == 2
    assert not run(LIMITS).get("page_link")
