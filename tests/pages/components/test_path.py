"""A path over several states, each step of which opens what it names."""

from pages.components.path import AUGMENTATION, MECHANISM, NOISE_AS_ROWS, SAMPLING
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


def test_rows_of_noise_lead_to_their_penalty_and_to_what_privacy_survives():
    app, headlines = run(AUGMENTATION), []
    for number, (_, _, state) in enumerate(NOISE_AS_ROWS.steps, 1):
        app.button(key=f"rows_path_{number}").click().run()
        assert {name: app.session_state[name] for name in state} == state
        headlines.append(app.title[0].value)
    assert len(set(headlines)) == 3
    assert "no ε at all holds" in headlines[-1]
