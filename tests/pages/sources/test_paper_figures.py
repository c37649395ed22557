"""The page of the per-instance paper's figures."""

from operator import itemgetter

import pytest

from dpcore.exhibits.paper_figures import proposition16
from dpcore.exhibits.paper_figures.efficiency import simulate_efficiency
from dpcore.exhibits.paper_figures.study import paper_figures
from dpcore.learners import AdaOPS
from pages.components.words import number, times
from pages.sources.paper_figures import efficiency
from tests.pages.tabs import opened, run

PAGE = "sources/paper_figures"


def test_metrics_and_claims_are_the_library_s():
    app = run(PAGE, pf_n=200, pf_d=4)
    found = paper_figures(200, 4, 0.1, 1)
    shown = {metric.label: metric.value for metric in app.metric}
    assert shown["DP worst case"] == f"ε = {number(found.worst_case)}"
    assert shown["pDP for all"] == f"ε = {number(found.for_all)}"
    text = " ".join(item.value for item in app.markdown)
    for claim in found.claims:
        assert claim.words in text
        assert times(claim.found) in text
    least, floor = min(zip(found.gammas, found.posterior, strict=True), key=itemgetter(0))
    assert f"at γ = {number(least)} the mean ε of the posterior sample is still {number(floor.mean)} and" in text
    verdicts = [claim.verdict for claim in found.claims]
    assert text.count("Not reproduced: more than printed") == verdicts.count("larger") == 2
    assert text.count("Not reproduced: less than printed") == verdicts.count("smaller") == 1


def test_a_preset_sets_the_sizes():
    app = run(PAGE, pf_n=200, pf_d=4)
    next(button for button in app.button if button.label == "Few rows").click().run()
    assert not app.exception
    assert app.select_slider(key="pf_n").value == 100


@pytest.mark.parametrize(
    "state", [{"pf_n": 2, "pf_d": 30, "pf_noise": 1.0}, {"pf_n": 10000, "pf_d": 1, "pf_noise": 0.01}]
)
def test_extremes_are_no_exception(state):
    assert len(run(PAGE, **state).metric) == 4


def test_a_single_row_is_a_sentence():
    assert any("two rows" in item.value for item in run(PAGE, pf_n=1).info)


def test_efficiency_is_simulated_when_asked_for(monkeypatch):
    monkeypatch.setattr(efficiency, "SIZES", (1_000, 4_000))
    app = run(PAGE, pf_tab="Statistical efficiency", pf_n=100, pf_d=2, pf_simulate=True)
    text = " ".join(item.value for item in app.markdown)
    for n, said in {1_000: "at n = {} it is {} times", 4_000: "At n = {} the error is **{} times the Cram"}.items():
        found = simulate_efficiency(AdaOPS(4.0, 1e-6, kappa=1.5), n, repeats=40, rng=0)
        assert said.format(f"{n:,}".replace(",", "\u202f"), number(found.ratio)) in text


def test_statements_show_a_sentence_with_their_number_and_where_they_hold():
    average = number(float(proposition16.over_condition(50, 2, 0.1, 0, 10.0).rows[0]))
    app = opened(PAGE, "pf_tab", "Proposition 16", pf_n=50, pf_d=2, pf_seed=0)
    for statement, said in {
        "Average exposure": f"average ε = {average}",
        "No assumptions": "lies below the exact worst case at 7 of the 7",
        "One draw's excess": f"worse than the minimiser by {number(0.1)}",
        "A simpler bound": "never below the exact ε",
    }.items():
        app.session_state["pf_statement"] = statement
        text = " ".join(item.value for item in app.run().markdown)
        assert "Holds when" in text
        assert said in text


def test_rows_that_do_not_determine_the_coefficients_are_a_sentence():
    app = opened(PAGE, "pf_tab", "Proposition 16", pf_n=3, pf_d=10)
    assert any("more than d = 10" in item.value for item in app.info)


def test_the_four_steps_each_say_their_number():
    app = opened(PAGE, "pf_tab", "From pDP to DP", pf_n=50, pf_d=2, pf_target=2.0)
    assert "some data set makes a record arbitrarily visible" in " ".join(item.value for item in app.markdown)
    app.session_state["pf_step"] = "4 Release and enforce"
    text = " ".join(item.value for item in app.run().markdown)
    assert f"The sample takes ε = {number(1.0)}, the whole **ε = {number(2.0)} for any data**" in text
