"""The script of a drawing with handles, on a blank page: what it draws, and what it sends when handles are moved."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from plotly.io.json import to_json_plotly

from dpcore.profiles.curves import Curve
from pages.components import drawing

HERE = Path(drawing.__file__).parent
SCRIPT = (HERE / "drawing.js").read_text(encoding="utf-8")
BODY = f"""<style>{(HERE / "drawing.css").read_text(encoding="utf-8")}</style>
<div class="st-key-noise"><input type="range" min="1" max="2" step="0.5" value="1"></div>
<div class="st-key-cut"><input type="range" min="-3" max="3" step="0.1" value="1"></div>
<div class="host" style="width: 660px">{(HERE / "drawing.html").read_text(encoding="utf-8")}</div>"""
UPDATE = "(data) => { stage.update(data, document.querySelector('.host')); }"
SET = """([key, value]) => { const input = document.querySelector(`.st-key-${key} input`);
  input.value = value; input.setAttribute("value", value); return stage.real(); }"""
X = np.linspace(-3.0, 3.0, 13)
HEIGHTS = (1.0, 2.0, 3.0, 2.0, 1.0)
PLACES = (-2.0, -1.0, 0.0, 1.0, 2.0)
F = drawing.Handles("f", "F", "#0072b2", PLACES, HEIGHTS, 0.0, 5.0, 0.05)
G = drawing.Handles("g", "G", "#d55e00", (-2.0, 0.0, 2.0), (5.0, 5.0, 5.0), 0.0, 5.0, 0.05)
CUT = drawing.Handles("cut", "Cut", "#111111", (), (1.0,), -2.5, 2.5, 0.1, rides="slope")
SLOPE = drawing.Line(Curve("slope", X, X + 3.0), "#009e73", "dash", 3.0, "slope")
PLAIN = drawing.Drawing("Two curves", (-3.0, 3.0), (0.0, 6.0), "x", "height", [SLOPE], [F, G], height=348, hint="Drag.")
RIDING = replace(
    PLAIN,
    handles=[CUT],
    shades=[drawing.Shade("slope", "left", "#0000ff"), drawing.Shade("slope", "right", "#ff0000")],
    frames=drawing.Frames("noise", [[(X + 3.0).tolist()], [np.full(13, 2.0).tolist()], [np.full(13, 4.0).tolist()]]),
)
SCALE, TOP, LEFT = (100.0, 50.0), 8.0, 48.0  # pixels of a unit across and up, and of the margins


def x_of(x: float) -> float:
    return LEFT + (x + 3.0) * SCALE[0]


def y_of(y: float) -> float:
    return TOP + (6.0 - y) * SCALE[1]


class Picture:
    """A drawing 600 pixels wide and 300 high within its margins."""

    def __init__(self, stage) -> None:
        self.stage, self.page = stage, stage.page
        stage.open(SCRIPT, BODY)

    def show(self, picture: drawing.Drawing = PLAIN, **values) -> None:
        """The page draws, with other heights where some are given."""
        handles = [replace(one, values=values.get(one.state, one.values)) for one in picture.handles]
        sent = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(drawing, "_mount", lambda **all_of_it: sent.append(all_of_it["data"]))
            drawing.show(replace(picture, handles=handles), key="drawing")
        self.page.evaluate(UPDATE, json.loads(to_json_plotly(sent[0])))

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a place of the drawing is on the page."""
        box = self.page.locator("svg.plot").bounding_box()
        return box["x"] + x_of(x), box["y"] + y_of(y)

    def press(self, x: float, y: float) -> None:
        self.page.mouse.move(*self.at(x, y))
        self.page.mouse.down()

    def move(self, x: float, y: float) -> None:
        self.page.mouse.move(*self.at(x, y))

    def release(self) -> None:
        self.page.mouse.up()

    def handle(self, name: str):
        return self.page.get_by_role("slider", name=name, exact=True)

    def heights(self, name: str = "F") -> tuple[float, ...]:
        """Those of a curve from left to right, as its handles tell them."""
        found = self.page.locator(f"g.handle[aria-label^='{name}']")
        told = found.evaluate_all(
            "(all) => all.map((one) => [parseFloat(one.ariaLabel.split('=')[1]), +one.ariaValueNow])"
        )
        return tuple(value for _, value in sorted(told))

    def place(self, name: str) -> list[float]:
        """Where a handle is drawn."""
        return [float(part) for part in re.findall(r"-?[\d.]+", self.handle(name).get_attribute("transform"))]

    def sent(self) -> list[dict]:
        messages = self.stage.sent()
        assert all(name == "moved" for name, _ in messages)
        return [values for _, values in messages]

    def points(self, what: str) -> list[np.ndarray]:
        """The points of all polygons or lines of a kind."""
        every = self.page.locator(f"svg.plot {what}").evaluate_all(
            "(all) => all.map((one) => one.getAttribute('points'))"
        )
        return [np.array([one.split(",") for one in points.split()], float) for points in every]

    def texts(self) -> list[str]:
        return self.page.locator("svg.plot text").all_text_contents()

    def reading(self) -> str:
        return self.page.locator("text.reading").text_content()


