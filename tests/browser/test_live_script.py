"""The script by which charts follow a slider, on a blank page: what it asks for, when, and what it draws."""

import itertools
import json
import re
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
from plotly.io.json import to_json_plotly
from scipy.spatial import KDTree

from dpcore.figures.deck import Deck, differences
from pages.components import live, spoken

HERE = Path(live.__file__).parent
SCRIPT = "".join((HERE / f"{name}.js").read_text(encoding="utf-8") for name in ("live_frames", "live_words", "live"))
BODY = """<div data-testid="stApp" data-test-script-state="notRunning">
  <div class="st-key-noise" style="height: 30px; background: #eee">
    <input type="range" min="1" max="4" step="0.5" value="1" style="pointer-events: none">
  </div>
  <div class="st-key-budget" style="height: 30px"><input type="range" min="0" max="4" step="1" value="0" style="pointer-events: none"></div>
  <div class="elsewhere" style="height: 30px"></div>
  <div class="st-key-chart"><div class="plot" style="width: 600px; height: 240px"></div></div>
  <div class="st-key-other"><div class="plot" style="width: 600px; height: 240px"></div></div>
  <div class="st-key-headline"><div data-stale="false" data-testid="stHeading"><div data-testid="stMarkdownContainer"><h1 id="title"><span
    data-heading-text="">ε is 1</span></h1></div></div></div>
  <div class="st-key-told_cards"><div data-stale="false"><div data-testid="stMetric">
    <div data-testid="stMetricValue"><div data-testid="stMarkdownContainer"><p>1</p></div></div>
    <div data-testid="stMetricDelta"><div data-testid="stMarkdownContainer"><p>less</p></div></div></div></div></div>
  <div class="st-key-told_notes"><div data-stale="false" data-testid="stMarkdown"><div data-testid="stMarkdownContainer"><p>Of <span
    class="katex"><b>e</b><annotation
    style="display: none">e</annotation></span></p></div></div></div>
  <div class="st-key-unforetold_code"><div data-stale="false">code</div></div>
</div>"""
SET = """([key, at]) => { const input = document.querySelector(`.st-key-${key} input`);
  input.value = +input.min + at * +input.step; input.setAttribute("value", input.value); }"""
RUNNING = (
    "(is) => { document.querySelector('[data-testid=stApp]').dataset.testScriptState = is ? 'running' : 'notRunning'; }"
)
UPDATE = """async ([data, wait]) => { let seen;
  const said = new Promise((done) => { seen = new MutationObserver(done); });
  seen.observe(document.documentElement, { attributeFilter: ["data-live"] });
  stage.end = stage.update(data);
  if (wait) await said;
  seen.disconnect();
  return stage.real(); }"""
DRAW = "async ([key, spec]) => { await Plotly.react(document.querySelector(`.st-key-${key} .plot`), spec.data, spec.layout); }"
INK = """(key) => { const all = (what) => [...document.querySelectorAll(`.st-key-${key} ${what}`)];
  return { lines: all('.scatterlayer .js-line').map((one) => one.getAttribute('d')),
    fills: all('.scatterlayer .js-fill').map((one) => one.getAttribute('d')),
    marks: all('.points path').map((one) => one.getAttribute('transform')),
    shapes: all('.shapelayer path').map((one) => one.getAttribute('d')) }; }"""
X = np.linspace(0.0, 4.0, 41)
PEAKS = (0.5, 1.0, 1.5, 2.5, 3.0)


def bell(peak: float) -> go.Figure:
    """A filled curve with a mark at its top and a line across the chart there; only numbers move."""
    top = {"x": [peak], "y": [1.0], "mode": "markers"}
    fig = go.Figure([go.Scatter(x=X, y=np.exp(-((X - peak) ** 2)), mode="lines", name="bell"), go.Scatter(top)])
    fig.add_shape(type="line", x0=peak, x1=peak, y0=0, y1=1, yref="paper")
    return still(fig, x=[0, 4], y=[0, 1.2])


