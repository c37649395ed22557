"""The first minute with an upload: the rows as they were read, the guessed target, the ranges in force."""

import json
from html import unescape

import numpy as np
import pandas as pd
import pytest

from dpcore.data import Domain, file_ranges, make_dataset, read_table
from pages.your_data.per_instance import exact
from tests.pages.components.test_data_input import dataset, errors, typed
from tests.pages.tabs import box, uploaded

HOSTILE = "**![x](http://evil.example/a.png)**"
ROWS = 60
CSV = f"client_id;signed;age;{HOSTILE};income;visits;plan;outcome\n" + "".join(
    f"C-{i};{1 + i % 28:02}.01.2023;{20 + i * 7 % 50};{i * i % 37}.5;€ {900 + i * 31 % 503},50;{i * i % 11};"
    f"{('basic', 'plus', 'pro')[i % 3]};{'yes' if i % 4 == 0 else 'no'}\n"
    for i in range(ROWS)
)


@pytest.fixture(autouse=True)
def by_expansion_alone(monkeypatch):
    """Rows without the expansion, which are tested elsewhere, are not waited for."""
    monkeypatch.setattr(exact, "fill", lambda *_: None)


def started(text: str = CSV):
    return uploaded("your_data/per_instance", "clients.csv", text)


def ranges(app):
    """The table of ranges as it is given to be edited."""
    return app.session_state["private_data"]["ranges_table"]


def button(app, label: str):
    return next(one for one in app.button if unescape(one.label).replace("\u200b", "") == label)


def test_ten_rows_are_shown_in_the_units_of_the_file():
    app = started()
    frame = next(one for one in app.dataframe if "client_id" in one.value)
    assert (len(frame.value), HOSTILE in frame.value) == (10, True)
    assert json.loads(frame.proto.columns)["_index"]["hidden"], "numbers from 0, which are no rows of the file"
    assert frame.value[["income (€)", "plan"]].values.tolist()[:2] == [[900.5, "basic"], [931.5, "plus"]]
    app.session_state[f"data_{dataset(app).origin.table.sha256[:12]}_overview"] = "Columns"
    app.run()
    frame = next(one for one in app.dataframe if "taken for" in one.value)
    assert json.loads(frame.proto.columns)["_index"]["hidden"]
    columns = frame.value.set_index("column")
    against = "looks like an identifier: every text is different, as in an identifier"
    assert columns.loc["client_id"].tolist() == ["identifier", "no", against]
    assert columns.loc["signed", "why"] == "holds dates or times"
    assert columns.loc["income"].tolist() == ["amount in €", "offered", "read as numbers after removing the sign €"]
    assert columns.loc["outcome", "as target"] == "chosen"


def test_the_target_is_guessed_and_another_is_one_click_away():
    app = started()
    assert dataset(app).target == "outcome"
    why = "Target **outcome**: two levels, 'no' and 'yes'. Suggested by its name and its place at the end."
    assert why in " ".join(unescape(one.value).replace("\u200b", "") for one in app.markdown)
    assert not [one for one in app.button if "client_id" in one.label or "signed" in one.label]
    button(app, "Predict 'income'").click().run()
    assert dataset(app).target == box(app, "Target").value == "income"


@pytest.mark.thorough
def test_one_level_of_three_is_told_from_the_others_and_either_of_two():
    app = started()
    box(app, "Target").set_value("plan").run()
    assert box(app, "Level told from all others").value == "basic"
    box(app, "Level told from all others").set_value("pro").run()
    np.testing.assert_array_equal(dataset(app).y, [1.0 if i % 3 == 2 else -1.0 for i in range(ROWS)])
    box(app, "Target").set_value("outcome").run()
    box(app, "Positive level").set_value("no").run()
    np.testing.assert_array_equal(dataset(app).y, [-1.0 if i % 4 == 0 else 1.0 for i in range(ROWS)])


def test_counts_are_kept_as_counts_up_to_the_end_of_their_range():
    app = started()
    box(app, "Target").set_value("visits").run()
    assert box(app, "Read the target as").value == "count"
    typed(app, visits=(0.0, 6.0))
    np.testing.assert_array_equal(dataset(app).y, [min(i * i % 11, 6) for i in range(ROWS)])
    assert any("Outside these ranges and clipped: 0 cells" in one.value for one in app.caption)
    box(app, "Read the target as").set_value("numeric").run()
    assert dataset(app).y.min() == -1.0


def test_suggested_ranges_are_in_force_and_marked_until_they_are_changed():
    app = started()
    table = ranges(app)
    assert table.loc["age"].tolist() == [0.0, 100.0, "suggested"]
    assert table.loc["income", "from"] == "read off the file: leaks"
    assert dataset(app).domain == Domain(ranges={"age": (0.0, 100.0)}, from_data=True)
    assert set(dataset(app).report.ranges_from_file) == {HOSTILE, "income", "visits"}
    typed(app, age=(10.0, 90.0), income=(0.0, 9000.0))
    stated = [[10.0, 90.0, "stated"], [0.0, 9000.0, "stated"]]
    assert ranges(app).loc[["age", "income"]].values.tolist() == stated
    assert dataset(app).domain.ranges == {"age": (10.0, 90.0), "income": (0.0, 9000.0)}
    typed(app, age=(None, None))
    assert ranges(app).loc["age", "from"] == "read off the file: leaks"
    assert "age" in dataset(app).report.ranges_from_file


def test_ranges_read_off_the_file_show_their_numbers_and_are_stated_end_by_end_only():
    app = started()
    pay = [900.5 + i * 31 % 503 for i in range(ROWS)]
    assert ranges(app).loc["income"].tolist() == [min(pay), max(pay), "read off the file: leaks"]
    typed(app, income=(0.0, ...))
    assert "those of 'income'" in errors(app)
    low, high, origin = ranges(app).loc["income"]
    assert (low, pd.isna(high), origin) == (0.0, True, "one end missing")


def test_the_numbers_shown_are_those_of_the_rows_that_are_used():
    """Row 1 alone holds the largest income, and is left out for another cell."""
    text = CSV.replace("C-0;01.01.2023;20;", "C-0;01.01.2023;;").replace("€ 900,50;0;", "€ 2000,50;0;")
    table, others = read_table(text.encode()), [900.5 + i * 31 % 503 for i in range(1, ROWS)]
    for missing, largest in (("drop", max(others)), ("mean", 2000.5)):
        used = make_dataset(table, "outcome", domain=Domain(from_data=True), missing=missing)
        shown = file_ranges(table, "outcome", missing=missing)
        assert shown == {part.name: part.range for part in used.encoder.parts if part.range}
        assert shown["income"] == (min(others), largest)
    by_target = make_dataset(table, "income", domain=Domain(from_data=True))
    assert file_ranges(table, "income")["income"] == by_target.encoder.target_range


def test_a_cell_far_beyond_all_others_is_asked_about_before_anything_is_computed():
    app = started(CSV.replace("€ 1303,50", "€ 1000000000,00", 1))
    asked = "'income' is 1000000000 in row 14, where all others lie between 900.5 and "
    assert asked in errors(app)
    assert not app.metric
    assert ranges(app).loc["income", "high"] == 1e9
    button(app, "Cut them off at the others").click().run()
    assert app.metric
    assert [asked in unescape(one.value) for one in app.warning] == [True]
    assert ranges(app).loc["income", "high"] < 1402
    button(app, "Ask again").click().run()
    button(app, "Keep them").click().run()
    assert ranges(app).loc["income", "high"] == 1e9
    assert [asked in unescape(one.value) for one in app.warning] == [True]
