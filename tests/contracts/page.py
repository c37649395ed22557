"""What every page of the navigation must satisfy; each check takes the page's folder below pages/ and fails on its own.

A new page needs nothing here. A page that shows no number by itself (it has no tab of formulas) is only opened.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import SelectSlider

from pages.components.words import number
from pages.server.main import NAVIGATION
from tests.pages.tabs import ROOT, at, code, examples, open_tab, places, program, run

PAGES = [f"{group.lower().replace(' ', '_')}/{name}" for group, pages in NAVIGATION.items() for name in pages]
CONTROLS = (
    "slider", "select_slider", "number_input", "radio", "selectbox", "multiselect", "toggle", "button_group", "text_input",
)  # fmt: skip
SLIDERS = ("slider", "select_slider", "number_input")
SLOW = {"fit"}  # a learner on thousands of rows, many times
NO_FIGURE = ("understand/teach", "understand/output_perturbation")  # the second waits for data
SHARED = ("source", "data_")  # what is asked about a data set is asked alike wherever one is chosen


def opened(page: str) -> AppTest:
    """The page, with the answer to what it asks first."""
    app = run(page)
    for key in ("learn_commit", "learn_reveal"):
        for button in app.button:
            if button.key == key:
                button.click().run()
    return app


@cache
def first(page: str) -> AppTest:
    """The page as it opens; only to be looked at."""
    return opened(page)


def bound(app: AppTest) -> dict[str, Any]:
    """Controls that stand in the address, by their name there."""
    widgets = [one for one in [*app.main, *app.sidebar] if getattr(getattr(one, "proto", None), "query_param_key", "")]
    return {one.proto.query_param_key: one.value for one in widgets}


def tab_keys(app: AppTest) -> list[str]:
    """Rows of tabs of which only the open one is made."""
    return [key for key in app.session_state._state.filtered_state if str(key).endswith("_tab")]


def titles(app: AppTest) -> set[str]:
    """Of all tabs and their sections."""
    return {title for key in tab_keys(app) for title in places(app, key)}


def tab(page: str, title: str) -> AppTest:
    """The page with this tab open."""
    app = opened(page)
    for key in tab_keys(app):
        if title in places(app, key):
            open_tab(app, key, title)
    return app


def check_says_what_it_is(page: str) -> None:
    app = first(page)
    assert len(app.title) == 1
    sentence = str(import_module(f"pages.{page.replace('/', '.')}.page").PAGE.sentence)
    assert sentence in {one.value for one in app.markdown}
    assert 60 < len(sentence) < 320
    assert sentence.endswith(".")
    if page.startswith("understand/") and page not in NO_FIGURE:
        assert "lecture_mode" in {one.key for one in app.button}  # one figure can fill the window
    if "What to notice" in titles(app):
        assert any(one.value.startswith("- ") and len(one.value) > 100 for one in tab(page, "What to notice").markdown)
    if "Formula" in titles(app):
        assert {"What to notice", "Formula", "Share"} <= titles(app)
        assert len(app.metric) >= 2
        assert tab(page, "Formula").latex
        assert tab(page, "Share").get("download_button")


def check_every_preset_draws(page: str) -> None:
    """Opened afresh it shows a chart with something in it, and asks for no press of a button."""
    for name, values in examples(page).items():
        app = run(page, **values)
        drawn = [one for one in app.get("plotly_chart") if json.loads(one.proto.spec)["data"]]
        assert drawn or any("drawing" in one.proto.component_name for one in app.get("bidi_component")), name
        assert not [one.value for one in app.info if re.search(r"\b[Pp]ress\b", one.value)], name


def check_every_tab_opens(page: str) -> None:
    app = opened(page)
    for key in tab_keys(app):
        for title in places(app, key):
            open_tab(app, key, title)


def alone(said: object) -> Iterator[np.ndarray]:
    """What a line says, number by number and array by array."""
    if isinstance(said, (tuple, list)):
        for part in said:
            yield from alone(part)
    elif is_dataclass(said):
        yield from alone([value for value in vars(said).values() if isinstance(value, float)])
    elif isinstance(said, pd.DataFrame):
        yield said.select_dtypes("number").to_numpy()
    elif isinstance(said, (float, np.ndarray)):
        yield np.ravel(said)


def numbers(said: object) -> Iterator[str]:
    """Every number in what a line says, as a page may write it."""
    for array in alone(said):
        for value in np.ravel(array).tolist():
            yield from (*(number(value, digits) for digits in (2, 3, 4)), f"{100 * value:.1f} %")


def words(*said: str) -> set[str]:
    """What stands on a card, and its parts."""
    said = tuple(word.replace("\u00a0%", " %") for word in said)
    return {*said, *(part.strip("[],()") for word in said for part in word.replace("nats", "").split(" "))}


def check_code_makes_what_is_shown(page: str) -> None:
    """The lines of the Code tab import dpcore alone, run, and say a number that a card shows, where they say one at once.

    Where a card shows none of them, none of those that no card shows is off by 1 % to 10 % of it.
    """
    app = tab(page, "Code")
    if "Code" not in titles(app):
        return
    if any(isinstance(node, ast.Attribute) and node.attr in SLOW for node in ast.walk(code(app))):
        return
    said, names = program(app)
    assert said or names
    found, shown = set(numbers(said)), words(*(word for card in app.metric for word in (card.value, card.delta or "")))
    if not found or any("yet" in card.value for card in app.metric):
        return
    assert found & shown, (sorted(found)[:20], shown)
    given = {node.value for node in ast.walk(code(app)) if isinstance(node, ast.Constant)}
    missing = [float(one[0]) for one in alone(said) if one.size == 1 and not shown & set(numbers(one))]
    missing = [one for one in missing if one not in given]
    for card in app.metric:
        read = re.search(r"\d+(\.\d+)?$|\d+(\.\d+)?(?= %$| nats$)", card.value)
        if read and not found & words(card.value):
            value = float(read[0]) / (100 if "%" in card.value else 1)
            near = [other for other in missing if 0.01 * value < abs(other - value) < 0.1 * value]
            assert not near, (card.label, card.value, near)


@cache
def named(page: str) -> set[str]:
    """Names of controls that stand in the page's own files, shown now or not."""
    nodes = [
        node for file in (ROOT / "pages" / page).glob("*.py") for node in ast.walk(ast.parse(file.read_text("utf-8")))
    ]
    keys = [node.value for node in nodes if isinstance(node, ast.keyword) and node.arg == "key"]
    return {key.value for key in keys if isinstance(key, ast.Constant) and "_" in key.value}