def still(fig: go.Figure, x=None, y=None, **axes) -> go.Figure:
    """The figure with axes that stand where they are told."""
    return fig.update_layout(
        xaxis={"range": x, **axes.get("xaxis", {})},
        yaxis={"range": y, **axes.get("yaxis", {})},
        margin={"t": 10},
        showlegend=False,
    )


def deck(figures) -> dict:
    return Deck(tuple(map(str, range(len(figures)))), differences(figures)).wire()


class Charts:
    """What a test does to the page: two sliders, and a chart that follows the first."""

    def __init__(self, stage, figures, other=None) -> None:
        self.stage, self.page, self.figures, self.other = stage, stage.page, figures, other
        stage.open(SCRIPT, BODY)
        self.put(figures[0])
        if other:
            self.put(other[0], "other")

    def put(self, figure, key: str = "chart") -> None:
        """What Plotly draws when the server answers."""
        self.page.evaluate(DRAW, [key, json.loads(to_json_plotly(figure))])

    def deal(
        self, *, ahead=(), pointed=None, name: str = "first", dealt=("noise",), wait: bool = True, words=None
    ) -> None:
        """The page says which frames there are, and the script has unpacked them unless it is not waited for."""
        decks = {"st-key-chart": deck(self.figures)}
        if self.other:
            decks["st-key-other"] = deck(self.other)
        data = {
            "sliders": {"st-key-noise": "noise", "st-key-budget": "budget"},
            "pointed": pointed or {},
            "ahead": list(ahead),
            "dealt": {key: {"name": name, "decks": decks, "words": words} for key in dealt},
        }
        wire = json.loads(to_json_plotly(data))
        self.page.evaluate(UPDATE, [wire, wait])

    def over(self, what: str) -> None:
        box = self.page.locator(f".{what}").bounding_box()
        self.page.mouse.move(box["x"] + 300, box["y"] + 10)

    def hold(self, key: str = "noise") -> None:
        self.over(f"st-key-{key}")
        self.page.mouse.down()

    def click(self, what: str) -> None:
        self.over(what)
        self.page.mouse.down()
        self.page.mouse.up()

    def move(self, at: int, key: str = "noise", passing: float = 20) -> None:
        """The slider comes to a position, and the charts have time to follow."""
        self.page.evaluate(SET, [key, at])
        self.stage.let_pass(passing)

    def running(self, is_so: bool) -> None:
        self.page.evaluate(RUNNING, is_so)

    def mark(self, name: str, key: str = "chart") -> str | None:
        """What the script notes on a chart: the frame it drew last, the one that Plotly drew, how often."""
        return self.page.locator(f".st-key-{key} .js-plotly-plot").get_attribute(f"data-{name}")

    def ink(self, key: str = "chart") -> dict:
        return self.page.evaluate(INK, key)

    def ink_of(self, figure) -> dict:
        """What Plotly makes of a figure beside the chart that moves."""
        self.put(figure, "other")
        return self.ink("other")

    def shown(self, key: str = "chart") -> list[float]:
        """Where Plotly believes the mark of the chart to be."""
        return self.page.evaluate("(key) => +document.querySelector(`.st-key-${key} .plot`)._fullData.at(-1).x[0]", key)


@pytest.fixture
def charts(stage):
    """A chart whose bell has its peak at another place at each position of the first slider."""
    made = Charts(stage, [bell(peak) for peak in PEAKS])
    yield made
    made.page.mouse.up()
    made.page.evaluate("() => stage.end?.()")


def points(paths, closed: bool, box=(0, 0, 440, 150)) -> np.ndarray:
    """Points at most a pixel apart along all paths, as far as they lie in the chart."""
    found = []
    for path in paths:
        for run in re.findall(r"M[^M]*", path):
            ends = np.array(re.findall(r"(-?[\d.]+),(-?[\d.]+)", run), float)
            if closed:
                ends = np.vstack([ends, ends[:1]])
            for (x0, y0), (x1, y1) in itertools.pairwise(ends):
                share = np.linspace(0, 1, min(int(np.hypot(x1 - x0, y1 - y0)), 20_000) + 2)[:, None]
                found.append(np.hstack([x0 + share * (x1 - x0), y0 + share * (y1 - y0)]))
    every = np.vstack(found)
    inside = (every >= np.array(box[:2]) - 0.5) & (every <= np.array(box[2:]) + 0.5)
    return every[inside.all(axis=1)]


