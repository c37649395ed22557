"""Of the sections of a tab the chosen one is made, and what somebody typed."""

from streamlit.testing.v1 import AppTest


def _nested():
    import streamlit as st

    from pages.components import cards

    def section(name):
        return lambda: st.markdown(f"this is {name}")

    second = {name: section(name) for name in ("one", "two", "typed")}
    tabs = {"First": section("the first tab"), "Second": second, "Third": {"alone": section("alone")}}
    cards.tabs(tabs, key="tt_tab", kept=("typed",), former={"old two": "two"})


def made(**state) -> list[str]:
    app = AppTest.from_function(_nested)
    for key, value in state.items():
        app.session_state[key] = value
    app.run()
    assert not app.warning
    return [item.value.removeprefix("this is ") for item in app.markdown]


def test_of_a_tabs_sections_the_chosen_one_and_those_typed_in_are_made():
    assert made() == ["the first tab", "typed"]
    assert made(tt_tab="Second") == ["one", "typed"]
    assert made(tt_tab="Second", tt_tab_Second="two") == ["two", "typed"]
    assert made(tt_tab="Third") == ["typed", "alone"]


def test_a_section_is_opened_as_a_tab_was_by_its_name_or_a_former_one():
    assert made(tt_tab="two") == made(tt_tab="old two") == ["two", "typed"]
    assert made(tt_tab="alone") == ["typed", "alone"]
    app = AppTest.from_function(_nested)
    app.query_params["tt_tab"] = "two"
    app.run()
    assert not app.warning
    assert {name: app.query_params[name] for name in app.query_params} == {"tt_tab": "Second", "tt_tab_Second": "two"}
