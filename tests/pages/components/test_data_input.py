"""What a curator chooses about the data is kept from page to page, and forgotten with them."""

import shlex
from html import unescape

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import dpcore as dp
from dpcore.data import read_ranges
from dpcore.interfaces.command import main
from pages.components import data_input
from pages.components.words import number
from pages.your_data.per_instance import exact
from tests.pages.tabs import ROOT, box, opened, press, program, said, switch, uploaded

CSV = b"salary,age,sick_days\n" + b"".join(f"{i % 7},{20 + i % 30},{i % 3}\n".encode() for i in range(40))


def started(target: str = "salary") -> AppTest:
    """The per-instance page with the file and this target."""
    app = uploaded("your_data/per_instance", "people.csv", CSV)
    return box(app, "Target").set_value(target).run() if target else app


@pytest.mark.parametrize("other", ["privacy_map", "private_training"])
def test_an_uploads_choices_survive_a_change_of_page(other):
    app = started()
    box(app, "Missing cells").set_value("zero").run()
    switch(switch(app, f"your_data/{other}"), "your_data/per_instance")
    assert [box(app, label).value for label in ("Target", "Missing cells")] == ["salary", "zero"]


def test_forgetting_leaves_neither_rows_nor_choices():
    app = started()
    press(app, "Forget my data")
    assert app.session_state["private_data"] == {"generation": 1}
    assert "salary" not in str(app.session_state.to_dict())


@pytest.mark.parametrize("slow", ["read_table", "make_dataset"])
def test_a_run_that_ends_after_the_file_was_forgotten_keeps_nothing(monkeypatch, slow):
    work, overtaken = getattr(data_input, slow), []

    def late(*args, **options):
        found = work(*args, **options)
        if not overtaken:
            overtaken.append(True)
            data_input.drop()
        return found

    monkeypatch.setattr(data_input, slow, late)
    monkeypatch.setattr(data_input.uploads, "drop_widgets", lambda: None)  # what this run has on screen
    app = started("")
    assert overtaken
    assert not {"table", "dataset", "dataset_key"} & set(app.session_state["private_data"])


def test_a_computation_that_ends_after_data_were_forgotten_is_not_kept():
    def script():
        import streamlit as st

        from pages.components import cache

        def late(kind):
            st.session_state[kind] = st.session_state.get(kind, 0) + 1
            if st.session_state[kind] == 1:
                cache.forget()

        for ask in (cache.in_session, cache.kept):
            for _ in range(3):
                ask(late, ask.__name__)

    found = AppTest.from_function(script).run().session_state
    assert (found["in_session"], found["kept"]) == (2, 2)


def typing(monkeypatch, **ranges: tuple) -> None:
    """Type these ends into the table of ranges, in whatever run it is shown; None empties a cell, ... leaves it."""
    editor = st.data_editor

    def typed(table, **options):
        if "low" not in table:
            return editor(table, **options)  # the what-if record's
        table = table.copy()
        for name in table.index.intersection(ranges):
            for side, end in zip(("low", "high"), ranges[name], strict=True):
                table.loc[name, side] = table.loc[name, side] if end is ... else pd.NA if end is None else end
        return editor(table, **options)

    monkeypatch.setattr(st, "data_editor", typed)


def typed(app: AppTest, **ranges: tuple) -> AppTest:
    """The page after one run in which these ends are typed."""
    with pytest.MonkeyPatch.context() as patch:
        typing(patch, **ranges)
        return app.run()


def dataset(app: AppTest):
    return app.session_state["private_data"]["dataset"]


def errors(app: AppTest) -> str:
    return unescape(said(app, "error"))


def test_while_a_range_is_missing_nothing_is_computed_and_it_is_said_which():
    app = started()
    assert [note.level for note in dataset(app).report.notes].count("leak") > 0
    before = app.session_state["private_data"]["dataset_key"]
    box(app, "Scale columns by").set_value("public").run()
    assert "2 of 3 ranges are not stated or have one end only, those of 'sick_days', 'salary'" in errors(app)
    assert not app.info  # a file is there already: nothing about how to upload one
    typed(app, age=(0.0, 100.0), sick_days=(0.0, 10.0), salary=(0.0, None))
    missing = "1 of 3 ranges are not stated or have one end only, those of 'salary'"
    assert f"Nothing is computed yet: {missing}" in errors(app)
    assert not app.metric
    assert app.session_state["private_data"]["dataset_key"] == before
    assert {element.label for element in app.selectbox} >= {"Target", "Missing cells"}