def assert_same_ink(mine: dict, theirs: dict) -> None:
    """Every point of one drawing lies within 1.5 pixels of the other, kind by kind."""
    for kind, paths in theirs.items():
        if kind == "marks":
            places = [[re.findall(r"-?[\d.]+", one)[:2] for one in ink[kind]] for ink in (mine, theirs)]
            assert np.array(places[0], float) == pytest.approx(np.array(places[1], float), abs=1.5)
        elif any(paths):
            one, other = (points(ink, kind == "fills") for ink in (mine[kind], paths))
            for some, others in ((one, other), (other, one)):
                assert KDTree(others).query(some)[0].max() < 1.5, kind


def test_frames_ahead_are_asked_for_at_once_even_during_a_run_if_there_are_none(charts):
    charts.running(True)
    charts.deal(ahead=["noise", "budget"], dealt=())
    assert charts.stage.sent() == [["wanted", "noise"]]


def test_further_frames_ahead_are_asked_for_when_nothing_runs_or_is_held(charts):
    charts.running(True)
    charts.deal(ahead=["noise", "budget"])
    charts.stage.let_pass(1000)
    assert charts.stage.sent() == []
    charts.hold()
    charts.running(False)
    charts.stage.let_pass(1000)
    assert charts.stage.sent() == []
    charts.page.mouse.up()
    charts.stage.let_pass(310)
    assert charts.stage.sent() == [["wanted", "budget"]]


def test_a_slider_somebody_rests_on_is_asked_for_once_during_a_run_and_again_after_it(charts):
    charts.deal(dealt=["budget"])
    charts.running(True)
    charts.over("st-key-noise")
    charts.stage.let_pass(70)
    charts.over("elsewhere")  # only passed over
    charts.stage.let_pass(1000)
    assert charts.stage.sent() == []
    charts.over("st-key-noise")
    charts.stage.let_pass(90)
    assert charts.stage.sent() == [["wanted", "noise"]]
    charts.stage.let_pass(1000)
    assert charts.stage.sent() == []
    charts.running(False)  # and what was asked for has not come
    charts.stage.let_pass(310)
    assert charts.stage.sent() == [["wanted", "noise"]]


def test_a_slider_reached_by_the_keyboard_comes_before_those_ahead(charts):
    charts.running(True)
    charts.deal(ahead=["noise"], dealt=["other"])
    charts.page.locator(".st-key-budget input").focus()
    charts.stage.let_pass(100)
    assert charts.stage.sent() == [["wanted", "budget"]]


@pytest.mark.parametrize("leave", ["click", "back"])
def test_nothing_is_asked_for_after_a_click_or_step_that_may_have_left_the_page(charts, leave):
    charts.deal(dealt=())
    charts.over("st-key-noise")
    charts.stage.let_pass(10)
    if leave == "click":
        charts.click("elsewhere")
        charts.over("st-key-noise")
    else:
        charts.page.evaluate("() => window.dispatchEvent(new PopStateEvent('popstate'))")
    charts.stage.let_pass(900)
    charts.running(True)
    charts.stage.let_pass(900)
    assert charts.stage.sent() == []
    charts.deal(dealt=["budget"], name="second")  # the page has run and is still this one
    charts.stage.let_pass(310)
    assert charts.stage.sent() == [["wanted", "noise"]]


def test_a_held_slider_draws_every_position_and_settles_at_rest(charts):
    charts.deal()
    assert charts.page.locator("html").get_attribute("data-live") == "noise"
    charts.hold()
    seen = [json.dumps(charts.ink())]
    for position in (1, 2, 4):
        charts.move(position)
        seen.append(json.dumps(charts.ink()))
        assert charts.mark("frame") == str(position)
    assert len(set(seen)) == 4
    assert charts.mark("redraws") == "3"
    assert charts.mark("settled") is None
    assert charts.shown() == 0.5
    charts.stage.let_pass(140)
    assert charts.mark("settled") is None
    sketched = charts.ink()
    charts.stage.let_pass(20)
    assert charts.mark("settled") == "4"
    assert charts.shown() == 3.0
    assert_same_ink(sketched, charts.ink())
    for position in (1, 2, 3):  # between two looks
        charts.move(position, passing=2)
    charts.stage.let_pass(30)
    assert (charts.mark("frame"), charts.mark("redraws")) == ("3", "4")


