"""Models on the per-instance page: which is taken, what is said of an expansion, and the same numbers by every way in."""

import base64
import re
from dataclasses import replace

import numpy as np
import pytest
import streamlit as st

import dpcore as dp
from dpcore.individual.all_rows import exactly
from dpcore.individual.all_rows.along_noise import rows_followed
from dpcore.individual.all_rows.exactly import wanted, with_known
from dpcore.individual.exact import objective
from dpcore.individual.rows.cells import exposing_cells, main_pair
from dpcore.individual.rows.in_place import exact_in_place, typical_records
from pages.components.words import measured, number
from pages.your_data.per_instance import exact
from pages.your_data.per_instance.exact import shown
from pages.your_data.per_instance.views import ExposureView
from tests.pages.tabs import cards, figure_in, library, open_tab, opened, said, table_with

PAGE = "your_data/per_instance"


def run(tab="What to notice", **state):
    return opened(PAGE, "pi_tab", tab, source="breast_cancer", **state)


def rows_of(mechanism):
    return library(mechanism, "breast_cancer")


LOGISTIC = dp.OutputPerturbation(1.0, 1.0, loss="logistic")  # the page's output perturbation


def test_exact_rows_are_kept_for_the_very_release_and_delta_they_belong_to():
    result = rows_of(LOGISTIC)
    view = ExposureView(result.dataset, result, 1e-6)
    result = rows_of(dp.OutputPerturbation(2.0, 1.0, loss="logistic"))
    for change in ({"delta": 1e-5}, {"result": result}, {"dataset": dp.load_sample("messy")}):
        view.kept["rows"][3] = object()
        assert (list(exact.known(view)), exact.known(replace(view, **change))) == ([3], {})


def test_a_row_has_one_number_wherever_it_stands():
    """Card, story, table, export and what its person is told are the row's ε without the expansion, to the same digits."""
    app = run("Most exposed rows", pi_kind="output")
    result = rows_of(LOGISTIC)
    top = wanted(result, {})
    found = result.exact(top)
    exact_of = {int(row): (float(e), float(b)) for row, e, b in zip(top, found.epsilon, found.error, strict=True)}
    first = max(exact_of, key=exact_of.get)
    one = measured(*exact_of[first], 1e-3)
    assert one != number(float(result.epsilon[first]))
    (card,) = (metric for metric in app.metric if metric.label.startswith("Most exposed"))
    assert (card.label, card.value) == (f"Most exposed: row {first + 1}", f"ε = {one}")
    assert cards(app)["DP worst case"] == f"ε ≤ {number(result.worst_case_epsilon)}"
    any_record = result.for_all_exactly(1e-3 * max(1.0, result.epsilon.max()))
    assert cards(app)["pDP for all: any record"] == f"ε = {measured(any_record.known, any_record.error, 1e-3)}"
    (line,) = [item.value for item in app.caption if "an expansion around the fit" in item.value]
    off = f"at most {number(max(100 * found.expansion_error, 0.01), 2)} %"
    assert all(words in line for words in (off, f"{len(top)} rows computed without it"))
    assert f"has ε = {one}, " in said(app)
    table = table_with(app, "exposed by")
    shown_of = dict(zip(table["row"], table["epsilon"], strict=True))
    assert {row + 1 for row in result.most_exposed(5)} <= set(shown_of)
    for row, known in exact_of.items():
        assert shown_of.pop(row + 1, measured(*known, 1e-3)) == measured(*known, 1e-3)
    assert shown_of == {label: f"≈ {number(float(result.epsilon[label - 1]))}" for label in shown_of}
    points, ring = figure_in(app, 1)["data"]
    assert ring["text"] == [f"row {first + 1}"]
    colors = np.frombuffer(base64.b64decode(points["marker"]["color"]["bdata"]))
    np.testing.assert_allclose(colors[top], found.epsilon, atol=2e-3)
    state = app.session_state["private_data"]["exact"]["rows"]
    taken = with_known(result, state).frame()
    np.testing.assert_allclose(taken["epsilon"][top], found.epsilon, atol=2e-3)
    assert taken["error"].notna().sum() == len(state)