def test_ranges_that_the_curator_states_scale_the_columns_and_leak_nothing(monkeypatch):
    ranges = {"age": (0.0, 100.0), "sick_days": (0.0, 10.0), "salary": (0.0, 8.0)}
    app = started()
    with monkeypatch.context() as patch:
        typing(patch, **ranges)
        box(app, "Scale columns by").set_value("public").run()
    assert not app.error
    found = dataset(app)
    assert found.domain.ranges == ranges
    assert not [note for note in found.report.notes if note.level == "leak"]
    np.testing.assert_allclose(found.y[::3], np.arange(0, 40, 3) % 7 / 4 - 1, rtol=0, atol=1e-12)
    switch(app, "your_data/privacy_map").run()  # the first run of AppTest does not know the address
    assert dataset(app).domain.ranges == ranges
    assert "salary" not in str(dict(app.query_params))


def loaded(app: AppTest, content: bytes) -> AppTest:
    place = next(uploader for uploader in app.file_uploader if uploader.label == "Load ranges")
    return place.set_value(("ranges.csv", content, "text/csv")).run()


def test_a_file_of_ranges_fills_the_table_and_the_table_is_saved_as_that_file(monkeypatch):
    ranges = {"age": (0.0, 100.0), "sick_days": (0.0, 10.0), "salary": (0.0, 8.5)}
    files, button = {}, data_input.say.download_button
    taken = lambda label, data, **more: files.update({label: data}) or button(label, data, **more)  # noqa: E731
    monkeypatch.setattr(data_input.say, "download_button", taken)
    app = started()
    box(app, "Scale columns by").set_value("public").run()
    loaded(app, b"column,low,high\nage,0,100\nsick_days,0,10\nsalary,,\n")
    assert "1 of 3 ranges are not stated or have one end only, those of 'salary'" in errors(app)
    loaded(app, b"column;low;high\nsalary;0;8,5\n")
    assert not app.error
    assert not next(one for one in app.expander if "40 rows" in one.label).proto.expanded
    assert dataset(app).domain.ranges == ranges
    assert read_ranges(files["Save ranges"]()) == ranges
    box(app, "Target").set_value("age").run()
    assert not app.error
    assert dataset(app).domain.ranges == ranges


def test_of_a_file_of_ranges_with_a_mistake_nothing_is_used():
    app = started("")
    box(app, "Scale columns by").set_value("public").run()
    loaded(app, b"column,low,high\nage,0,100\nsalry,0,8\n")
    assert "column 'salry' that the table does not have; did you mean 'salary'" in errors(app)
    assert "2 of 3 ranges are not stated" in errors(app)


MESSY = b"name,age,pay,city,left\n" + b"".join(
    f"p{i},{20 + i * 7 % 40},{900 + i * i % 83}.5,{'ABC'[i % 3]},{'' if i in (3, 30) else 'yn'[i % 4 > 1]}\n".encode()
    for i in range(60)
)
CODES = {
    "sample with strings": {"Data": "messy"},
    "sample by its own extremes": {"Data": "diabetes", "Scale columns by": "data", "Add a constant column": True},
    "upload with stated ranges": {"Data": "upload", "Target": "pay", "Scale columns by": "public", "Missing cells": "zero"},
    "upload of two levels": {
        "Data": "upload", "Target": "left", "Features": ["age"], "Scale columns by": "public", "Add a constant column": True,
    },
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("case", CODES)
def test_the_code_and_the_command_shown_give_the_numbers_shown(case, tmp_path, monkeypatch):
    source, *choices = CODES[case].items()
    if "Scale columns by" in CODES[case]:
        typing(monkeypatch, age=(16.0, 80.0), pay=(500.0, 1000.0))
    with monkeypatch.context() as patch:
        patch.setattr(exact, "fill", lambda *_: None)  # before the last choice by the expansion alone
        app = opened("your_data/per_instance", "pi_tab", "Code", pi_lambda=2.0, source=source[1])
        if app.file_uploader:
            app.file_uploader[0].set_value(("-it's people.csv", MESSY, "text/csv")).run()
        for label, value in choices:
            box(app, label).set_value(value)
            if label == "Target":  # on which the features to choose from depend
                app.run()
    app.run()
    assert not app.error, errors(app)
    command = app.code[1].value
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    (tmp_path / "-it's people.csv").write_bytes(MESSY)
    _, names = program(app)
    assert names["ds"] == dataset(app)
    result = dp.individual_privacy(dataset(app), names["result"].mechanism, names["result"].delta)
    epsilon = (dp.best_known(result)[0] if result.is_expansion else result).epsilon
    assert number(float(np.median(epsilon))) in [metric.value.lstrip("ε =≈") for metric in app.metric]
    np.testing.assert_allclose(names["result"].epsilon, epsilon, rtol=1e-12)
    assert main(shlex.split(command.replace("\\\n", " "))[3:]) == 0
    np.testing.assert_allclose(pd.read_parquet("rows.parquet")["epsilon"], epsilon, rtol=1e-12)
