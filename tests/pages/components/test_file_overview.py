"""The first minute with an upload: the rows as they were read, the guessed target, the ranges in force."""

from html import unescape

import numpy as np
import pytest

from dpcore.data import Domain
from tests.pages.components.test_data_input import box, dataset, errors, typing
from tests.pages.tabs import run

HOSTILE = "**![x](http://evil.example/a.png)**"
ROWS = 60
CSV = f"client_id;signed;age;{HOSTILE};income;visits;plan;outcome\n" + "".join(
    f"C-{i};{1 + i % 28:02}.01.2023;{20 + i * 7 % 50};{i * i % 37}.5;€ {900 + i * 31 % 503},50;{i * i % 11};"
    f"{('basic', 'plus', 'pro')[i % 3]};{'yes' if i % 4 == 0 else 'no'}\n"
    for i in range(ROWS)
)


def uploaded(text: str = CSV):
    app = run("your_data/per_instance", source="upload")
    app.file_uploader[0].set_value(("clients.csv", text.encode(), "text/csv")).run()
    assert not app.exception, app.exception
    return app


def ranges(app):
    """The table of ranges as it is given to be edited."""
    return app.session_state["private_data"]["ranges_table"]


def button(app, label: str):
    return next(one for one in app.button if unescape(one.label).replace("\u200b", "") == label)


def test_ten_rows_are_shown_in_the_units_of_the_file():
    app = uploaded()
    shown = next(frame.value for frame in app.dataframe if "client_id" in frame.value)
    assert len(shown) == 10
    assert shown["income (€)"].tolist()[:2] == [900.5, 931.5]
    assert shown["plan"].tolist()[:3] == ["basic", "plus", "pro"]
    assert HOSTILE in shown
    app.session_state[f"data_{dataset(app).origin.table.sha256[:12]}_overview"] = "Columns"
    app.run()
    columns = next(frame.value for frame in app.dataframe if "taken for" in frame.value).set_index("column")
    assert columns.loc["client_id"].tolist()[:2] == ["identifier", "no"]
    assert columns.loc["signed", "why"] == "holds dates or times"
    assert columns.loc["income", "taken for"] == "amount in €"
    assert columns.loc["outcome", "as target"] == "chosen"


def test_the_target_is_guessed_and_another_is_one_click_away():
    app = uploaded()
    assert dataset(app).target == "outcome"
    assert "Suggested by its name and its place at the end." in " ".join(unescape(one.value) for one in app.markdown)
    assert not [one for one in app.button if "client_id" in one.label or "signed" in one.label]
    button(app, "Predict 'income'").click().run()
    assert not app.exception
    assert dataset(app).target == "income"
    assert box(app, "Target").value == "income"


def test_names_of_a_file_are_shown_letter_by_letter():
    app = uploaded()
    box(app, "Target").set_value(HOSTILE).run()
    said = [one.value for one in app.markdown if "Target **" in one.value]
    assert len(said) == 1
    assert "![" not in said[0]
    assert HOSTILE in unescape(said[0]).replace("\u200b", "")


def test_one_level_of_three_is_told_from_the_others_and_either_of_two():
    app = uploaded()
    box(app, "Target").set_value("plan").run()
    assert box(app, "Level told from all others").value == "basic"
    box(app, "Level told from all others").set_value("pro").run()
    np.testing.assert_array_equal(dataset(app).y, [1.0 if i % 3 == 2 else -1.0 for i in range(ROWS)])
    box(app, "Target").set_value("outcome").run()
    box(app, "Positive level").set_value("no").run()
    np.testing.assert_array_equal(dataset(app).y, [-1.0 if i % 4 == 0 else 1.0 for i in range(ROWS)])


def test_counts_are_kept_as_counts_up_to_the_end_of_their_range(monkeypatch):
    app = uploaded()
    box(app, "Target").set_value("visits").run()
    assert box(app, "Read the target as").value == "count"
    with monkeypatch.context() as patch:
        typing(patch, visits=(0.0, 6.0))
        app.run()
    np.testing.assert_array_equal(dataset(app).y, [min(i * i % 11, 6) for i in range(ROWS)])
    assert any("Outside these ranges and clipped: 0 cells" in one.value for one in app.caption)
    box(app, "Read the target as").set_value("numeric").run()
    assert dataset(app).y.min() == -1.0


def test_suggested_ranges_are_in_force_and_marked_until_they_are_changed(monkeypatch):
    app = uploaded()
    table = ranges(app)
    assert table.loc["age"].tolist() == [0.0, 100.0, "suggested"]
    assert table.loc["income", "from"] == "file (leaks)"
    assert dataset(app).domain == Domain(ranges={"age": (0.0, 100.0)}, from_data=True)
    assert set(dataset(app).report.ranges_from_file) == {HOSTILE, "income", "visits"}
    with monkeypatch.context() as patch:
        typing(patch, age=(10.0, 90.0), income=(0.0, 9000.0))
        app.run()
        assert not app.exception
    table = ranges(app)
    assert table.loc["age"].tolist() == [10.0, 90.0, "stated"]
    assert table.loc["income"].tolist() == [0.0, 9000.0, "stated"]
    assert dataset(app).domain.ranges == {"age": (10.0, 90.0), "income": (0.0, 9000.0)}
    with monkeypatch.context() as patch:
        typing(patch, age=(None, None))
        app.run()
    assert ranges(app).loc["age", "from"] == "file (leaks)"
    assert "age" in dataset(app).report.ranges_from_file


def test_nothing_leaks_once_every_range_is_stated_or_suggested(monkeypatch):
    app = uploaded()
    with monkeypatch.context() as patch:
        typing(patch, **{HOSTILE: (0.0, 40.0), "income": (0.0, 9000.0), "visits": (0.0, 20.0)})
        app.run()
    assert not dataset(app).domain.from_data
    assert not dataset(app).report.leaks


@pytest.mark.parametrize("ends", [(5.0, None), (None, 5.0)])
def test_a_range_with_one_end_gets_a_sentence_and_the_file_stays_on_screen(ends, monkeypatch):
    app = uploaded()
    with monkeypatch.context() as patch:
        typing(patch, income=ends)
        app.run()
    assert "1 of 4 ranges are not stated or have one end only, those of 'income'" in errors(app)
    assert ranges(app).loc["income", "from"] == "one end missing"
    assert [frame for frame in app.dataframe if "client_id" in frame.value]
