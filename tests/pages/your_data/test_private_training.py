"""The private-training page: its numbers are the library's, studies run, stop and resume, and refusals are sentences."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import dpcore as dp
from dpcore.data.samples.published import synthetic_l
from dpcore.data.samples.synthetic import logistic_data
from dpcore.exhibits import training
from dpcore.exhibits.training.published import algorithm_1
from dpcore.exhibits.training.solver_study import race
from dpcore.learners import LEARNERS, ObjectivePerturbationLearner, dp_sgd
from pages.components.words import number
from pages.your_data.private_training import study as study_page
from pages.your_data.private_training.learners import learners
from pages.your_data.private_training.live import shown
from tests.data.samples.test_published import gisette_files
from tests.pages.tabs import examples, figure_in, on_cards, open_tab, press, run
from tests.pages.test_live import numbers

PAGE = "your_data/private_training"


def small(view: str, data: str = "logistic") -> AppTest:
    """The page on 500 generated rows."""
    app = run(PAGE, tr_data=data)
    app.select_slider(key="tr_n").set_value(500)
    app.select_slider(key="tr_d").set_value(4)
    return app.button_group(key="tr_view").set_value(view).run()


def finish(app: AppTest) -> AppTest:
    for _ in range(40):
        app.run()
        if "finished" in app.get("progress")[0].text:
            return app
    raise AssertionError("the study did not finish")


def test_live_numbers_on_the_published_data_are_those_of_the_library():
    app = run(PAGE, tr_epsilon=1.0)
    learner = ObjectivePerturbationLearner("logistic", 1.0, 1e-5, theta_norm=41**0.5)
    result = training.live(synthetic_l(), learner, rows=8000)
    found = sorted(result.scores["accuracy"])
    assert app.metric[0].value == shown("accuracy", (found[49] + found[50]) / 2)
    assert app.metric[1].value == shown("accuracy", result.non_private["accuracy"])
    assert (app.metric[2].value, len(app.get("plotly_chart"))) == ("ε = 1.00", 2)
    assert len(open_tab(app, "tr_tab", "Excess risk").get("plotly_chart")) == 3


def test_rows_of_descent_are_those_of_the_library_and_their_groups_add_up():
    """Each bar counts its rows; the groups of labels have the medians that a loop finds."""
    app = small("rows")
    data = logistic_data(500, 4, 10.0, 0)
    found = dp.learners.descent_exposure(data, dp.DPSGD("logistic", 0.1, 1e-5, epochs=20), 0)
    median = sorted(found.epsilon)[249:251]
    assert (
        app.title[0].value
        == f"Each row is charged ε = {number(found.worst_case)}; half cost at most {number(sum(median) / 2)}"
    )
    assert sum(numbers(figure_in(app)["data"][0]["y"])) == 500
    table = open_tab(app, "tr_tab", "Groups").dataframe[0].value
    for label, shown_median in zip((-1.0, 1.0), table["ε, median"], strict=True):
        assert shown_median == pytest.approx(np.median(found.epsilon[data.y == label]), rel=1e-3)
    assert table["rows"].sum() == 500


def test_a_loss_that_does_not_suit_is_refused_with_the_reason():
    app = small("live", "linear")
    app.selectbox(key="tr_loss_squared").set_value("logistic").run()
    assert "labels -1 and +1" in app.error[0].value


@pytest.mark.thorough
def test_a_study_runs_to_its_end_and_keeps_what_it_has():
    app = small("study")
    app.select_slider(key="tr_repeats").set_value(2)
    app.button_group(key="tr_grid").set_value([0.5, 8.0])
    app.button_group(key="tr_learners").set_value(["tight", "output"]).run()
    press(app, "Run")
    open_tab(finish(app), "tr_tab", "Data")
    frame = app.dataframe[0].value
    assert len(frame) == 2 * (2 * 2 + 1)
    data = logistic_data(500, 4, 10.0, 0)
    study = training.LearnerComparison(data, learners("logistic", ("tight", "output"), 20), (0.5, 8.0), 1e-5, 2)
    expected = [point.scores["accuracy"] for point in study.run()]
    assert sorted(frame["accuracy"]) == pytest.approx(sorted(expected), abs=1e-12)
    app.button_group(key="tr_grid").set_value([0.5, 1.0, 8.0]).run()
    done, _, planned, _ = app.get("progress")[0].text.split()
    assert int(done) >= 10  # those of before, and as many as a first picture takes time for
    assert planned == "14"


def test_a_study_stops_when_asked(monkeypatch):
    monkeypatch.setattr(study_page, "BUDGET", 0.0)
    app = small("study")
    press(app, "Run")
    press(app, "Stop")
    first = app.get("progress")[0].text
    app.run()
    assert app.get("progress")[0].text == first
    assert first.startswith("2 of ")  # one as the study opens, one until it is stopped


@pytest.mark.thorough
def test_honest_tuning_names_its_price(monkeypatch):
    """With a calibration that is known: the true one is seconds of quadrature, tested with the learner."""
    monkeypatch.setattr(dp_sgd, "noise_multiplier", lambda *facts: 4.0 if facts[4] else 2.5)
    app = small("study")
    app.button_group(key="tr_learners").set_value(["honest"])
    app.button_group(key="tr_grid").set_value([1.0]).run()
    app.select_slider(key="tr_epochs").set_value(1).run()
    app.button(key="tr_honest").click().run(timeout=200)
    assert [metric.label for metric in app.metric][:2] == ["Mean number of rates tried", "Noise multiplier, honest"]
    assert (float(app.metric[1].value), float(app.metric[1].delta.split()[0])) == (4.0, 2.5)


def test_a_study_opens_with_stored_releases_and_its_headline_is_their_mean():
    app = run(PAGE, **examples(PAGE)["Three budgets"])
    assert "40 of 40 releases, 40 of them computed beforehand" in app.get("progress")[0].text
    both = {"p": algorithm_1(), "free": LEARNERS["non_private"]("logistic")}
    study = training.LearnerComparison(synthetic_l(form="published"), both, (1.0,), 1e-5, 10)
    known = study.select(study_page.stored_points())
    found, free = (
        shown("accuracy", np.mean([point.scores["accuracy"] for point in known if point.name == name]))
        for name in ("p", "free")
    )
    said = f"ε = 1.00 buys {found} with Algorithm 1, published settings; without privacy {free}"
    assert app.title[0].value == said


def test_the_race_shows_the_passes_asked_for():
    app = run(PAGE, **examples(PAGE)["Race of solvers"])
    runners = race()
    needed = {one.solver: one.needed(1e-4) for one in runners}
    assert on_cards(app) == [f"{passes:.0f}" for passes in needed.values()]
    assert f"SAG is there after {needed['sag']:.0f} passes" in app.title[0].value
    for passes in (10, 60):
        app.select_slider(key="tr_passes").set_value(passes).run()
        traces = figure_in(app)["data"]
        ends = [max(one.passes[one.passes <= passes]) for one in runners]
        assert [numbers(trace["x"])[-1] for trace in traces] == ends


def test_gisette_is_read_from_files_and_forgotten():
    _, _, uci, labels, _ = gisette_files(40)
    app = run(PAGE, tr_view="study", tr_data="gisette")
    assert "Upload Gisette" in app.info[0].value
    files = [("gisette_train.data", uci, "text/plain"), ("gisette_train.labels", labels, "text/plain")]
    app.get("file_uploader")[0].set_value(files).run()
    assert any(button.label == "Run" for button in app.button)
    press(app, "Forget my data")
    assert "Upload Gisette" in app.info[0].value