@pytest.fixture
def picture(stage):
    made = Picture(stage)
    yield made
    stage.page.mouse.up()


def changed(i: int, to: float, heights=HEIGHTS) -> tuple[float, ...]:
    return (*heights[:i], to, *heights[i + 1 :])


def test_a_handle_follows_the_mouse_in_steps_and_within_its_range(picture):
    picture.show()
    picture.press(0, 3)
    picture.move(0.2, 3.52)
    assert picture.heights() == changed(2, 3.5)
    assert picture.place("F at x = 0") == [x_of(0), y_of(3.5)]
    assert picture.reading() == "3.5"
    picture.move(0, 5.9)
    assert picture.heights() == changed(2, 5.0)
    picture.move(0, -0.5)
    assert picture.heights() == changed(2, 0.0)
    assert picture.heights("G") == (5.0, 5.0, 5.0)


def test_a_handle_is_held_from_anywhere_near_and_let_go(picture):
    picture.show()
    picture.press(0.15, 2.8)
    assert picture.heights() == HEIGHTS
    held = picture.page.locator("g.handle.held")
    assert held.get_attribute("aria-label") == "F at x = 0"
    picture.release()
    for let_go in (picture.release, lambda: picture.page.locator("svg.plot").dispatch_event("pointercancel")):
        picture.press(0.15, 2.8)
        let_go()
        assert held.count() == 0
        picture.move(0, 1)
        assert picture.heights() == HEIGHTS
    assert picture.sent() == []


def test_sweeping_over_the_picture_draws_the_curve_touched_last(picture):
    picture.show()
    picture.press(-2, 4)  # no handle is near; the first curve has none touched before it
    assert picture.heights() == changed(0, 4.0)
    picture.move(-0.6, 4.5)  # nearest to the column at -1
    picture.move(-0.4, 0.5)
    picture.release()
    assert picture.heights() == (4.0, 4.5, 0.5, 2.0, 1.0)
    picture.press(2, 5)
    picture.release()
    picture.press(-1.2, 3)
    assert picture.heights("G") == (3.0, 5.0, 5.0)
    picture.release()
    picture.handle("F at x = 2").focus()
    picture.press(1.8, 2.5)
    assert picture.heights() == (4.0, 4.5, 0.5, 2.0, 2.5)


def test_a_finger_sweeps_too(picture):
    picture.show()
    touch = picture.page.context.new_cdp_session(picture.page)
    for kind, place in (("Start", (-2.2, 4)), ("Move", (-1, 4)), ("Move", (0, 4)), ("End", None)):
        points = [dict(zip("xy", picture.at(*place), strict=True))] if place else []
        touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
    touch.detach()
    assert picture.heights() == (4.0, 4.0, 4.0, 2.0, 1.0)


KEYS = {
    "ArrowUp": 3.05, "ArrowRight": 3.05, "ArrowDown": 2.95, "ArrowLeft": 2.95, "PageUp": 3.5, "PageDown": 2.5, "Home": 0.0,
    "End": 5.0,
}  # fmt: skip