def test_arrow_keys_draw_too_and_neither_another_slider_nor_a_key_that_a_script_sends(charts):
    charts.deal()
    charts.hold("budget")
    charts.move(2, "budget")
    charts.move(2, "noise")
    charts.page.evaluate("() => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'f' }))")
    assert charts.mark("frame") is None
    charts.page.mouse.up()
    charts.page.locator(".st-key-noise input").focus()
    charts.page.keyboard.press("Shift")  # a key, while the input's own step is what Streamlit writes
    charts.move(1)
    assert charts.mark("frame") == "1"


def test_a_position_without_a_frame_moves_nothing(charts):
    charts.deal()
    charts.hold()
    charts.move(2)
    charts.move(6)
    charts.put(charts.figures[0])
    charts.stage.let_pass(20)
    assert charts.mark("frame") == "2"


def test_frames_older_than_another_control_are_not_shown_during_its_run(charts):
    charts.deal()
    charts.stage.let_pass(10)
    charts.click("elsewhere")
    charts.running(True)
    charts.stage.let_pass(10)
    charts.hold()
    charts.move(2)
    assert charts.mark("frame") is None
    charts.stage.let_pass(10)
    charts.deal(name="second")
    charts.stage.let_pass(20)
    assert charts.mark("frame") == "2"  # also where the slider is held still


def test_a_run_of_the_slider_itself_leaves_its_frames_in_force(charts):
    charts.deal()
    charts.stage.let_pass(10)
    charts.hold()
    charts.move(1)
    charts.page.mouse.up()
    charts.running(True)
    charts.stage.let_pass(10)
    charts.hold()
    charts.move(3)
    assert charts.mark("frame") == "3"


@pytest.mark.parametrize(
    ("held", "running", "stays"), [(True, False, True), (False, True, True), (False, False, False)]
)
def test_an_answer_to_an_earlier_position_does_not_pull_the_chart_back(charts, held, running, stays):
    charts.deal()
    charts.hold()
    charts.move(4, passing=400)
    if not held:
        charts.page.mouse.up()
    charts.running(running)
    charts.put(charts.figures[1])
    charts.stage.let_pass(400)
    assert_same_ink(charts.ink(), charts.ink_of(charts.figures[4 if stays else 1]))


def test_a_chart_that_the_page_draws_anew_is_followed(charts):
    charts.deal()
    charts.hold()
    charts.page.evaluate("""() => { const box = document.querySelector('.st-key-chart');
      box.innerHTML = '<div class="plot" style="width: 600px; height: 240px"></div>'; }""")
    charts.put(charts.figures[0])
    charts.page.evaluate("() => document.querySelector('.st-key-chart').append(document.createElement('i'))")
    charts.move(3, passing=400)
    assert charts.mark("settled") == "3"
    charts.put(charts.figures[1])
    charts.stage.let_pass(400)
    assert charts.shown() == PEAKS[3]


@pytest.mark.parametrize("held", [True, False])
def test_a_sketch_is_settled_unless_the_page_answers_the_slider_let_go(charts, held):
    charts.deal()
    charts.hold()
    charts.move(3)
    if not held:
        charts.page.mouse.up()
    charts.running(True)
    charts.stage.let_pass(400)
    assert charts.mark("settled") == ("3" if held else None)


def test_a_chart_that_is_gone_is_no_fault(charts):
    charts.deal()
    charts.hold()
    charts.move(3)
    charts.page.evaluate(
        "() => { const old = document.querySelector('.st-key-chart .plot'); Plotly.purge(old); old.remove(); }"
    )
    charts.stage.let_pass(400)


