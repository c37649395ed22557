"""Frames of every live chart against the page itself: what a drag shows is what the page would draw there."""

import base64
import json
import math
import re
import zlib

import numpy as np
import plotly.graph_objects as go
import pytest
from plotly.io.json import to_json_plotly

from dpcore.figures.frames import following
from pages.components import controls, live, people, say, spoken
from pages.understand.composition.state import RUNS
from pages.understand.learn import progress
from pages.understand.learn.words import LESSONS
from tests.pages.tabs import at

SIGMAS, BUDGETS, CURVATURES = (controls.round_values(*ends) for ends in ((0.2, 20.0), (0.1, 8.0), (0.1, 10.0)))
LIMITS = controls.round_values(0.05, 4.0)
CASES = {
    "noise of the first mechanism": ("understand/privacy_curves", {}, "pc_gaussian_sigma", SIGMAS, (0, 30, 54)),
    "a pure mechanism, its edge": ("understand/privacy_curves", {}, "pc_laplace_scale", controls.round_values(0.1, 20.0), (3, 40)),
    "an order": ("understand/privacy_curves", {}, "pc_alpha", controls.round_values(1.1, 100.0), (0, 50)),
    "a target": ("understand/privacy_curves", {}, "pc_delta", list(range(-15, 0)), (0, 12)),
    "where one looks": ("understand/privacy_curves", {}, "pc_epsilon", [i / 20 for i in range(161)], (0, 77)),
    "false alarms": ("understand/privacy_curves", {}, "pc_false_alarms", people.ALARMS, (0, 4, 9)),
    "a prior": ("understand/privacy_curves", {}, "pc_prior", people.PRIORS, (0, 14)),
    "false alarms of a pipeline": ("understand/composition", {}, "co_false_alarms", people.ALARMS, (0, 9)),
    "a prior of a pipeline": ("understand/composition", {}, "co_prior", people.PRIORS, (0, 14)),
    "false alarms of a bound": ("understand/objective_perturbation", {}, "op_false_alarms", people.ALARMS, (0, 9)),
    "a prior of a bound": ("understand/objective_perturbation", {}, "op_prior", people.PRIORS, (0, 14)),
    "a budget on data": ("understand/output_perturbation", {}, "out_epsilon", controls.round_values(0.05, 20.0), (2, 70)),
    "draws and densities": ("understand/exponential_mechanism", {"em_draws": 400}, "em_epsilon", BUDGETS, (0, 50)),
    "laws of a list": ("understand/exponential_mechanism", {"em_view": "finite", "em_hypotheses": 250}, "em_epsilon", BUDGETS, (50,)),
    "two densities": ("understand/log_concave", {"lc_bounded": True}, "lc_mu", CURVATURES, (0, 54)),
    "their slopes": ("understand/log_concave", {}, "lc_scale", CURVATURES, (0, 54)),
    "half the width of the set": ("understand/log_concave", {"lc_bounded": True}, "lc_width", CURVATURES, (5,)),
    "convexity of a drawing": ("understand/log_concave", {"lc_mode": "draw"}, "lc_draw_mu", controls.round_values(0.1, 1.0), (0, 27)),
    "noise of every bound": ("understand/objective_perturbation", {}, "op_sigma", controls.round_values(0.1, 1000.0), (0, 60, 108)),
    "regularisation of every bound": ("understand/objective_perturbation", {}, "op_lambda", controls.round_values(0.01, 1000.0), (0, 70)),
    "a number on the cards": ("understand/objective_perturbation", {}, "op_epsilon", [i / 20 for i in range(161)], (0, 18, 90)),
    "bells of the game": ("understand/home", {}, "home_sigma", None, (0, 20)),
    "a threshold": ("understand/home", {}, "home_threshold", [90 + i / 10 for i in range(211)], (0, 103, 210)),
    "rows of a figure": ("sources/paper_figures", {}, "pf_sigma", controls.round_values(0.1, 100.0), (0, 40, 81)),
    "bins that fill": ("understand/learning_limits", {}, "ll_epsilon", LIMITS, (0, 40)),
    "descent": ("understand/learning_limits", {"ll_view": "descent", "ll_steps": 20}, "ll_epsilon", LIMITS, (0, 40)),
    "risk of a class": ("understand/learning_limits", {"ll_view": "finite"}, "ll_epsilon", LIMITS, (0, 40)),
    "excess of a draw": ("understand/learning_limits", {"ll_view": "sampling"}, "ll_k", controls.round_values(0.1, 1e4), (0, 90)),
    **{
        f"lesson on {name}": (
            "understand/learn",
            {"learn_lesson": name, f"learn_{name}_step": "Answer"},
            progress.slider_key(name, progress.ANSWER),
            progress.positions(LESSONS[name]),
            (0, 3),
        )
        for name in LESSONS
        if name != "exposed"
    },
    "a guess": ("understand/learn", {}, progress.slider_key("epsilon", progress.GUESS), progress.positions(LESSONS["epsilon"]), (0, 3)),
    "runs of a pipeline": ("understand/composition", {}, "co_runs", RUNS, (0, 12, 36)),
    "draws at a budget": ("your_data/private_training", {"tr_data": "logistic"}, "tr_epsilon", None, (0, 20, 33)),
    "learners at a budget": ("your_data/decide", {"de_n": 500}, "de_epsilon", controls.round_values(0.05, 20.0, few=True), (0, 12, 26)),
    "a map": ("your_data/privacy_map", {}, "pm_gamma", controls.round_values(1e-4, 1e4, few=True), (0, 40, 80)),
    "where one looks at a run": ("verify/check_run", {"ck_run": "shuffled"}, "ck_delta", list(range(-15, 0)), (0, 12)),
    "digits of every mechanism": ("verify/cross_check", {}, "cc_epsilon", [i / 10 for i in range(81)], (0, 10, 77)),
    "a line": ("understand/output_perturbation", {}, "out_lambda", controls.round_values(0.01, 1000.0), (0, 77)),
}  # fmt: skip
LARGEST = 400_000
WITHOUT_HEADLINE = ("See differential privacy",)
TAKEN = ("noise of the first mechanism", "draws and densities", "noise of every bound", "a line")