def test_keys_move_a_handle_and_others_do_not(picture):
    picture.show()
    for key, to in KEYS.items():
        picture.show()
        picture.handle("F at x = 0").focus()
        picture.page.keyboard.press(key)
        assert picture.heights() == changed(2, to)
        assert picture.reading() == f"{to:g}"
        assert picture.sent() == [{"f": list(changed(2, to)), "g": [5.0, 5.0, 5.0]}]
        picture.stage.let_pass(1000)
    picture.page.keyboard.press("a")
    assert picture.heights() == changed(2, 5.0)


def test_one_message_is_on_the_way_and_the_last_position_is_always_sent(picture):
    picture.show()
    picture.press(0, 3)
    picture.move(0, 4)
    assert [one["f"][2] for one in picture.sent()] == [4.0]
    picture.move(0, 4.5)
    picture.stage.let_pass(800)
    assert picture.sent() == []
    picture.show(f=changed(2, 4.0))  # the answer
    picture.stage.let_pass(30)
    assert [one["f"][2] for one in picture.sent()] == [4.5]
    picture.move(0, 2)
    picture.release()
    picture.show(f=changed(2, 4.5))
    picture.stage.let_pass(30)
    assert picture.sent() == []
    picture.stage.let_pass(40)  # 60 ms at least between two
    assert [one["f"][2] for one in picture.sent()] == [2.0]
    picture.stage.let_pass(2000)
    assert picture.sent() == []


def test_a_message_without_an_answer_is_given_up_after_a_while(picture):
    picture.show()
    picture.press(0, 3)
    picture.move(0, 4)
    picture.move(0, 4.5)
    picture.sent()
    picture.stage.let_pass(880)
    assert picture.sent() == []
    picture.stage.let_pass(60)
    assert [one["f"][2] for one in picture.sent()] == [4.5]


def test_a_late_answer_overwrites_nothing_that_is_held_or_not_yet_sent(picture):
    picture.show()
    picture.press(0, 3)
    picture.move(0, 4)
    picture.move(0, 4.5)
    picture.show(f=changed(2, 4.0))
    assert picture.heights() == changed(2, 4.5)
    picture.release()
    picture.show(f=changed(2, 4.0))
    assert picture.heights() == changed(2, 4.5)
    picture.stage.let_pass(100)
    picture.show(f=changed(2, 4.0))  # an earlier answer, while the last message is on the way
    assert picture.heights() == changed(2, 4.5)
    picture.show(f=changed(2, 4.5))
    picture.show(f=changed(2, 1.5))  # what else the page says then holds
    assert picture.heights() == changed(2, 1.5)


def test_after_a_while_the_page_is_right(picture):
    picture.show()
    picture.press(0, 3)
    picture.move(0, 4)
    picture.release()
    picture.stage.let_pass(880)
    picture.show(f=changed(2, 1.5))
    assert picture.heights() == changed(2, 4.0)
    picture.stage.let_pass(40)
    picture.show(f=changed(2, 1.5))
    assert picture.heights() == changed(2, 1.5)


def test_the_scale_stands_still_under_the_pointer(picture):
    picture.show()
    picture.press(0, 3)
    picture.move(0, 3.5)
    picture.show(replace(PLAIN, y=(-2.0, 12.0)))
    assert picture.place("F at x = 0") == [x_of(0), y_of(3.5)]
    picture.release()
    picture.show(replace(PLAIN, y=(-2.0, 12.0)), f=changed(2, 3.5))
    assert picture.place("F at x = 0") == pytest.approx([x_of(0), TOP + 300 * 8.5 / 14], abs=0.06)


def test_a_lifted_handle_is_drawn_above_its_height(picture):
    lifted = replace(PLAIN, handles=[replace(F, lift=(0.0, 0.0, 1.5, 0.0, 0.0))])
    picture.show(lifted)
    assert picture.place("F at x = 0") == [x_of(0), y_of(4.5)]
    picture.press(0, 4.5)
    picture.move(0, 3.5)
    assert picture.heights() == changed(2, 2.0)


def test_the_whole_line_of_a_riding_handle_is_taken_and_says_so(picture):
    picture.show(RIDING)
    assert "drag the line" in picture.page.locator("text.says").text_content()
    picture.press(1.1, 0.4)
    picture.move(2.5, 0.4)
    assert picture.heights("Cut") == (2.5,)


