"""Rows found by number, id or value, and a sentence where nothing matches."""

from __future__ import annotations

import pytest

from dpcore.data import Dataset, load_csv
from dpcore.individual.rows.find import find_rows
from tests.data.ingest.test_origin import STAFF


@pytest.fixture(scope="module")
def staff():
    return load_csv(STAFF, "bonus")  # rows 2, 3 and 6 have gaps


@pytest.mark.parametrize(
    ("text", "numbers", "sentence"),
    [
        ("row 4", [4], "Row 4 (id K-0074)."),
        ("4", [4], "Row 4 (id K-0074)."),
        ("row 3", [], "Row 3 (id K-0073) was left out for a missing cell in 'score'."),
        ("row 100", [], "There is no row 100; the rows are numbered from 1 to 7."),
        ("k-0077 ", [7], "1 row with the id 'k-0077'."),
        ("0074", [4], "1 row whose id contains '0074'."),
        ("K-", [1, 4, 5, 7], "4 rows whose id contains 'K-'; 2 more were left out."),
        ("Legal", [7], "1 row with a cell 'Legal'; 1 more was left out."),
        ("department = SALES", [1, 4], "2 rows with 'department = SALES'."),
        ("smoker: 'no'", [4, 7], "2 rows with"),
        ("salary > 60k", [5, 7], "2 rows with 'salary > 60k'; 1 more was left out."),
        ("salary < 52000", [4], "1 row with"),
        ("salary = 52 000 €", [1], "1 row with"),
        ("salary 50000 to 60 000", [1, 4], "2 rows with"),
        ("salary: 62k – 50k", [1, 4, 5], "3 rows with"),
        ("salary > 1e9", [], "No row has 'salary > 1e9'; column 'salary' goes from 48000 to 91500."),
        (
            "department = Board",
            [],
            "No row has 'department = Board'; column 'department' holds 'sales', 'Legal', 'IT'.",
        ),
        ("department > 3", [], "Column 'department' cannot be compared like that; it holds text: compare it by =."),
        ("salary = high", [], "Column 'salary' cannot be compared like that; compare it with a number."),
        ("salry > 3", [], "There is no column 'salry'; did you mean 'salary'."),
        ("nobody", [], "No row matches 'nobody'. Name one so: row 100"),
        ("  ", [], "Name a row: row 100"),
    ],
)
def test_a_row_is_found_by_what_is_known_of_it(staff, text, numbers, sentence):
    found = find_rows(staff, text)
    assert staff.row_labels[found.rows].tolist() == numbers
    assert found.sentence.startswith(sentence)


def test_an_id_that_is_a_number_comes_before_the_row_of_that_number():
    data = load_csv(b"id,x,y\n3,1,2\n1,2,3\n2,5,1\n", "y")
    assert [find_rows(data, text).rows.tolist() for text in ("1", "row 1")] == [[1], [0]]


def test_arrays_are_searched_by_number_and_value():
    data = Dataset.from_arrays([[1.0], [2.0], [3.0]], [0.0, 1.0, 0.0], ["a"])
    assert [find_rows(data, text).rows.tolist() for text in ("2", "a > 1.5")] == [[1], [1, 2]]
    assert find_rows(data, "row 4").sentence == "There is no row 4; the rows are numbered from 1 to 3."


@pytest.mark.parametrize(
    "text", ["(" * 60, "a" * 300, "=", ">=", "x =", "row", "\x00", "1e999 to 2", "salary > 1e999", "９"]
)
def test_nothing_typed_breaks_it(staff, text):
    assert find_rows(staff, text).sentence
