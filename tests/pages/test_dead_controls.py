"""Sliders in every view of every page: moved, each changes something on screen; at their ends, all of them are answered."""

import pytest

from tests.contracts.page import PAGES, SLIDERS, choose, moved
from tests.pages.tabs import run
from tests.pages.test_states import address, pressed, screen

pytestmark = pytest.mark.usefixtures("same_chance")

VIEWS = ("button_group", "radio")


def seen(app) -> dict:
    """All that a reader sees but the controls themselves."""
    drawn = [
        one.proto.SerializeToString() for kind in ("arrow_data_frame", "imgs", "progress") for one in app.get(kind)
    ]
    said = [one.value for one in (*app.markdown, *app.caption, *app.code, *app.info, *app.success)]
    own = [one.proto.SerializeToString() for one in app.get("bidi_component")]
    return screen(app) | {"controls": None, "drawn": drawn, "said": said, "own": own}


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


@pytest.mark.thorough
@pytest.mark.parametrize("page", PAGES)
def test_every_slider_changes_something(page):
    assert dead(page) == []


@pytest.mark.thorough
@pytest.mark.parametrize("page", PAGES)
def test_all_sliders_at_both_ends_have_an_answer_or_a_sentence(page):
    """Nothing may raise: see `tests/pages/tabs.py`."""
    for name, app in views(page):
        answered = bool(app.metric)
        for end in (0, -1):
            for slider in app.select_slider:
                choose(slider, end)
            for slider in app.slider:
                slider.set_value((slider.min, slider.max)[end])
            app.run()
            assert not answered or app.metric or app.error or app.info or app.get("progress"), (name, end)