def test_the_sentence_and_the_table_blame_by_one_measure():
    app = opened(PAGE, "pi_tab", "Most exposed rows", source="diabetes")
    result = library(dp.PosteriorSampling(1.0, 1.0))
    table = table_with(app, "exposed by").set_index("row")
    row = next(int(row) for row in result.most_exposed(25) if main_pair(result, int(row)) is not None)
    app.selectbox(key=f"data_row_{result.dataset.sha256[:12]}").set_value(row).run()
    (alone, share) = re.search(r"No cell alone accounts for half of ε \(most (.+?), for (\d+) %\)", said(app)).groups()
    line = table.loc[result.dataset.row_labels[row]]
    assert (alone.removeprefix("target "), int(share)) == (line["exposed by"], round(line["share"]))


def test_every_number_of_an_expansion_is_marked_as_one():
    app = run("Subgroups", pi_kind="output")
    assert all("by expansion" in str(chart.proto) for chart in [app.get("plotly_chart")[0], app.get("plotly_chart")[2]])
    assert "\\u2248" in str(app.get("plotly_chart")[1].proto) or "ε ≈" in str(app.get("plotly_chart")[1].proto)
    groups = table_with(app, "95 % ≈")
    assert list(groups)[2:] == ["5 % ≈", "25 % ≈", "median ≈", "75 % ≈", "95 % ≈", "mean ≈", "most exposed ≈"]
    rows = next(frame for frame in app.dataframe if "epsilon" in frame.value)
    assert {value[0] for value in rows.value["epsilon"][5:]} == {"≈"}
    assert "Half the rows have ε below ≈" in said(open_tab(app, "pi_tab", "What to notice"))
    app = open_tab(app, "pi_tab", "What-if record")
    assert next(m.value for m in app.metric if m.label == "ε of this record").startswith("≈")


@pytest.mark.thorough
def test_a_rows_story_is_told_without_the_expansion_on_request():
    app = run("Cell by cell", pi_kind="output", pi_cells_exact=True, pi_what_if_exact=True)
    result = rows_of(LOGISTIC)
    row = int(np.argmax(result.epsilon))
    table = table_with(app, "without it")
    assert table["cell"].tolist() == [cell.column for cell in exposing_cells(result, row)[:3]]
    truth, error, _ = exact_in_place(result, *typical_records(result, row, table["cell"].tolist()), row)
    assert table["without it"].tolist() == [shown(pair) for pair in zip(truth, error, strict=True)]
    most = result.for_all
    confirmed, bar, _ = exact_in_place(result, most.x[None], np.array([most.y]))
    assert f"Confirmed without the expansion: ε = {shown((confirmed[0], bar[0]))}" in said(app)


def test_stop_ends_the_work_within_a_row_and_keeps_what_is_done(monkeypatch):
    """Streamlit ends a run at the next message to the browser: here the third row's second report is where it was clicked."""
    progress, reported = exact.say.progress, []
    count = len(wanted(rows_of(LOGISTIC), {}))

    def clicked(value, text="", **place):
        if isinstance(text, str) and "without the expansion" in text:
            reported.append(text)
            if len(set(reported)) == 3 and reported.count(text) == 2:
                st.session_state["private_data"]["exact"].update(stopped=True)
                st.rerun()
        return progress(value, text, **place)

    with monkeypatch.context() as patch:
        patch.setattr(exact.say, "progress", clicked)
        app = run(pi_kind="output")
        rows = app.session_state["private_data"]["exact"]["rows"]
        assert (len(set(reported)), len(rows)) == (3, 2)
        app.run()
        assert len(set(reported)) == 3, "nothing is computed until it is asked for"
    words = (f"Stopped: {count - 2} rows are known by the expansion only", "2 rows computed without it")
    assert all(one in said(app, "caption") for one in words)
    before = dict(rows)
    app.button(key="pi_exact_again").click().run()
    rows = app.session_state["private_data"]["exact"]["rows"]
    assert (len(rows), before.items() <= rows.items()) == (count, True)
    assert "Stopped" not in said(app, "caption")


@pytest.mark.thorough
def test_exact_rows_say_that_they_are_wider_than_asked_for(monkeypatch):
    monkeypatch.setattr(objective, "_ROUNDS", 1)
    monkeypatch.setattr(exactly, "TOLERANCE", 1e-12)
    app = run("What to notice", pi_kind="objective")
    followed = rows_followed(dp.load_sample("breast_cancer"), dp.ObjectivePerturbation(1.0, 1.0, loss="logistic"))
    assert followed < 569
    assert f"While a slider moves, {followed} of 569 rows stand for all" in said(app, "caption")
    assert "wider than asked for" in said(app, "warning")
    assert "Effective sample" not in said(app, "caption")