SLOW = """() => { const open = Blob.prototype.stream;  // the first part that is unpacked from now on waits until it may arrive
  const wait = new Promise((done) => { stage.arrive = done; });
  const late = async (part, to) => { await wait; to.enqueue(part); };
  Blob.prototype.stream = function () {
    Blob.prototype.stream = open;
    return open.call(this).pipeThrough(new TransformStream({ transform: late }));
  };
}"""


def test_the_last_frames_dealt_are_shown_whichever_arrive_first(charts):
    figures, charts.figures = charts.figures, [bell(3.5 - peak) for peak in PEAKS]
    charts.page.evaluate(SLOW)
    charts.deal(name="first", wait=False)
    charts.figures = figures
    charts.deal(name="second")
    charts.page.evaluate("async () => { stage.arrive(); for (const _ of [1, 2, 3]) await stage.real(); }")
    charts.hold()
    charts.move(4, passing=400)
    assert charts.shown() == PEAKS[4]


def test_a_script_that_is_removed_listens_to_nothing(charts):
    charts.deal(ahead=["budget"])
    charts.stage.sent()
    charts.hold()
    charts.move(1)
    charts.page.evaluate("() => { stage.end(); stage.end = null; }")
    assert charts.page.locator("html").get_attribute("data-live") is None
    charts.move(4, passing=1000)
    charts.running(True)
    charts.put(charts.figures[2])  # whose answer nobody corrects
    charts.stage.let_pass(100)
    assert charts.mark("frame") == "1"
    assert charts.mark("settled") is None
    assert charts.stage.sent() == []


def test_a_script_mounted_again_outlives_what_it_replaces(charts):
    charts.deal()
    charts.page.evaluate("() => { stage.before = stage.end; }")
    charts.deal(name="second")
    charts.page.evaluate("() => stage.before()")
    charts.hold()
    charts.move(2)
    assert charts.mark("frame") == "2"


def lines(*curves, x=X, **options) -> go.Figure:
    axes = {key: options.pop(key) for key in ("xaxis", "yaxis") if key in options}
    traces = [go.Scatter(x=x, y=y, **{"mode": "lines", **options}) for y in curves]
    return still(go.Figure(traces), [0, 4], [0, 1.2], **axes)


def gap(at: float) -> np.ndarray:
    """A curve with a hole where it is not a number, and a point alone in the hole."""
    y = np.exp(-X / at)
    y[10:20] = np.nan
    y[15] = 0.5
    return y


