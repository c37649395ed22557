"""Decide: what the cards, the figure, the table and the code say is the recommendation; a check can be run and stopped."""

import numpy as np
import pytest

import dpcore as dp
from dpcore.exhibits.decide import study
from pages.components.words import count, number
from tests.pages.tabs import figure_in, open_tab, run

PAGE, TAB = "your_data/decide", "de_tab"
SMALL = {"de_n": 100, "de_d": 2}


def press(app, label):
    next(one for one in app.button if one.label == label).click().run()
    return app


def drawn(app, name):
    return [one for one in figure_in(app)["data"] if one.get("name", "").startswith(name)]


def test_the_headline_the_cards_and_the_marks_are_the_ranking():
    app = run(PAGE, de_n=700, de_d=6, de_epsilon=0.5, de_accuracy=0.8, de_rows=2.0)
    told = dp.Difficulty(0.8, row_share=0.5)
    answer = dp.recommend(dp.PublicFacts(700, 6, dp.Domain()), "logistic", 0.5, difficulty=told)
    first = answer.ranking[0]
    assert app.title[0].value.startswith(first.learner.title)
    assert f"{100 * first.predicted:.1f} of {100 * answer.without_privacy:.1f} %" in app.title[0].value
    cards = {card.label: card.value for card in app.metric}
    assert cards["Predicted accuracy"] == f"{100 * first.predicted:.1f} %"
    figure = figure_in(app)
    dots = next(one for one in figure["data"] if one["mode"] == "markers" and not one.get("name"))
    by_title = {one.learner.title: one.predicted for one in answer.ranking}
    assert dict(zip(dots["y"], dots["x"], strict=True)) == pytest.approx(by_title)
    assert {shape["x0"] for shape in figure["layout"]["shapes"]} == {answer.without_privacy, 0.5}
    (frame,) = (one.value for one in open_tab(app, TAB, "Data").dataframe)
    assert frame["predicted"].dropna().tolist() == pytest.approx([one.predicted for one in answer.ranking])
    assert any("squared loss only" in said for said in frame["source"])


@pytest.mark.parametrize(("asked", "wanted"), [
    ({"de_ask": "epsilon"}, lambda facts: number(dp.recommend(facts, "logistic", accuracy=0.8).epsilon)),
    ({"de_ask": "rows", "de_epsilon": 0.5}, lambda facts: count(dp.rows_needed(facts, 0.8, "logistic", 0.5).facts.n_samples)),
])  # fmt: skip
def test_inverse_questions_say_what_is_needed(asked, wanted):
    app = run(PAGE, de_n=1000, de_d=5, de_target=0.8, **asked)
    found = wanted(dp.PublicFacts(1000, 5, dp.Domain()))
    assert found in app.title[0].value
    assert app.metric[0].value == found
    assert len(app.title[0].value) <= 58


def test_what_is_out_of_reach_is_said():
    assert "without privacy it is" in run(PAGE, de_ask="epsilon", de_target=0.98).title[0].value
    app = run(PAGE, de_n=300, de_d=30, de_epsilon=0.1, de_accuracy=0.7)
    assert app.title[0].value == "Nothing useful at ε = 0.100 with 300 rows"
    assert any("More rows, fewer columns" in one.value for one in app.caption)


def test_a_check_is_run_shown_and_stopped():
    app = run(PAGE, **SMALL)
    assert not drawn(app, "simulated")[0]["showlegend"]
    stop = next(one for one in app.button if one.label == "Stop")
    assert stop.disabled
    press(app, "Check by simulation")
    if not next(one for one in app.button if one.label == "Stop").disabled:
        press(app, "Stop")
    app.run()
    (rings,) = drawn(app, "simulated")
    assert rings["showlegend"]
    assert len(rings["x"]) == len(rings["y"]) == 5
    assert np.isfinite(rings["x"]).all()
    assert "generated data set" in {card.label: card.delta for card in app.metric}["Simulated"]


def test_what_is_too_large_to_generate_is_said():
    app = press(run(PAGE, de_n=1_000_000, de_d=20), "Check by simulation")
    app.run()
    assert any("too many to generate" in one.value for one in app.warning)


def test_how_to_train_is_there_to_copy():
    app = open_tab(run(PAGE, **SMALL), TAB, "Train")
    assert any("differentially private if one of the 100 records" in one.value for one in app.markdown)
    assert "learner.fit(data, np.random.default_rng())" in app.code[0].value
    (link,) = app.get("page_link")
    assert "tr_d=2" in link.proto.query_string
    assert "tr_n=100" in link.proto.query_string


@pytest.mark.parametrize(("loss", "best", "d"), [("logistic", 0.85, 9), ("squared", 0.6, 4)])
def test_generated_data_of_private_training_are_as_hard(loss, best, d):
    from dpcore.data.samples.synthetic import linear_gaussian, logistic_gaussian

    facts = dp.PublicFacts(500, d, dp.Domain())
    answer = dp.recommend(facts, loss, 5.0, difficulty=dp.Difficulty(best))
    found, rng = study.training_data(answer), np.random.default_rng(0)
    if found.kind == "logistic":
        made = logistic_gaussian(60_000, d, found.value, rng)
        assert (np.sign(made.dataset.X @ made.theta) == made.dataset.y).mean() == pytest.approx(best, abs=0.01)
    else:
        made = linear_gaussian(60_000, d, found.value, rng)
        rest = made.dataset.y - made.dataset.X @ made.theta
        assert 1 - rest.var() / made.dataset.y.var() == pytest.approx(best, abs=0.04)
    counts = dp.recommend(dp.PublicFacts(500, 3, dp.Domain(target_bound=10.0)), "poisson", 5.0)
    assert study.training_data(counts) is None
