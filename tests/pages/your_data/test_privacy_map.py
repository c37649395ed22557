"""The map of definitions: its numbers are the library's, every tab works, extremes and too little data are sentences."""

import re

import numpy as np
import pytest

import dpcore as dp
from dpcore.exhibits.privacy_map.generalisation import measure_generalisation
from dpcore.exhibits.privacy_map.moments import exposure_moments
from dpcore.exhibits.privacy_map.odds import odds
from dpcore.exhibits.privacy_map.variants import variants
from dpcore.individual.rows.group_privacy import group_privacy
from pages.components.words import number, times
from tests.pages.tabs import cards, figure_in, library, on_cards, open_tab, opened, said, table_with

OUTPUT = {"pm_kind": "output"}


def run(tab="What to notice", **state):
    return opened("your_data/privacy_map", "pm_tab", tab, **state)


def result():
    return library(dp.OutputPerturbation(1.0, 1.0))


@pytest.mark.thorough
def test_every_definition_shows_the_number_of_the_library():
    app = run("Data", **OUTPUT)
    exact = result()
    expected = variants(exact, int(np.argmax(exact.epsilon)), repeats=30)
    table = table_with(app, "definition")
    assert table["definition"].tolist() == [variant.name for variant in expected]
    assert table["value"].tolist() == pytest.approx([variant.value for variant in expected])
    for k, variant in enumerate(expected):
        text = said(app.selectbox(key="pm_definition").set_value(k).run())
        assert all(words in text for words in (f"**{variant.name}** takes", number(variant.value)))


@pytest.mark.thorough
def test_the_record_stays_while_the_mechanism_changes():
    """λ and γ move other rows to the top; the card goes on about the record it began with, with its ε under the new λ."""
    app, shown, data = run(), set(), dp.load_sample("diabetes")
    for lam, gamma in ((1.0, 1.0), (0.01, 10.0), (100.0, 1.0)):
        app.select_slider(key="pm_lambda").set_value(lam).run()
        app.select_slider(key="pm_gamma").set_value(gamma).run()
        now = library(dp.PosteriorSampling(gamma=gamma, lam=lam)).epsilon
        (card,) = (one for one in app.metric if one.label.startswith("This record"))
        shown.add(row := data.position(int(re.search(r"row (\d+)", card.label)[1])))
        assert card.value == f"ε = {number(now[row])} nats"
    assert shown == {row} != {np.argmax(now)}


def test_numbers_have_units():
    app = run("Data", **OUTPUT)
    assert "nats" in figure_in(app)["layout"]["xaxis"]["title"]["text"]  # of the numbers in the cells, once
    assert set(table_with(app, "definition")["unit"]) == {"nats", "(probability)"}


@pytest.mark.thorough
def test_tabs_show_composition_group_and_generalisation():
    exact = result()
    app = run("Several releases", pm_count=10, **OUTPUT)
    frame = table_with(app, "one release")
    composed = dp.compose_rows([(exact, 10)], 1e-6)
    assert frame["10 releases, exact"].iloc[2] == pytest.approx(composed.epsilon[np.argmax(exact.epsilon)])
    app = run("Group of rows", pm_group=2, pm_group_on=True, **OUTPUT)
    top = np.argsort(-exact.epsilon)[:2]
    joint = group_privacy(exact.dataset, exact.mechanism, top, 1e-6)
    assert f"ε = {number(joint.epsilon)}" in on_cards(app)
    app = run("Generalisation", pm_learning=True, **OUTPUT)
    assert {"Measured gap", "Proposition 9 allows"} <= {metric.label for metric in app.metric}
    app.slider(key="pm_shift").set_value(1.0).run()
    moved = measure_generalisation(exact.dataset, exact.mechanism, shift=1.0)
    shown = [cards(app)[label] for label in ("Measured gap", "Proposition 11 allows")]
    assert shown == [number(moved.gap), number(moved.proposition)]
    app = open_tab(app, "pm_tab", "As odds")
    row = int(np.argmax(exact.epsilon))
    assert f"at most {number(np.exp(2 * exact.epsilon[row]))} : 1" in said(app)
    assert number(np.exp(odds(exact.profile(row), 1e-6).at(1e-6 / exact.epsilon[row]))) in said(app)
    app = open_tab(app, "pm_tab", "Moments")
    assert on_cards(app)[-4:] == [number(np.mean(exact.epsilon**k) ** (1 / k)) for k in (1, 2, 4, 8)]
    moments = exposure_moments(exact.epsilon)
    mean, all_eight = moments.quantile(0.95, 1), moments.quantile(0.95, 8)
    counted = number(np.quantile(exact.epsilon, 0.95))
    assert f"**95 % of the rows are below ε = {counted}.** The mean alone promises {number(mean)}; " in said(app)
    assert f"up to order 8 promise {number(all_eight)}, {times(mean / all_eight)} closer" in said(app)
    assert "with replacement" in said(run("pDP for one", pm_share=0.25, **OUTPUT))


@pytest.mark.thorough
def test_what_is_an_expansion_is_never_said_to_be_equal():
    app = run("Several releases", source="breast_cancer", pm_count=10, **OUTPUT)
    shown = cards(app)
    signs = {label.split(",")[0]: value.split()[1] for label, value in shown.items()}
    assert signs == {"This record": "=", "Mean over the rows": "≈", "Any record": "≤"}  # the last: any data
    assert shown["Any record, these data"].startswith("ε ≈")
    assert "1 row computed without it" in said(app, "caption")
    columns = ["one release ≈", "10 releases, by expansion ≈", "sum, each at δ/10 ≈", "Rényi ≈"]
    assert list(table_with(app, "rows"))[1:] == columns
    kinds = table_with(open_tab(app, "pm_tab", "Data"), "which is").set_index("definition")["which is"]
    asked = ["Per-instance DP", "pDP of the data set", "Approximate DP"]
    assert kinds[asked].tolist() == ["exact", "expansion", "upper"]
    app = open_tab(app, "pm_tab", "pDP for one")
    assert "ε lies between ≈" in said(app)
    assert "by expansion" in str(app.get("plotly_chart")[1].proto)
    assert "gives ε ≈" in said(open_tab(app, "pm_tab", "What to notice"))


def test_generalisation_is_measured_for_the_model_it_belongs_to():
    app = run("Generalisation", source="breast_cancer", pm_learning=True, **OUTPUT)
    assert "squared loss of a linear regression" in said(app, "info")
    assert "Measured gap" not in cards(app)