LOG = {"type": "log", "range": [-3, 0.2]}
SKETCHED = {
    "a filled curve, its top and a line there": bell,
    "no gap, then a gap": lambda p: lines(gap(p) if p > 2 else np.exp(-X / p)),
    "nothing at all": lambda p: lines(np.full(41, np.nan) if p > 2 else X),
    "a logarithmic axis that a line leaves through 0": lambda p: lines(np.clip(1 - X / p, 0, None), yaxis=LOG),
    "marks with one at 0 of a logarithmic axis": lambda p: lines(
        np.array([0.5, 0.0, 1.0]) / p, x=np.arange(1.0, 4.0), mode="markers", yaxis=LOG
    ),
    "a curve that is switched off": lambda p: lines(np.exp(-p * X), visible="legendonly").add_scatter(
        x=[0, 1], y=[0.5, 1 / p], mode="lines"
    ),
    "a line across a logarithmic axis": lambda p: lines(X / 5, yaxis=LOG).add_hline(1 / p).add_vline(p),
    "a second axis": lambda p: lines(X / 5).add_scatter(x=X, y=40 * X / p, yaxis="y2", mode="lines").update_layout(
        yaxis2={"range": [0, 200], "overlaying": "y", "side": "right"}
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SKETCHED)
def test_a_sketch_is_what_plotly_draws(charts, case):
    charts.figures = [SKETCHED[case](peak) for peak in PEAKS]
    charts.put(charts.figures[0])
    charts.deal()
    charts.hold()
    for position in (2, 4, 0):
        charts.move(position)
        assert charts.mark("frame") == str(position)
        assert charts.mark("settled") is None, "Plotly was needed"
        assert_same_ink(charts.ink(), charts.ink_of(charts.figures[position]))


def sized(p: float) -> go.Figure:
    return bell(p).update_traces(marker={"size": 6 * p}, selector={"mode": "markers"})


PLOTTED = {
    "bars": lambda p: still(go.Figure(go.Bar(x=[1, 2], y=[p, 1])), [0, 4], [0, 4]),
    "a spline": lambda p: lines(np.exp(-p * X[::8]), x=X[::8], line={"shape": "spline"}),
    "lines with marks": lambda p: lines(np.exp(-p * X), mode="lines+markers"),
    "a fill over a gap": lambda p: lines(gap(p), fill="tozeroy"),
    "a fill between curves": lambda p: lines(X / 5, X / p, fill="tonexty"),
    "a fill on a logarithmic axis": lambda p: lines(np.exp(-p * X), fill="tozeroy", yaxis=LOG),
    "other sizes of marks": sized,
    "another axis": lambda p: lines(np.exp(-X / p)).update_yaxes(range=[0, p]),
    "more marks": lambda p: lines(X[: int(10 * p)] / 5, x=X[: int(10 * p)], mode="markers"),
    "a box": lambda p: bell(p).add_shape(type="rect", x0=0, x1=p, y0=0, y1=0.5),
    "a line out of a logarithmic axis": lambda p: lines(X / 5, yaxis=LOG).add_hline(max(1 - p, 0)),
    "only words": lambda p: lines(X / 5).update_layout(title_text=f"at {p}"),
    "a line drawn for the first time": lambda p: lines(X / 5 if p > 1 else np.full(41, np.nan)),
}  # fmt: skip


def seen(charts, key: str) -> dict:
    """All that a chart shows and all that Plotly believes of it."""
    return charts.page.evaluate(
        """(key) => { const plot = document.querySelector(`.st-key-${key} .plot`);
        const paths = [...plot.querySelectorAll('.scatterlayer path, .barlayer path, .shapelayer path')];
        const style = (one) => (one.getAttribute('style') ?? '').replaceAll(';', '').split(' ').sort();
        return { paths: paths.map((one) => [one.getAttribute('d'), one.getAttribute('transform'), style(one)]),
          words: plot.querySelector('.gtitle')?.textContent ?? '', y: plot._fullData.map((one) => Array.from(one.y)),
          ticks: [...plot.querySelectorAll('.ytick text')].map((one) => one.textContent) }; }""",
        key,
    )


@pytest.mark.parametrize("case", PLOTTED)
def test_what_cannot_be_sketched_is_drawn_by_plotly_at_once(charts, case):
    charts.figures = [PLOTTED[case](peak) for peak in PEAKS]
    charts.put(charts.figures[0])
    charts.deal()
    charts.hold()
    charts.move(4)
    assert charts.mark("frame") == "4"
    assert charts.mark("settled") == "4"
    charts.stage.let_pass(400)
    charts.put(charts.figures[4], "other")
    mine, theirs = (seen(charts, key) for key in ("chart", "other"))
    for name in ("words", "ticks"):
        assert mine[name] == theirs[name]
    for one, other in zip(mine["y"], theirs["y"], strict=True):
        assert one == pytest.approx(other, rel=1e-5, nan_ok=True)
    for one, other in zip(mine["paths"], theirs["paths"], strict=True):
        assert one[2] == other[2]
        for drawn, wanted in zip(one[:2], other[:2], strict=True):
            values = [[float(value) for value in re.findall(r"-?\d+\.?\d*", text or "")] for text in (drawn, wanted)]
            assert values[0] == pytest.approx(values[1], abs=1.5)


def ring(at: float, upward: bool) -> go.Figure:
    """A curve, and a ring on it that says where one looks."""
    y = X / 4 if upward else 1 - X / 4
    ring = {"x": [at], "y": [np.interp(at, X, y)], "mode": "markers"}
    return still(go.Figure([go.Scatter(x=X, y=y, mode="lines"), go.Scatter(ring)]), [0, 4], [0, 1])


@pytest.fixture
def pair(stage):
    made = Charts(stage, [ring(at, True) for at in PEAKS], [ring(4 - at, False) for at in PEAKS])
    yield made
    made.page.mouse.up()
    made.page.evaluate("() => stage.end?.()")


POINTED = {"st-key-chart": ["noise", 1], "st-key-other": ["noise", 1]}


def point(charts, x: float, y: float, key: str = "chart") -> None:
    """Point at a place of a chart, given as shares of its width and height."""
    box = charts.page.locator(f".st-key-{key} .nsewdrag").bounding_box()
    place = box["x"] + x * box["width"], box["y"] + y * box["height"]
    heard(charts, "hover", lambda: charts.page.mouse.move(*place))


def heard(charts, event: str, does) -> None:
    """Do something with the first chart, and wait until Plotly tells of it."""
    charts.page.evaluate(
        """(event) => { const plot = document.querySelector('.st-key-chart .plot'), hear = () => { stage.heard = true; };
        stage.heard = false; plot.once(`plotly_${event}`, hear); }""",
        event,
    )
    does()
    charts.page.wait_for_function("() => stage.heard")
    charts.stage.let_pass(20)


def becomes(charts, wanted: list[float]) -> None:
    """Wait until both charts show this: Plotly tells of the pointer in a time of its own, and may tell of an earlier place first."""
    for _ in range(100):
        charts.stage.let_pass(200)
        if (found := [charts.shown(key) for key in ("chart", "other")]) == wanted:
            return
        charts.page.wait_for_timeout(20)
    assert found == wanted


def test_pointing_at_one_chart_marks_the_others_and_leaving_restores(pair):
    pair.deal(pointed=POINTED)
    point(pair, 0.39, 0.61)  # x = 1.56, nearest to 1.5
    becomes(pair, [1.5, 2.5])
    assert [pair.mark("frame", key) for key in ("chart", "other")] == ["2", "2"]
    point(pair, 0.74, 0.26)
    becomes(pair, [3.0, 1.0])
    heard(pair, "unhover", lambda: pair.over("elsewhere"))
    becomes(pair, [0.5, 3.5])


HOVER = """([key, x]) => { const plot = document.querySelector(`.st-key-${key} .plot`);
  plot.emit(x === null ? 'plotly_unhover' : 'plotly_hover', { points: [{ x }] }); return stage.real(); }"""


@pytest.mark.parametrize("by", ["a run", "a drag", "no frames"])
def test_pointing_moves_nothing_during(pair, by):
    pair.deal(pointed=POINTED, dealt=() if by == "no frames" else ["noise"])
    if by == "a run":
        pair.running(True)
    if by == "a drag":
        pair.hold()
    pair.page.evaluate(HOVER, ["chart", 2.5])
    assert pair.mark("frame") is None


def test_frames_of_a_chart_are_asked_for_when_it_is_pointed_at(pair):
    pair.deal(pointed=POINTED, dealt=())
    pair.page.mouse.move(300, 200)
    pair.stage.let_pass(100)
    assert pair.stage.sent() == [["wanted", "noise"]]


def test_the_place_pointed_at_last_is_the_one_marked(pair):
    pair.deal(pointed=POINTED)
    for x in (0.5, 1.0, 1.5, 2.9):
        pair.page.evaluate(
            "([key, x]) => { stage.emit = document.querySelector('.st-key-chart .plot').emit('plotly_hover', { points: [{ x }] }); }",
            ["chart", x],
        )
    pair.stage.let_pass(300)
    assert [pair.shown(key) for key in ("chart", "other")] == [3.0, 1.0]


def test_on_a_logarithmic_axis_the_nearest_is_the_one_by_ratio(pair):
    axis = {"type": "log", "range": [-1, 1]}
    pair.figures = [ring(at, True).update_xaxes(axis) for at in PEAKS]
    pair.put(pair.figures[0])
    pair.deal(pointed=POINTED)
    pair.page.evaluate(HOVER, ["chart", 0.73])  # nearer to 1 by ratio, to 0.5 by difference
    assert pair.mark("frame") == "1"


@pytest.mark.parametrize("by", ["the page", "the slider"])
def test_what_is_drawn_under_a_mark_is_what_stays_without_it(pair, by):
    pair.deal(pointed=POINTED)
    pair.page.evaluate(HOVER, ["chart", 1.5])
    pair.stage.let_pass(200)
    if by == "the page":
        pair.put(pair.figures[4])
    else:
        pair.hold()
        pair.move(4, passing=300)
        pair.page.mouse.up()
    pair.page.evaluate(HOVER, ["chart", 1.0])
    pair.page.evaluate(HOVER, ["chart", None])
    pair.stage.let_pass(300)
    assert pair.shown() == PEAKS[4]


VALUE, DELTA, TONE = (("told_cards", part, 0) for part in ("value", "delta", "tone"))
TITLE, NOTES = ("headline", "title", 0), ("told_notes", "text", 0)
SAID = [
    {TITLE: f"ε is <strong>{at}</strong>", VALUE: f"<p>{at}</p>", NOTES: None if at == 3 else f'<p>At {at} <i data-tex="e"></i></p>',
     DELTA: "<p>less</p>", TONE: str(at == 4)}
    for at in range(5)
]  # fmt: skip
READ = """() => ["headline", "told_cards", "told_notes", "unforetold_code"].map((key) => {
  const walk = document.createTreeWalker(document.querySelector(`.st-key-${key}`), NodeFilter.SHOW_TEXT), found = [];
  const seen = (node) => node.parentElement.checkVisibility({ visibilityProperty: true });
  while (walk.nextNode()) if (seen(walk.currentNode)) found.push(walk.currentNode.nodeValue);
  return found.join(" ").replace(/\\s+/g, " ").trim(); })"""
STALE = "(are) => { for (const one of document.querySelectorAll('[data-stale]')) one.dataset.stale = are; }"
FIRST = ["ε is 1", "1 less", "Of e", "code"]


@pytest.fixture
def worded(charts):
    """Charts on a page whose words are known too, in the style sheet of the app."""
    charts.page.add_style_tag(content=(HERE / "live.css").read_text(encoding="utf-8"))
    charts.deal(words=spoken.Words(SAID).wire())
    charts.hold()
    return charts


def test_words_follow_a_held_slider_and_what_is_not_known_is_hidden(worded):
    assert worded.page.evaluate(READ) == FIRST
    worded.move(2)
    assert worded.page.evaluate(READ) == ["ε is 2", "2 less", "At 2 e", ""]
    worded.move(3)  # at which no note is known
    assert worded.page.evaluate(READ) == ["ε is 3", "3 less", "", ""]
    worded.move(4)  # where the card has another colour
    assert worded.page.evaluate(READ) == ["ε is 4", "4", "At 4 e", ""]
    worded.page.evaluate("() => { stage.end(); stage.end = null; }")  # the script is removed
    assert worded.page.evaluate(READ) == FIRST


def test_own_words_come_back_when_they_answer_the_slider_let_go(worded):
    worded.move(2)
    worded.stage.let_pass(2000)
    assert worded.page.evaluate(READ)[0] == "ε is 2"  # as long as it is held
    worded.page.mouse.up()
    worded.running(True)
    worded.page.evaluate(STALE, "true")
    worded.stage.let_pass(2000)
    assert worded.page.evaluate(READ) == ["ε is 2", "2 less", "At 2 e", ""]
    worded.page.evaluate(STALE, "false")
    worded.stage.let_pass(100)
    assert worded.page.evaluate(READ) == FIRST
    worded.running(False)
    worded.stage.let_pass(100)
    html = worded.page.locator("html")
    assert html.get_attribute("data-moving") is None
    assert html.get_attribute("data-followed") == "noise"  # so that nothing fades, whenever the answer comes
    worded.page.locator("body").dispatch_event("pointerdown")
    assert html.get_attribute("data-followed") is None


def test_without_words_all_that_may_change_is_hidden(charts):
    charts.page.add_style_tag(content=(HERE / "live.css").read_text(encoding="utf-8"))
    charts.deal()
    charts.hold()
    charts.move(2)
    assert charts.page.evaluate(READ) == ["", "", "", ""]
