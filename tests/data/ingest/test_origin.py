"""Rows as their owner knows them: numbers as in the file, ids, original units, and records through the same recipe."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import dpcore as dp
from dpcore.data import SAMPLES, Dataset, Domain, load_csv, make_dataset, read_sample, read_table
from tests.refusals import refuses

STAFF = """staff_id,department,salary,smoker,score,bonus
K-0071,sales,52 000 €,yes,1.5,100
K-0072,,48 000 €,no,2.5,300
K-0073,Legal,91 500 €,yes,,200
K-0074,sales,50 250 €,no,3.5,250
K-0075,IT,61 000 €,yes,4.5,400
,IT,60 000 €,no,2.0,
K-0077,Legal,88 000 €,no,1.0,350
""".encode()
RULES = {
    "stated": {},
    "filled": {"missing": "mean"},
    "zero and constant": {"missing": "zero", "intercept": True},
    "from the file": {"missing": "median", "domain": Domain(from_data=True, rows="normalize")},
    "unscaled": {"domain": None, "intercept": True},
    "small ball": {"domain": Domain(0.4, 0.5, from_data=True), "intercept": True},
}


@pytest.mark.parametrize("options", RULES.values(), ids=RULES)
@pytest.mark.parametrize("key", SAMPLES)
def test_original_records_encode_to_the_same_numbers(key, options):
    sample = SAMPLES[key]
    dataset = make_dataset(read_sample(key), sample.target, **({"domain": sample.domain} | options))
    X, y = dataset.encode(dataset.original())
    np.testing.assert_array_equal(X, dataset.X)
    np.testing.assert_array_equal(y, dataset.y)
    for position in (0, dataset.n_samples // 2, dataset.n_samples - 1):
        X, y = dataset.encode(dataset.original([position]))
        np.testing.assert_array_equal([*X[0], *y], [*dataset.X[position], dataset.y[position]])


def test_records_need_not_come_from_the_table():
    dataset = load_csv(STAFF, "bonus", domain=Domain(10.0, 1.0, from_data=True), missing="zero")
    record = pd.DataFrame([{"department": "Legal", "salary": 61_000, "smoker": "no", "score": 4.5, "bonus": 250}])
    X, y = dataset.encode(record)
    assert dataset.names == ("department=IT", "department=Legal", "department=sales", "salary", "smoker", "score")
    salary = 2 * (61_000 - 48_000) / (91_500 - 48_000) - 1
    np.testing.assert_allclose(X, [[0, 1, 0, salary, 0, 1]], rtol=1e-15)
    assert y == [2 * (250 - 100) / 300 - 1]
    record = record.astype({"salary": object})
    record.loc[0, "salary"] = "1e9"
    assert dataset.encode(record)[0][0, 3] == 1.0


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"department": "Board"}, "Column 'department' has no level 'Board'; its levels are 'IT', 'Legal' and 'sales'."),
    ({"salary": "plenty"}, "The value 'plenty' of column 'salary' is no number"),
    ({"score": None}, "The cell of column 'score' is missing, and such rows are left out"),
    ({"department": None}, "The cell of column 'department' is missing"),
    ({"bonus": np.inf}, "The cell of column 'bonus' is missing"),
])  # fmt: skip
def test_a_record_that_cannot_be_encoded_is_a_sentence(changes, sentence):
    dataset = load_csv(STAFF, "bonus")
    record = dataset.original([0]).astype(object)
    for name, value in changes.items():
        record.loc[0, name] = value
    refuses(dp.DataError, sentence, dataset.encode, record)
    refuses(dp.DataError, "The records have no column 'salary'", dataset.encode, record.drop(columns="salary"))


def test_a_gap_is_filled_as_in_the_file_or_refused():
    dataset = load_csv(STAFF, "bonus", missing="mean")
    record = dataset.original([0])
    record.loc[0, "score"] = np.nan
    assert dataset.encode(record)[0][0, -1] == pytest.approx((1.5 + 2.5 + 3.5 + 4.5 + 1.0) / 5)
    record.loc[0, "salary"] = np.nan
    refuses(dp.DataError, "The cell of column 'salary' is missing, and no rule fills it", dataset.encode, record)


def test_two_level_targets_keep_their_codes():
    data = b"x,y\n1,1\n2,2\n3,1\n4,2\n"
    dataset = load_csv(data, "y", domain=Domain(10.0, 0.5))
    np.testing.assert_array_equal(dataset.original()["y"], [1, 2, 1, 2])
    np.testing.assert_array_equal(dataset.encode(dataset.original())[1], [-0.5, 0.5, -0.5, 0.5])
    third = pd.DataFrame({"x": [1], "y": [3]})
    refuses(dp.DataError, "The target 'y' is 3, but it takes only the values 1 and 2", dataset.encode, third)


def test_rows_are_numbered_as_in_the_file_and_named_by_their_id():
    dataset = load_csv(STAFF, "bonus")
    np.testing.assert_array_equal(dataset.row_labels, [1, 4, 5, 7])
    assert dataset.report.dropped_rows == (2, 3, 6)
    assert [dataset.row_name(k) for k in range(4)] == [f"row {k} (id K-007{k})" for k in (1, 4, 5, 7)]
    assert dataset.position(7) == 3
    assert dataset.original([3]).iloc[0].tolist() == [350, "Legal", 88_000, "no", 1.0]
    filled = load_csv(STAFF.replace(b"no,2.0,", b"no,2.0,10"), "bonus", missing="zero")
    assert filled.row_name(5) == "row 6"


def test_a_row_that_is_not_used_says_why():
    dataset = load_csv(STAFF, "bonus")
    refuses(dp.DataError, r"Row 3 \(id K-0073\) was left out for a missing cell in 'score'", dataset.position, 3)
    refuses(dp.DataError, "Row 6 was left out for a missing cell in 'bonus'", dataset.position, 6)
    for number in (0, 8):
        refuses(dp.DataError, f"There is no row {number}; the rows are numbered from 1 to 7", dataset.position, number)


def test_the_label_can_be_chosen():
    table = read_table(b"name,room,x,y\nAnn,A1,1,2\nBob,A1,2,3\nCy,B7,4,3\n")
    assert make_dataset(table, "y").row_name(0) == "row 1"
    assert make_dataset(table, "y", ["x"], label="name").row_name(2) == "row 3 (id Cy)"
    assert load_csv(STAFF, "bonus", label="").row_name(0) == "row 1"
    assert load_csv(STAFF, "bonus", label="salary").row_name(0) == "row 1 (id 52000)"
    refuses(dp.DataError, "The label 'room' has the same value in several rows", make_dataset, table, "y", label="room")
    refuses(dp.DataError, "no label 'nam' in the table; did you mean 'name'", make_dataset, table, "y", label="nam")


def test_the_origin_is_no_part_of_equality_and_copies_nothing():
    table = read_table(STAFF)
    dataset = make_dataset(table, "bonus")
    other = make_dataset(table, "bonus", label="")
    assert (dataset, hash(dataset), repr(dataset)) == (other, hash(other), repr(other))
    assert dataset.provenance != other.provenance
    assert dataset.origin.table is table
    again = pickle.loads(pickle.dumps(dataset))
    np.testing.assert_array_equal(again.encode(again.original())[0], dataset.X)


def test_arrays_are_their_own_records():
    dataset = Dataset.from_arrays([[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0], ["a", "y"])
    frame = dataset.original([1])
    assert (frame.columns.tolist(), frame.iloc[0].tolist()) == (["y", "a", "y (2)"], [6.0, 3.0, 4.0])
    X, y = dataset.encode(frame)
    assert (X.tolist(), y.tolist()) == ([[3.0, 4.0]], [6.0])
    assert (dataset.row_name(1), dataset.position(2)) == ("row 2", 1)