def test_axes_follow_a_slider_and_what_lies_beyond_them_stands_at_their_end(picture):
    wide = ((-30.0, 30.0), (0.0, 60.0))
    frames = drawing.Frames(
        "noise", [[(X + 3.0).tolist()], [np.full(13, 30.0).tolist()]], [((-3.0, 3.0), (0.0, 6.0)), wide]
    )
    picture.show(replace(RIDING, frames=frames, x=(-3.0, 0.5)))
    assert picture.place("Cut")[0] == x_of(3.0)
    picture.page.evaluate(SET, ["noise", 1.5])
    assert picture.place("Cut") == pytest.approx([LEFT + 31 * 10, y_of(3.0)], abs=0.06)
    (line,) = picture.points("polyline.line")
    assert line[0] == pytest.approx([x_of(-3), y_of(3)], abs=0.06)
    assert line[-1] == pytest.approx([x_of(3), y_of(3)], abs=0.06)


def test_a_riding_handle_goes_sideways_on_its_line_and_cuts_the_shades(picture):
    picture.show(RIDING)
    assert picture.place("Cut") == [x_of(1), y_of(4)]
    picture.press(1, 4)
    picture.move(-0.26, 1)
    assert picture.heights("Cut") == (-0.3,)
    assert picture.reading() == "−0.3"
    assert picture.place("Cut") == pytest.approx([x_of(-0.3), y_of(2.7)], abs=0.06)
    left, right = picture.points("polygon.shade")
    for shade, (start, end), edge in ((left, (-3, -0.3), -2), (right, (-0.3, 3), 1)):
        assert [shade[0, 0], shade[-1, 0]] == pytest.approx([x_of(start), x_of(end)])
        assert [shade[0, 1], shade[-1, 1]] == [y_of(0)] * 2
        assert shade[edge] == pytest.approx([x_of(-0.3), y_of(2.7)], abs=0.06)
        for x, y in shade[1:-1]:
            assert (y_of(0) - y) / SCALE[1] == pytest.approx((x - LEFT) / SCALE[0], abs=0.01)
    assert float(picture.page.locator("line.plumb").get_attribute("x1")) == pytest.approx(x_of(-0.3))
    assert picture.sent() == [{"cut": [-0.3]}]


def test_a_named_shade_holds_its_name_and_its_share_of_the_area_while_the_handle_moves(picture):
    picture.show(replace(RIDING, shades=[replace(RIDING.shades[0], name="lost"), RIDING.shades[1]]))
    written = picture.page.locator("text.share")
    assert written.all_text_contents() == ["44.4 %", "lost"]
    picture.press(1, 4)
    picture.move(-1, 1)
    assert written.all_text_contents() == ["11.1 %", "lost"]


def test_a_riding_handle_is_taken_before_one_beneath_it(picture):
    picture.show(replace(RIDING, handles=[replace(F, values=(1.0, 2.0, 3.0, 4.0, 1.0)), CUT]))
    picture.press(1, 4)
    assert picture.page.locator("g.handle.held").get_attribute("aria-label") == "Cut"


def test_lines_follow_a_slider_before_the_page_has_run(picture):
    picture.show(RIDING)
    picture.page.evaluate(SET, ["noise", 1.5])
    assert picture.points("polyline.line")[0][:, 1] == pytest.approx(np.full(13, y_of(2.0)))
    assert picture.place("Cut") == [x_of(1), y_of(2)]
    picture.show(PLAIN)  # where nothing follows the slider any more
    picture.page.evaluate(SET, ["noise", 2])
    assert picture.points("polyline.line")[0][0, 1] == pytest.approx(y_of(0.0))


def test_a_riding_handle_follows_its_own_slider_unless_it_is_held(picture):
    picture.show(RIDING)
    picture.page.evaluate(SET, ["cut", 2])
    assert picture.place("Cut") == [x_of(2), y_of(5)]
    picture.press(2, 5)
    picture.move(0, 5)
    picture.page.evaluate(SET, ["cut", -1])
    assert picture.heights("Cut") == (0.0,)
    assert picture.sent() == [{"cut": [0.0]}]


