"""The per-instance page: objective perturbation, why a row is exposed, subgroups, mechanisms side by side, the floor."""

import re
from unittest.mock import Mock

import numpy as np
import pytest

import dpcore as dp
from dpcore.exhibits.per_instance.drawn_release import released
from dpcore.exhibits.per_instance.floor import floors
from dpcore.exhibits.per_instance.settings import sweep_mechanisms
from dpcore.individual.rows import groups
from dpcore.individual.rows.cells import main_pair
from dpcore.mechanisms.objective_perturbation.linear_regression import objective_of
from pages.components.words import number
from pages.your_data.per_instance import settings
from tests.pages.tabs import at, box, cards, library, opened, said, table_with


def run(tab="Most exposed rows", **state):
    return opened("your_data/per_instance", "pi_tab", tab, **state)


def test_noise_in_the_objective_has_rows_and_no_worst_case():
    app = run(pi_kind="objective", pi_sigma=2.0)
    result = library(dp.ObjectivePerturbation(sigma=2.0, lam=1.0, lipschitz=1.0, loss="squared"))
    shown = cards(app)
    assert shown["Median of 442 rows"] == f"ε = {number(float(np.median(result.epsilon)))}"
    assert shown["DP worst case"] == "no guarantee"
    assert "no bound" in said(app.toggle(key="pi_bound").set_value(True).run(), "info")


def test_the_row_one_looks_at_stays_chosen_while_sliders_move():
    app = run()
    chosen = box(app, "Row")
    other = chosen.options[3]
    chosen.set_value(other).run()
    for gamma in (0.5, 0.2):
        app.select_slider(key="pi_gamma").set_value(gamma).run()
        assert other.replace("row", "Row") + " has" in said(app)


def test_two_cells_that_expose_a_row_together_are_named():
    app = run("Cell by cell")
    result = library(dp.PosteriorSampling(1.0, 1.0))
    index = int(np.argmax(result.epsilon))
    pair = main_pair(result, index)
    named = " and its ".join(f"{cell.column} of {cell.value} (typical: {cell.typical})" for cell in pair.cells)
    assert f"but its {named} together for" in said(app)
    assert f"{100 * pair.share:.0f} %: with both typical values ε would be {number(pair.epsilon)}" in said(app)


def test_subgroups_compare_medians():
    app = run("Subgroups")
    result = library(dp.PosteriorSampling(1.0, 1.0))
    found = groups.subgroups(result, result.dataset.target).groups
    table = table_with(app, "95 %")
    assert table["progression"].tolist() == [group.label for group in found]
    assert table["rows"].tolist() == [group.count for group in found]
    assert table["median"].tolist() == pytest.approx([group.quantiles[2] for group in found])
    assert number(max(group.quantiles[2] for group in found)) in said(app)


def test_three_mechanisms_stand_side_by_side():
    objective = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, loss="squared")
    mechanisms = (dp.PosteriorSampling(1.0, 1.0), dp.OutputPerturbation(1.0, 1.0), objective)
    shown = table_with(run("Mechanisms side by side"), "mechanism")["median"].tolist()
    assert shown == pytest.approx([np.median(library(mechanism).epsilon) for mechanism in mechanisms])


def test_the_floor_is_shown_and_explained():
    app = run("Floor at γ → 0", pi_gamma=0.01)
    result = library(dp.PosteriorSampling(0.01, 1.0))
    floor = float(floors(result)[int(np.argmax(result.epsilon))])
    assert f"keeps ε = {number(floor)}" in said(app)
    assert "posterior sample" in said(run("Floor at γ → 0", pi_kind="output"), "info")


@pytest.mark.thorough
def test_one_release_speaks_of_every_row():
    app = run("After a release", pi_kind="objective", pi_sigma=2.0)
    _, after = released(dp.load_sample("diabetes"), objective_of(2.0, 1.0), 0)
    table = table_with(app, "log ratio")
    assert table["log ratio"].abs().iloc[0] == pytest.approx(np.abs(after.loss).max())
    assert "objective perturbation only" in said(run("After a release"), "info")


def test_the_most_exposed_record_of_the_domain_is_shown():
    app = run(pi_kind="output")
    found = library(dp.OutputPerturbation(1.0, 1.0)).for_all
    assert f"ε = {number(found.epsilon)} with leverage" in said(app)
    shown = [frame.value for frame in app.dataframe if frame.value.shape == (1, 11)][-1]
    assert shown.iloc[0].tolist() == pytest.approx([found.y, *found.x])


def test_the_sources_bound_stands_beside_the_exact_value():
    app = run()
    app.toggle(key="pi_bound").set_value(True).run()
    table, mechanism = table_with(app, "bound"), dp.PosteriorSampling(1.0, 1.0)
    exact, bound = (library(mechanism, method=method).epsilon for method in ("exact", "bound"))
    assert table[["epsilon", "bound"]].iloc[0].tolist() == pytest.approx([exact.max(), bound[exact.argmax()]])
    assert (table["bound ÷ exact"] > 1).all()


@pytest.mark.thorough
def test_the_settings_tab_names_the_best_setting_of_every_mechanism_that_protects_the_share():
    app = run("Noise against accuracy", pi_kind="output", pi_settings_target=1.0)
    found = sweep_mechanisms(dp.load_sample("diabetes"), dp.OutputPerturbation(1.0, 1.0), 1e-6, 1.0)
    assert [sweep.now.mechanism.release for sweep in found.sweeps.values()] == ["output", "posterior", "objective"]
    best = found.best(0.95)
    assert len(best) == 3
    for name, point in best.items():
        score = f"{100 * point.share:.1f} % of the rows have ε ≤ 1.00, RMSE {number(point.accuracy.value)}"
        assert re.search(rf"- {name}, \*\*λ = [^\n]*\*\*: {re.escape(score)}", said(app))
    share, accuracy = 100 * found.in_use.now.share, number(found.in_use.now.accuracy.value)
    assert f"- In use: {share:.1f} % of the rows have ε ≤ 1.00, RMSE {accuracy}; without" in said(app)
    assert len(table_with(app, "setting")) == sum(len(sweep.frontier()) for sweep in found.sweeps.values())
    assert not [button for button in app.button if button.key == "pi_settings_stop"]


@pytest.mark.thorough
def test_stopped_settings_are_not_shown_until_asked_for_again(monkeypatch):
    monkeypatch.setattr(settings, "sweep_mechanisms", Mock(side_effect=InterruptedError))  # by the button
    app = at("your_data/per_instance")
    app.session_state["pi_tab"] = "Noise against accuracy"
    with pytest.raises(AssertionError):
        app.run()
    assert "pi_settings_stop" in {button.key for button in app.button}
    app.button(key="pi_settings_stop").click().run()
    assert any("Stopped" in item.value for item in app.info)
    monkeypatch.undo()
    app.button(key="pi_settings_again").click().run()
    assert "Posterior sample, **λ" in said(app)
    assert not any("Stopped" in item.value for item in app.info)