def numbers(value):
    """A list of floats, whichever way Plotly writes it."""
    if isinstance(value, dict) and "bdata" in value:
        return np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"]).tolist()
    return value


def charts(app) -> dict:
    """Figures on screen by the class their key gives them, but for players of their own, which are hidden meanwhile."""
    found = {
        "st-key-" + re.sub("[^a-zA-Z0-9_-]", "-", one.proto.id.split("-", 2)[2]): json.loads(one.proto.spec)
        for one in app.get("plotly_chart")
    }
    for one in found.values():
        one["layout"] = {part: said for part, said in one["layout"].items() if part not in ("sliders", "updatemenus")}
    return found


def said(app) -> dict:
    """Headline and cards on screen, as a browser is told of them."""
    cards = [one for one in app.metric if not one.label.startswith("Published, round")]
    found = {}
    if app.title[0].value not in WITHOUT_HEADLINE:
        found["headline", "title", 0] = spoken.inline(say.own(app.title[0].value))
    for i, one in enumerate(cards):
        parts = {"label": one.label, "value": one.value} | ({"delta": one.delta} if one.delta else {})
        found |= {("told_cards", part, i): spoken.paragraph(say.own(text)) for part, text in parts.items()}
    for one in app.markdown:
        if "a coin, " in one.value:
            found["told_people", "text", 0] = spoken.paragraph(say.own(one.value))
    return found


def put(spec: dict, path: str, value) -> None:
    """Set an attribute by its path, as the browser would."""
    *steps, last = re.findall(r"[^.\[\]]+", path)
    for step in steps:
        spec = spec[int(step)] if step.isdigit() else spec[step]
    spec[last] = value


