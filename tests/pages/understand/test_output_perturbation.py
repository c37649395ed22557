"""The output-perturbation page: its numbers are dpcore's, bad data get a sentence, extremes run."""

import pytest

import dpcore as dp
from dpcore.exhibits.output_perturbation.study import fit_all, objective_sweep, sweep_lambda
from pages.components.words import number, times
from pages.understand.output_perturbation.state import LAMBDAS
from tests.pages.tabs import cards, on_cards, open_tab, press, run, table_with

PAGE = "understand/output_perturbation"


def test_numbers_are_those_of_the_study():
    app = run(PAGE)
    found = sweep_lambda(dp.load_sample("diabetes"), "huber", 1.0, 1e-5, 0.05, LAMBDAS)
    at = LAMBDAS.index(10.0)
    assert on_cards(app) == [
        number(found.noise[at]), number(found.classical_delta), number(found.bias[at] + found.spread[at]),
        number(found.lam[found.best]),
    ]  # fmt: skip
    assert app.metric[2].delta == f"bound {number(found.mean_bound[at])}"
    assert app.metric[3].delta == f"by the bound {number(found.lam[found.best_by_bound])}"
    assert any("confidential" in caption.value for caption in app.caption)
    app.select_slider(key="out_lambda").set_value(0.013).run()  # between those drawn
    there = sweep_lambda(dp.load_sample("diabetes"), "huber", 1.0, 1e-5, 0.05, (LAMBDAS[0], 0.013))
    assert app.metric[0].value == number(there.noise[1])
    assert cards(app)[f"Excess loss at λ = {number(0.013)}"] == number(there.bias[1] + there.spread[1])


@pytest.mark.parametrize("lam", [10.0, 32.0, 300.0])
def test_the_headline_says_on_which_side_of_the_best_lambda_one_is_or_that_it_is_about_as_good(lam):
    found = sweep_lambda(dp.load_sample("diabetes"), "huber", 1.0, 1e-5, 0.05, (*LAMBDAS, lam))
    total = found.bias + found.spread
    ratio = float(total[found.nearest(lam)] / total.min())
    best = number(float(found.lam[found.best]))
    said = {
        10.0: f"λ = 10.0 is too small: excess loss {times(ratio)} that at {best}",
        32.0: f"λ = 32.0 is about as good as the best, {best}",
        300.0: f"λ = 300 is too large: excess loss {times(ratio)} that at {best}",
    }
    assert run(PAGE, out_lambda=lam).title[0].value == said[lam]


def test_classical_noise_fails_beyond_one():
    app = run(PAGE)
    press(app, "Beyond ε = 1")
    assert "misses" in app.metric[1].delta
    assert any("does not keep the promise" in block.value for block in app.markdown)


@pytest.mark.parametrize("loss", ["huber", "smoothed_hinge", "pseudo_huber"])
def test_other_losses_run(loss):
    run(PAGE, source="breast_cancer", out_loss_logistic=loss)


def test_no_data_gets_a_sentence():
    assert run(PAGE, source="upload").info


@pytest.mark.thorough
def test_noise_in_the_objective_is_compared_on_the_same_data():
    app = run(PAGE, out_objective=True)
    fits = fit_all(dp.load_sample("diabetes"), "huber", LAMBDAS)
    found = objective_sweep(dp.load_sample("diabetes"), "huber", 1.0, 1e-5, fits)
    said = next(block.value for block in app.markdown if "Noise in the objective instead" in block.value)
    assert number(float(found.excess[found.best])) in said
    open_tab(app, "out_tab", "Data")
    table = table_with(app, "value")
    assert (table["mechanism"] == "Noise in objective").sum() == len(LAMBDAS)
