"""A path over several states, each step of which opens what it names."""

from pages.components.path import MECHANISM, SAMPLING
from tests.pages.tabs import places, run


def test_steps_of_this_page_open_its_sections_and_the_others_lead_away():
    app = run(MECHANISM)
    assert {link.proto.label for link in app.get("page_link")} == {f"1 · {SAMPLING.steps[0][0]}"}
    for number in (3, 2):
        _, where, state = SAMPLING.steps[number - 1]
        assert where == MECHANISM
        app.button(key=f"sampling_path_{number}").click().run()
        wanted = places(app, "em_tab")[state["em_tab"]]
        assert {name: app.session_state[name] for name in wanted} == wanted
