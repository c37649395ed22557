"""A lecture's window: its state is in the link, charts get type for the last row, and only pages with a figure have it."""

import json

import pytest

from pages.components import full_window, running_order
from pages.components.lecture_steps import STEPS
from pages.server.main import SHOWN
from tests.pages.tabs import run


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
    app.button(key="lecture_figure").click().run()
    assert (app.query_params["figure"], app.button(key="lecture_leave").proto.shortcut) == ("2", "escape")
    app.button(key="lecture_leave").click().run()
    assert not {"lecture", "numbers", "figure"} & set(app.query_params)
    assert max(smallest_type(app)) < 16


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