def moved(spec: dict, wire: dict, position: int) -> dict:
    """A figure with one frame of what the browser is sent."""
    for one in wire["numbers"]:
        planes = zlib.decompress(base64.b64decode(one["floats"]))
        width = one["width"]
        floats = np.stack(np.split(np.frombuffer(planes, "u1"), width), axis=1).copy().view(f"<f{width}").ravel()
        start = one["ends"][position - 1] if position else 0
        put(spec, f"data[{one['trace']}].{one['name']}", floats[start : one["ends"][position]].tolist())
    for one in wire["rest"]:
        put(spec, one["path"], one["values"][position])
    return spec


def exported(spec: dict, deck) -> go.Figure:
    """The figure as it is taken away, with its frames."""
    return following(go.Figure(spec), deck, "light", label="", at=deck.labels[0])


def played(spec: dict, taken: go.Figure, position: int) -> dict:
    """The figure after its own slider was moved: what Plotly makes of the frame that the slider names."""
    wanted = taken.layout.sliders[0].steps[position].args[0][0]
    frame = json.loads(to_json_plotly(next(one for one in taken.frames if one.name == wanted).to_plotly_json()))
    for trace, moves in zip(frame["traces"], frame.get("data", []), strict=True):
        spec["data"][trace] = merged(spec["data"][trace], moves)
    spec["layout"] = merged(spec["layout"], frame.get("layout", {}))
    return spec


def merged(one: dict, other: dict) -> dict:
    """Parts of one replaced by those of the other, which says its kind of trace besides."""
    deep = {
        key: merged(one[key], value) if isinstance(value, dict) and "bdata" not in value and key in one else value
        for key, value in other.items()
        if key != "type" or key in one
    }
    return {**one, **deep}


def same(one, other) -> bool:
    """Equal up to what drawing needs: six digits, nothing below the smallest float of 32 bits."""
    one, other = numbers(one), numbers(other)
    if isinstance(one, dict):
        keys = {key for key in one if one[key] is not None} | {key for key in other if other[key] is not None}
        return all(same(one.get(key), other.get(key)) for key in keys)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) or isinstance(other, float):
        one, other = (math.nan if value is None else value for value in (one, other))
        return (one != one and other != other) or math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-37)
    return one == other


@pytest.mark.parametrize("case", CASES)
def test_a_frame_is_what_the_page_draws_there(case, monkeypatch):
    page, state, slider, values, positions = CASES[case]
    offers, wires, decks, words = {}, {}, {}, []

    def follow(offered, key, **_):
        offers.update(offered)
        if not wires:
            build, *arguments = offered[slider]
            dealt = dict(filter(None, build(*arguments)))
            words.extend(dealt.pop(spoken.WORDS).said)
            dealt.pop("")
            decks.update({live._css(chart): deck for chart, deck in dealt.items()})
            wires.update({chart: deck.wire() for chart, deck in decks.items()})

    monkeypatch.setattr(live, "follow", follow)
    app = at(page)
    for key, value in state.items():
        app.session_state[key] = value
    app.run()
    made_of = offers[slider]
    assert wires or words
    assert len(json.dumps(wires)) <= LARGEST
    before = charts(app)
    taken = {name: exported(before[name], deck) for name, deck in decks.items() if case in TAKEN}
    values = values or [float(text) for text in app.select_slider(key=slider).options]
    for position in positions:
        app.session_state[slider] = values[position]
        app.run()
        assert repr(offers[slider]) == repr(made_of), "the frames would be made anew after each release"
        after = charts(app)
        found = said(app)
        assert {slot: words[position].get(slot) for slot in found} == found
        for name in before:
            base = json.loads(json.dumps(before[name]))
            shown = moved(base, wires[name], position) if name in wires else base
            for part in ("data", "layout"):
                assert same(shown[part], after[name][part]), (name, part, position)
                if name in taken:
                    there = played(json.loads(json.dumps(before[name])), taken[name], position)
                    assert same(there[part], after[name][part]), (name, part, position, "taken away")
            assert name not in wires or wires[name]["count"] == len(values)
    spoken_of = {str(words[position]) for position in positions}  # where no chart moves, numbers in words do
    assert any(not same(before[name], after[name]) for name in wires) or (not wires and len(spoken_of) > 1), (
        "nothing moved"
    )