def test_ticks_titles_legend_and_hint_say_what_is_drawn(picture):
    lines = [SLOPE, drawing.Line(Curve("", X, X), "#123456", "dot", 1.5)]
    picture.show(replace(PLAIN, lines=lines))
    assert picture.texts()[:7] == ["−3", "−2", "−1", "0", "1", "2", "3"]
    assert picture.texts()[7:16] == ["0", "1", "2", "3", "4", "5", "6", "x", "height"]
    assert picture.page.locator("line.grid").count() == 14
    assert picture.page.locator(".legend").inner_text() == "slope"
    styles = [
        [one.get_attribute(name) for name in ("stroke", "stroke-width", "stroke-dasharray")]
        for one in (picture.page.locator(".legend line"), picture.page.locator("polyline.line").nth(1))
    ]
    assert styles == [["#009e73", "3", "8 5"], ["#123456", "1.5", "2 4"]]
    assert picture.page.locator(".hint").inner_text() == "Drag."
    assert picture.points("polyline.line")[0] == pytest.approx(np.stack([x_of(X), y_of(X + 3)], axis=1), abs=0.06)
    picture.show(replace(PLAIN, y=(-0.5, 7.0)))
    assert picture.texts()[7:12] == ["0", "2", "4", "6", "x"]


def test_areas_stand_at_the_bottom_and_marks_where_they_are_said(picture):
    curves = [Curve("", X, most * np.exp(-(X**2))) for most in (2.0, 1.0)]
    areas = [drawing.Line(curve, color) for curve, color in zip(curves, ("#0000ff", "#ff0000"), strict=True)]
    picture.show(replace(PLAIN, areas=areas, marks={"✕ one": 1.0, "✕ two": 2.9}, mark_color="#d55e00"))
    first, second = picture.points("polygon.area")
    assert first[[0, -1]] == pytest.approx(np.array([[x_of(-3), y_of(0)], [x_of(3), y_of(0)]]))
    for points, most in ((first, 1.0), (second, 0.5)):
        assert y_of(0) - points[1:-1, 1] == pytest.approx(0.4 * 300 * most * np.exp(-(X**2)), abs=0.1)
    marks = picture.page.locator("line[stroke='#d55e00']").evaluate_all(
        "(all) => all.map((one) => +one.getAttribute('x1'))"
    )
    assert marks == [x_of(1.0), x_of(2.9)]


def test_handles_say_what_they_are(picture):
    picture.show(replace(RIDING, handles=[F, CUT]))
    names = ("role", "tabindex", "aria-orientation", "aria-valuemin", "aria-valuemax", "aria-valuenow")
    said = [
        [self.get_attribute(name) for name in names] for self in (picture.handle("F at x = -1"), picture.handle("Cut"))
    ]
    assert said == [["slider", "0", "vertical", "0", "5", "2"], ["slider", "0", "horizontal", "-2.5", "2.5", "1"]]
    assert picture.page.locator("svg.plot").get_attribute("aria-label") == "Two curves"


def test_other_curves_have_handles_of_their_own(picture):
    picture.show()
    picture.handle("F at x = 0").focus()
    picture.show(f=changed(1, 2.5))
    assert picture.page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "F at x = 0"
    picture.show(replace(PLAIN, handles=[replace(G, name="H", color="#000000")]))
    assert picture.heights() == ()
    assert picture.heights("H") == (5.0, 5.0, 5.0)
    assert picture.reading() == ""


def test_the_drawing_fills_its_width(picture):
    picture.show()
    for width, wide in ((560, 560), (100, 200)):
        picture.page.evaluate(
            "(w) => { document.querySelector('.host').style.width = `${w}px`; return stage.real(); }", width
        )
        assert picture.page.locator("svg.plot").get_attribute("viewBox") == f"0 0 {wide} 348"
        assert picture.place("F at x = 0")[0] == LEFT + (wide - 60) / 2


def test_a_drawing_that_the_page_magnifies_is_dragged_where_it_is_seen(picture):
    picture.show()
    picture.page.evaluate("() => { document.querySelector('.host').style.zoom = 1.5; return stage.real(); }")
    box = picture.page.locator("svg.plot").bounding_box()
    picture.page.mouse.move(box["x"] + 1.5 * x_of(0), box["y"] + 1.5 * y_of(3))
    picture.page.mouse.down()
    picture.page.mouse.move(box["x"] + 1.5 * x_of(0), box["y"] + 1.5 * y_of(4))
    assert picture.heights() == changed(2, 4.0)
