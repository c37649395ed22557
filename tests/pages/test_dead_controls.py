"""Sliders in every view of every page: moved, each changes something on screen; at their ends, all of them are answered."""

import re

import pytest

import dpcore as dp
from dpcore.exhibits.composition import sampled
from pages.understand.composition import growth
from tests.contracts.page import CONTROLS, PAGES, SLIDERS, choose, moved
from tests.pages.tabs import run
from tests.pages.test_states import address, pressed, screen

pytestmark = pytest.mark.usefixtures("same_chance")

VIEWS = ("button_group", "radio")
COUNTED = re.compile("_(count|runs)")


def seen(app) -> dict:
    """All that a reader sees but the controls themselves."""
    kinds = ("arrow_data_frame", "imgs", "progress", "bidi_component")
    drawn = [one.proto.SerializeToString() for kind in kinds for one in app.get(kind)]
    said = [one.value for one in (*app.markdown, *app.caption, *app.code, *app.info, *app.success)]
    return screen(app) | {"controls": None, "drawn": drawn, "said": said}


def views(page):
    """(name, page) of the page as it opens, of each preset, and of each choice of a view."""
    first = run(page)
    yield "as it opens", first
    for preset in [button.label for button in first.button if "_preset_" in (button.key or "")]:
        yield preset, pressed(page, preset)
    for kind in VIEWS:
        for choice in run(page).get(kind):
            if not choice.key or choice.disabled or isinstance(choice.value, list):
                continue
            for option in choice.options:
                app = run(page)
                control = next(one for one in app.get(kind) if one.key == choice.key)
                control.set_value(getattr(option, "content", option)).run()
                yield f"{choice.key} = {getattr(option, 'content', option)}", app


def changes_nothing(app, key: str) -> bool:
    before = seen(app)
    return moved(app, key) and seen(app) == before


def dead(page) -> list[tuple[str, str]]:
    """(view, key) of sliders that change nothing."""
    tried, found = set(), []
    for name, app in views(page):
        shown, start = frozenset(screen(app)["controls"]), address(app)
        for key in [one.key for kind in SLIDERS for one in app.get(kind) if one.key]:
            if (shown, key) in tried or key not in screen(app)["controls"] or key.endswith("_guess"):
                continue  # a guess is hidden until it is made
            tried.add((shown, key))
            if changes_nothing(app, key) and changes_nothing(run(page, link=start), key):
                found.append((name, key))  # not only after what the sliders before it have done
    assert tried or not run(page).slider
    return found


def others(app) -> str:
    """What decides a page whose sliders are all at an end: which there are, and its other controls."""
    kinds = [kind for kind in CONTROLS if kind not in ("slider", "select_slider")]
    lists, ends = (
        {one.key: one.options for one in app.select_slider},
        {one.key: (one.min, one.max) for one in app.slider},
    )
    return repr((lists, ends, [(one.key, one.value) for kind in kinds for one in app.get(kind)]))


@pytest.fixture
def coarse(monkeypatch):
    """Compositions are computed on few points: at the largest counts they take minutes, and only an answer is asked for."""
    few, compose = {"width": 0.1, "max_points": 2**12}, dp.compose
    monkeypatch.setattr(sampled, "DRAWN", few)
    monkeypatch.setattr(growth, "COUNTS", (1, 2))
    monkeypatch.setattr(dp, "compose", lambda parts, method="pld", **_: compose(parts, method, **few))


@pytest.mark.thorough
@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("page", PAGES)
def test_all_sliders_at_both_ends_have_an_answer_or_a_sentence(page):
    """Nothing may raise: see `tests/pages/tabs.py`. Views that differ in sliders alone are one view there.

    Counts go halfway only: a million releases are asked of the accountants, and take the page a minute.
    """
    tried = set()
    for name, app in views(page):
        if others(app) in tried:
            continue
        tried.add(others(app))
        answered = bool(app.metric)
        for end in (0, -1):
            for slider in app.select_slider:
                choose(slider, len(slider.options) // 2 if end and COUNTED.search(slider.key) else end)
            for slider in app.slider:
                slider.set_value((slider.min, slider.max)[end])
            app.run()
            assert not answered or app.metric or app.error or app.info or app.get("progress"), (name, end)


@pytest.mark.thorough
@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("page", PAGES)
def test_every_slider_changes_something(page):
    assert dead(page) == []
