"""The noise-augmentation page: its numbers are dpcore's, every control survives its ends, bad choices get a sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpcore.audit import napp as audit
from dpcore.errors import DataError
from dpcore.exhibits.noise_augmentation.settings import example
from dpcore.exhibits.noise_augmentation.simulation import Simulation
from dpcore.learners import napp
from pages.components.words import number
from pages.sources.noise_augmentation import study
from pages.sources.noise_augmentation.state import FIGURES, LOSSES, AugmentationView
from tests.pages.tabs import figure_in, open_tab, press, run, said
from tests.pages.test_live import numbers

PAGE = "sources/noise_augmentation"


def opened(view, tab="What to notice"):
    app = run(PAGE)
    open_tab(app, "na_tab", tab)
    return app.selectbox(key="na_view").set_value(view).run()


def test_the_certified_form_is_the_default_and_its_number_is_the_learners():
    app = run(PAGE)
    assert "certified" in app.metric[0].value
    case = example("linear", 200)
    learner = napp.NoiseAugmentedLearner("squared", 1.0, 0.0, napp.Regularizer("lasso", 3.0), clip=1.0)
    assert app.metric[0].value == f"ε = {number(float(learner.plan(case.facts).profile.epsilon(0.0)))} certified"
    app.button_group(key="na_variant").set_value("moor").run()
    assert (app.metric[0].value, app.metric[0].delta) == ("ε = 1.00 claimed", "refuted")


def test_a_card_is_the_slope_of_the_last_three_points_of_the_drawn_curve():
    app = run(PAGE)
    measured = figure_in(app)["data"][0]
    x, y = (np.log(np.asarray(numbers(measured[name]), dtype=float)[-3:]) for name in "xy")
    assert app.metric[3].value == number(np.polyfit(x, y, 1)[0])


def test_counterexample_is_computed_from_the_controls():
    app = run(PAGE)
    press(app, "Counterexample")
    scenario = audit.Scenario(1.0, 4.0, target=2.0)
    assert (app.metric[0].value, app.metric[1].value) == (number(audit.attack(scenario, "moor").delta), "∞")
    assert app.metric[3].value == f"ε = {number(scenario.certified.pure_epsilon)}"
    app.select_slider(key="na_after").set_value(20).run()
    assert app.metric[0].value == number(audit.after_iterations(scenario, 20))
    app.select_slider(key="na_after").set_value(0).run()
    app.select_slider(key="na_strength").set_value(1.0).run()
    for variant in ("moor", *audit.GAME_VARIANTS):
        app.selectbox(key="na_attacked").set_value(variant).run()
        assert app.metric[0].value == number(audit.attack(audit.Scenario(1.0, 1.0, target=2.0), variant).delta)


ALWAYS = {  # what each view asks for as it opens
    "rows": "data size variant kind epsilon noise rows_400",
    "realised": "kind strength epsilon printed",
    "paths": "data size variant kind strength epsilon noise finite limit",
    "private": "attacked strength epsilon after target others",
    "study": "data size figure noise printed full show_False_True",
    "theory": "data size kind strength epsilon noise",
    "sizes": "data size kind strength epsilon noise allowed constant",
}


@pytest.mark.parametrize(("view", "answers", "more", "less"), [
    *((view, {}, "", "") for view in ALWAYS),
    ("theory", {"data": "upload", "source": "upload"}, "loss", "size noise"),
    ("study", {"data": "upload", "figure": "budget"}, "loss clip source", "size show_False_True"),
    ("study", {"full": True}, "show_True_True", "show_False_True"),
    ("rows", {"kind": "elastic_net"}, "strength kappa", ""),
    ("rows", {"variant": "moor", "kind": "bridge"}, "printed second", ""),
    ("rows", {"noise": "gaussian"}, "delta", ""),
    ("rows", {"variant": "sum", "kind": "ridge"}, "printed strength", ""),
    ("rows", {"variant": "moor", "second": True, "kind": "bridge"}, "printed second strength gamma", ""),
    ("paths", {"variant": "moor", "selection": "vs"}, "printed selection cut", ""),
    ("paths", {"finite": True}, "rows_4000 limit_finite", "limit"),
    ("private", {"attacked": "vs_plus"}, "", "after"),
    ("realised", {"kind": "bridge"}, "gamma", ""),
])  # fmt: skip
def test_each_view_asks_for_what_its_numbers_need(view, answers, more, less):
    """In the first iteration Λ is in the rows only through a square: a lasso's and a bridge's weights wait for a fit."""

    def script():
        import streamlit as st

        from pages.components import state
        from pages.sources.noise_augmentation.state import AugmentationView

        st.session_state["found"] = state.ask(AugmentationView, "na", place=st.container())

    app = AppTest.from_function(script)
    for key, value in {"view": view, **answers}.items():
        app.session_state["source" if key == "source" else f"na_{key}"] = value
    app.run()
    asked = {str(one.key).removeprefix("na_") for one in app.main if str(getattr(one, "key", "")).startswith("na_")}
    assert asked - {"view"} == {*ALWAYS[view].split(), *more.split()} - {*less.split()}
    held = {key: value for key, value in answers.items() if key != "source"}
    held |= {"rows": 4000, "limit": 40} if "finite" in held else {}
    found = app.session_state["found"]
    assert found == replace(AugmentationView(view, **held), dataset=found.dataset)
    for shown in (one for one in app.select_slider if str(one.key).startswith("na_show")):
        assert tuple(map(float, shown.options)) == found.epsilons
    if "kind" in asked:
        claimed = view in ("rows", "paths") and answers.get("variant", "certified") != "certified"
        assert ("Bridge" in app.selectbox(key="na_kind").options) == (view == "realised" or claimed)


@pytest.mark.parametrize("loss", LOSSES)
def test_own_data_are_marked_confidential_or_refused_in_words(loss):
    app = opened("paths")
    app.selectbox(key="na_data").set_value("upload").run()
    app.selectbox(key="na_loss").set_value(loss).run()
    assert app.error or "confidential" in said(app, "caption")
    assert loss != "squared" or not app.error


def test_the_source_s_split_of_another_file_is_refused_in_words():
    app = run(PAGE, na_view="study", na_data="upload", na_figure="budget", na_loss="squared", na_source=True)
    assert "45222 rows" in app.error[0].value
    app.toggle(key="na_source").set_value(False).run()
    assert not app.error


def test_a_failure_amid_a_simulation_is_a_sentence_and_stops_it(monkeypatch):
    def fail(self, points):
        raise DataError("Only one label is left; give more rows.")
        yield

    app = opened("study")
    monkeypatch.setattr(Simulation, "fits", fail)
    app.button(key="na_run").click().run()
    assert app.error[0].value == "Only one label is left; give more rows."
    assert app.button(key="na_run").label == "Continue"


def test_simulation_runs_to_its_end_and_checks_the_claims(monkeypatch):
    monkeypatch.setattr(study, "study", lambda state: Simulation("linear", 60, (0.4, 1.0), (0.5, 5.0), 2))
    monkeypatch.setattr(study, "_FIRST", 2)
    monkeypatch.setattr(study, "_PIECE", 600.0)  # one piece, however busy the machine
    app = opened("study")
    assert app.metric[0].value == "1"
    press(app, "Continue")
    assert (app.metric[0].value, app.button(key="na_run").label) == ("2", "Finished")
    assert app.button(key="na_run").disabled
    table = open_tab(app, "na_tab", "Claims checked").table[0].value
    assert set(table["verdict"]) <= {"✓ holds here", "✕ does not hold here", "? not settled yet"}
    assert len(table) > 8
    for figure in FIGURES:
        app.selectbox(key="na_figure").set_value(figure).run()
