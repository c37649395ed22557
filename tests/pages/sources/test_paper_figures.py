"""The page of the per-instance paper's figures."""

import re
from html import unescape

import pytest

from dpcore.exhibits.paper_figures import proposition16, study
from dpcore.exhibits.paper_figures.efficiency import simulate_efficiency
from dpcore.exhibits.paper_figures.study import FIGURE_1, FIGURE_2_LEFT, FIGURE_2_RIGHT, PAPER_DELTA
from dpcore.individual import individual_privacy
from dpcore.learners import AdaOPS
from dpcore.mechanisms import OutputPerturbation, PosteriorSampling
from pages.components.words import number, times
from pages.sources.paper_figures import efficiency
from tests.pages.tabs import cards, figure_in, opened, run, said

PAGE = "sources/paper_figures"


@pytest.mark.thorough
@pytest.mark.parametrize("figure", [FIGURE_1, FIGURE_2_LEFT, FIGURE_2_RIGHT])
def test_metrics_and_claims_are_the_library_s(figure):
    app = run(PAGE, pf_figure=figure, pf_n=200, pf_many=200, pf_d=4)
    found = study.PaperFigures(200, 4, 0.1, 1)
    assert len(app.get("plotly_chart")) == 1
    shown = cards(app)
    gamma = individual_privacy(found.data, PosteriorSampling(1.0, 1.0), PAPER_DELTA)
    result = gamma if figure == FIGURE_2_RIGHT else found.result
    assert shown["DP worst case"] == f"ε = {number(result.worst_case_epsilon, 4)}"
    assert shown["Average row"] == f"ε = {number(result.epsilon.mean(), 4)}"
    assert ("pDP for all" in shown) == (figure == FIGURE_1)
    text = said(app)
    for claim in found.claims(figure):
        assert claim.words in text
        assert times(claim.found) in text
    verdicts = [claim.verdict for claim in found.claims(figure)]
    assert text.count("Not reproduced: more than printed") == verdicts.count("larger")
    assert text.count("Not reproduced: less than printed") == verdicts.count("smaller")
    floor = f"at γ = {number(study.GAMMAS[0])} the mean ε of the posterior sample is still {number(found.right.groups[0].mean)} and"
    assert (floor in text) == (figure == FIGURE_2_RIGHT)


def test_noise_shaped_by_the_data_has_rows_and_no_worst_case():
    app = run(PAGE, pf_figure=FIGURE_2_LEFT, pf_many=100, pf_d=2, pf_shape="gram_squared", pf_sigma=2.0)
    data, shaped = study.paper_data(100, 2, 0.1, 1), OutputPerturbation(2.0, 1.0, "gram_squared")
    result = individual_privacy(data, shaped, PAPER_DELTA)
    shown = cards(app)
    assert shown == {
        "Average row": f"ε = {number(result.epsilon.mean(), 4)}", "Most exposed row": f"ε = {number(result.epsilon.max(), 4)}",
        "DP worst case": "no guarantee",
    }  # fmt: skip
    assert "of this noise none is known" in said(app)


@pytest.mark.thorough
def test_efficiency_is_simulated_when_asked_for(monkeypatch):
    monkeypatch.setattr(efficiency, "SIZES", (1_000, 4_000))
    app = run(PAGE, pf_tab="Statistical efficiency", pf_n=100, pf_d=2, pf_simulate=True)
    text = said(app)
    for n, words in {1_000: "at n = {} it is {} times", 4_000: "At n = {} the error is **{} times the Cram"}.items():
        found = simulate_efficiency(AdaOPS(4.0, 1e-6, kappa=1.5), n, repeats=40, rng=0)
        assert words.format(f"{n:,}".replace(",", "\u202f"), number(found.ratio)) in text


@pytest.mark.thorough
def test_statements_show_a_sentence_with_their_number_and_where_they_hold():
    average = number(float(proposition16.over_condition(50, 2, 0.1, 0, 10.0).rows[0]))
    app = opened(PAGE, "pf_tab", "Proposition 16", pf_n=50, pf_d=2, pf_seed=0)
    for statement, words in {
        "Average exposure": f"average ε = {average}",
        "No assumptions": "lies below the exact worst case at 7 of the 7",
        "One draw's excess": f"worse than the minimiser by {number(0.1)}",
        "A simpler bound": "never below the exact ε",
    }.items():
        app.session_state["pf_statement"] = statement
        text = said(app.run())
        assert "Holds when" in text
        assert words in text


def test_rows_that_do_not_determine_the_coefficients_are_a_sentence():
    app = opened(PAGE, "pf_tab", "Proposition 16", pf_n=3, pf_d=10)
    assert any("more than d = 10" in item.value for item in app.info)


@pytest.mark.thorough
def test_the_four_steps_each_say_their_number():
    app = opened(PAGE, "pf_tab", "From pDP to DP", pf_n=50, pf_d=2, pf_target=2.0)
    assert "some data set makes a record arbitrarily visible" in said(app)
    app.session_state["pf_step"] = "4 Release and enforce"
    text = said(app.run())
    assert f"The sample takes ε = {number(1.0)}, the whole **ε = {number(2.0)} for any data**" in text


def test_the_multiple_in_words_is_that_of_both_numbers_beside_it():
    """Rounded as they are shown, the worst case over the average row is the number in the headline and over the arrow."""
    app = run(PAGE, pf_sigma=4.0)
    drawn = {one.get("name", ""): one for one in figure_in(app)["data"]}
    words = (drawn[name]["text"][1] for name in ("average row", "worst record, any data"))
    average, worst = (float(re.search(r"[\d.]+", text)[0]) for text in words)
    (arrow,) = [one for one in figure_in(app)["data"] if one.get("textfont", {}).get("size") == 24]
    multiple = float(re.search(r"(\d+)", arrow["text"][1])[1])
    assert multiple == pytest.approx(worst / average, abs=0.6)
    assert f"{multiple:.0f}\u00a0× the average" in unescape(app.title[0].value)
    assert [arrow["x"][0], arrow["x"][2]] == pytest.approx([average, worst], rel=1e-3)
    shown = cards(app)
    assert [shown["Average row"], shown["DP worst case"]] == [f"ε = {number(one, 4)}" for one in (average, worst)]


def test_without_a_worst_case_there_is_no_arrow():
    (arrow,) = [
        one
        for one in figure_in(run(PAGE, pf_shape="gram_squared"))["data"]
        if one.get("textfont", {}).get("size") == 24
    ]
    assert arrow["x"] == [None] * 3
