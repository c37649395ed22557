"""A lecture's window: its state is in the link, charts get type for the last row, and only pages with a figure have it."""

import json

import pytest
import streamlit as st

from pages.components import full_window, running_order
from pages.components.lecture_steps import STEPS
from pages.server.main import SHOWN
from tests.pages.tabs import run, said


def smallest_type(app) -> list[float]:
    """Of each chart's ticks, labels and legend by default."""
    specs = [json.loads(chart.proto.spec)["layout"]["template"]["layout"] for chart in app.get("plotly_chart")]
    parts = [(one["font"], one["legend"]["font"], one["xaxis"]["tickfont"]) for one in specs]
    return [min(font["size"] for font in fonts) for fonts in parts]


def test_buttons_write_the_link_and_the_link_enlarges_charts():
    app = run("understand/privacy_curves")
    assert max(smallest_type(app)) < 16
    assert app.button(key="lecture_mode").proto.shortcut == "f"
    app.button(key="lecture_mode").click().run()
    assert app.query_params["lecture"] == "true"
    assert min(smallest_type(app)) >= 22
    assert app.button(key="lecture_numbers").proto.shortcut == "s"
    app.button(key="lecture_numbers").click().run()
    assert app.query_params["numbers"] == "true"
    app.button(key="lecture_numbers").click().run()
    assert "numbers" not in app.query_params
    app.button(key="lecture_figure").click().run().button(key="lecture_figure").click().run()
    assert (app.query_params["figure"], app.button(key="lecture_leave").proto.shortcut) == ("3", "escape")
    app.button(key="lecture_leave").click().run()
    assert not {"lecture", "numbers", "figure"} & set(app.query_params)
    assert max(smallest_type(app)) < 16


def test_a_full_window_keeps_what_is_played_and_what_commits_a_guess(monkeypatch):
    def held(app, place: str) -> set[str]:
        return {button.key for one in app.expander if one.label == place for button in one.button}

    monkeypatch.setattr(full_window, "above", lambda: st.expander("above"))
    monkeypatch.setattr(full_window, "beside", lambda: st.expander("beside"))
    assert held(run("understand/home", link={"lecture": "true"}), "above") == {"home_guess_1", "home_guess_2"}
    app = run("understand/learn", link={"lecture": "true"})
    assert held(app, "beside") == {"learn_commit"}
    app.button(key="learn_commit").click().run()
    assert held(app, "beside") == {"learn_reveal"}
    app.button(key="learn_reveal").click().run()
    assert held(app, "beside") == {"learn_next"}


@pytest.mark.parametrize("figure", ["0", "-1", "x", "9999", "٣"])
def test_a_link_to_no_figure_shows_the_page(figure):
    app = run("understand/privacy_curves", link={"lecture": "true", "figure": figure})
    assert min(smallest_type(app)) >= 22


def test_pages_without_a_figure_forget_it():
    app = run("understand/teach", link={"lecture": "true", "numbers": "true"})
    assert "lecture_mode" not in {button.key for button in app.button}
    assert not {"lecture", "numbers"} & set(app.query_params)


def test_every_step_of_the_lecture_has_a_figure_for_the_full_window():
    assert {running_order.address(step.page) for step in STEPS} <= SHOWN


def test_a_step_of_the_lecture_keeps_the_window_and_hides_the_numbers():
    link = {**running_order.query(3), "lecture": "true", "numbers": "true"}
    app = run("understand/composition", link=link)
    assert STEPS[3].ask in said(app)
    queries = [link.proto.query_string for link in app.get("page_link") if link.proto.label in ("← Back", "Next →")]
    assert len(queries) == 2
    assert all("lecture=true" in query and "numbers" not in query for query in queries)


def test_the_sliders_and_figures_of_a_lecture_are_on_their_pages():
    """A key that was renamed leaves the lecture with another slider."""
    pages = {
        "co": ("composition", {"co_view": "growth", "co_rows": 1, "co_methods": ["renyi"]}),
        "ll": ("learning_limits", {"ll_view": "packing"}),
        "out": ("output_perturbation", {"source": "diabetes"}),
    }
    for key, figures in full_window.SLIDERS.items():
        name, state = pages[key.split("_")[0]]
        app = run(f"understand/{name}", **state)
        assert key in {slider.key for slider in [*app.slider, *app.select_slider]}
        for figure in figures:
            assert any(chart.proto.id.endswith(figure) for chart in app.get("plotly_chart")), figure