def check_names_no_control_like_another_page(page: str) -> None:
    own = {key for key in {*bound(first(page)), *named(page)} if not key.startswith(SHARED)}
    for other in PAGES:
        if other != page:
            assert not own & {*bound(first(other)), *named(other)}, other


def check_link_round_trip(page: str) -> None:
    """A slider that was moved stands in the address, and the address shows the same page."""
    app = opened(page)
    for slider in [one for kind in SLIDERS for one in app.get(kind) if one.key in bound(app) and not one.disabled][:1]:
        moved(app, slider.key)
        assert slider.key in app.query_params
        again = at(page)
        again.query_params.update(app.query_params)
        again.run()
        assert bound(again) == bound(app)


def check_bad_link_is_answered(page: str) -> None:
    """Every control falls back to its default, and says so."""
    wanted = bound(first(page) if not first(page).button else run(page))
    again = at(page)
    again.query_params.update({key: ["zz", "1e999"] for key in wanted})
    again.run()
    said = [block.value for block in again.warning if "the link asks for" in block.value]
    assert len(said) == len(wanted)
    assert bound(again) == wanted


class _Named(SelectSlider):
    """A slider over a list, moved to what it shows: the test kit knows no values but the one it stands at."""

    @property
    def _widget_state(self):
        from streamlit.proto.WidgetStates_pb2 import WidgetState

        state = WidgetState()
        state.id = self.id
        state.string_array_value.data[:] = [self.options[self.chosen]]
        return state


def choose(slider: SelectSlider, place: int) -> None:
    """Set a slider over a list to what stands there in it."""
    slider.__class__ = _Named
    slider.chosen = place
    slider.set_value(slider.options[place])


def moved(app: AppTest, key: str, share: float = 0.25) -> bool:
    """The page after a slider went by a quarter of its range; False where it cannot be moved."""
    slider = next(one for kind in SLIDERS for one in app.get(kind) if one.key == key)
    if slider.disabled:
        return False
    if slider.type == "select_slider":
        here = [one.encode() for one in slider.options].index(shown_value(slider).encode())
        step = max(1, round(share * len(slider.options)))
        choose(slider, here + step if here + step < len(slider.options) else here - step)
    else:
        span, step = slider.max - slider.min, slider.step or 1
        by = step * max(1, round(share * span / step))
        slider.set_value(
            type(slider.value)(slider.value + by if slider.value + by <= slider.max else slider.value - by)
        )
    app.run()
    return True


def shown_value(slider: SelectSlider) -> str:
    """What a slider over a list shows."""
    return str(slider.format_func(slider.value))


CHECKS = [check for name, check in list(globals().items()) if name.startswith("check_")]
